/** Small takes for tests. */

import { type Block, type Body, BUFFER_VERSION, type TakeHeader } from "../src/messages";

export const BODY: Body = {
  skeleton: { joints: ["root", "arm", "hand"], parents: [-1, 0, 1], offsets: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] },
  cones: [{ joint: 1, start: [0, 0, 0], stop: [0, 1, 0], start_radius: 0.1, stop_radius: 0.05, material: 2, part: "forearm" }],
};

export function block(start: number, stop: number, name = "left jab", kind = "attack"): Block {
  return { action: 3, name, kind, start, stop, cause: "chosen", decision: 0 };
}

export function header(frames: number, characters: number, joints = 3): TakeHeader {
  const rootBytes = 12 * frames, turnBytes = 8 * frames * joints;
  return {
    take: "sample", title: "Sample", scene: "sample", seed: 1, draft: false, fps: 10, frames,
    materials: ["skin"], outfits: [{ name: "red", colours: [[1, 0, 0]] }], bodies: [BODY], costumes: [],
    characters: Array.from({ length: characters }, (_, who) => ({
      name: `Person ${who}`, outfit: 0, team: who % 2, body: 0, costume: -1,
      roots: who * (rootBytes + turnBytes), turns: who * (rootBytes + turnBytes) + rootBytes,
      blocks: [block(0, 4), block(4, 9, "duck", "defence")],
    })),
    props: [{ name: "ball", colour: [1, 1, 1], starts: [[0, 0, 0]], stops: [[0, 0, 0]], radii: [0.1], boxes: [], path: characters * (rootBytes + turnBytes) }],
    path: [], events: [], decisions: [], quality: null, credits: [],
  };
}

/** A buffer as the server writes it. */
export function takeBuffer(words: TakeHeader, poses: ArrayBuffer): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(words));
  const padded = Math.ceil(text.length / 16) * 16;
  const bytes = new Uint8Array(16 + padded + poses.byteLength).fill(32);
  bytes.set([..."RNDT"].map((letter) => letter.charCodeAt(0)));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, BUFFER_VERSION, true);
  view.setUint32(8, padded, true);
  view.setUint32(12, poses.byteLength, true);
  bytes.set(text, 16);
  bytes.set(new Uint8Array(poses), 16 + padded);
  return bytes.buffer;
}
