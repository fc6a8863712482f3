/** The body of one of the cast: the mannequin, a performer of another build, or a file with a skinned mesh. */

import type { CharacterFile, Control } from "../messages";
import { api, Refusal } from "../page/api";
import { confirmed } from "../page/dialogs";
import { button, h } from "../page/dom";

const ENDINGS = [".glb", ".gltf", ".vrm", ".fbx", ".usd", ".usda", ".usdc"];
const BUILT_IN: [string, string][] = [["", "mannequin"], ["heavy", "heavy mannequin"], ["small", "small mannequin"]];

export function isCharacterFile(name: string): boolean {
  return ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));
}

/** Send a character's file to the project; one of the same name is replaced only if that is wanted. */
export async function uploadCharacter(file: File): Promise<CharacterFile> {
  try {
    return await api.uploadCharacter(file);
  } catch (error) {
    if (!(error instanceof Refusal) || !/exists already/.test(error.message)) throw error;
    if (!(await confirmed("Replace it?", `${file.name} is in the project already.`, "Replace"))) throw new DOMException("left as it is", "AbortError");
    return api.uploadCharacter(file, true);
  }
}

export function characterField(control: Control, value: string, choose: (file: string) => void, take: (files: readonly File[]) => void): HTMLElement {
  const select = h("select", { "aria-label": control.title, onchange: () => choose(select.value) });
  const offer = (files: readonly string[]): void => {
    const known = BUILT_IN.some(([key]) => key === value) || files.includes(value) ? files : [value, ...files];
    select.replaceChildren(...[...BUILT_IN, ...known.map((file) => [file, file.replace(/^characters\//, "")])].map(([key, title]) =>
      h("option", { value: key, selected: key === value }, title)));
  };
  offer([]);
  api.characters().then(({ files }) => offer(files)).catch(() => {}); // without a list, the selection is still shown
  const input = h("input", { type: "file", accept: ENDINGS.join(","), hidden: true, "aria-label": "A character's file",
    onchange: () => { if (input.files?.length) take([...input.files]); input.value = ""; } });
  return h("div", { class: "field wide", "data-key": control.key, title: control.help },
    h("label", {}, control.title), h("div", { class: "row" }, select, button("Add a file", () => input.click(), { class: "small" }), input));
}
