/** Recordings on their way from a person's folder into the project. */

import type { Recording } from "../messages";
import { api, Refusal } from "../page/api";
import { confirmed } from "../page/dialogs";

export const ACCEPTED = ".bvh,.amc,.asf,.npz,.fbx,.glb,.gltf,.vrm,.vrma,.usd,.usda,.usdc,.c3d,.trc";

let waiting: File[] = [];

/** Files for the next view that takes them. */
export function sendFiles(files: File[]): void {
  waiting = files;
}

export function takeFiles(): File[] {
  const files = waiting;
  waiting = [];
  return files;
}

/** Let files be dropped anywhere on an element; it is marked while they hover over it. */
export function acceptDrops(element: HTMLElement, take: (files: File[], event: DragEvent) => void): void {
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  element.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    element.classList.add("dropping");
  });
  element.addEventListener("dragleave", (event) => {
    if (!element.contains(event.relatedTarget as Node | null)) element.classList.remove("dropping");
  });
  element.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    element.classList.remove("dropping");
    take([...event.dataTransfer?.files ?? []], event);
  });
}

/** Skeletons come before the motions that need them. */
export function inOrder(files: readonly File[]): File[] {
  const rank = (file: File): number => (file.name.toLowerCase().endsWith(".asf") ? 0 : 1);
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/** Send a file to the server; one of the same name is replaced only if that is wanted. */
export async function upload(file: File): Promise<Recording> {
  try {
    return await api.upload(file);
  } catch (error) {
    if (!(error instanceof Refusal) || !/exists already/.test(error.message)) throw error;
    if (!(await confirmed("Replace it?", `${file.name} is in the project already.`, "Replace"))) throw new DOMException("left as it is", "AbortError");
    return api.upload(file, true);
  }
}
