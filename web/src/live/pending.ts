/** A scene on its way from its editor to the live view. */

import type { SceneText } from "../messages";

let pending: SceneText | null = null;

export function sendLive(scene: SceneText): void {
  pending = scene;
}

/** The scene that was sent, once. */
export function takePending(): SceneText | null {
  const scene = pending;
  pending = null;
  return scene;
}
