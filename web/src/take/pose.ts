/** From turns of joints to where they are in the world: eight numbers a joint, as the crowd's shader reads them. */

import type { Rig } from "./rig";

export const JOINT_STRIDE = 8; // x y z 0, and the turn x y z w

/** Root positions (x, y, z) and turns in the world (x, y, z, w, of any length) of one body, frame by frame. */
export interface Motion {
  readonly roots: Float32Array;
  readonly turns: Int16Array;
  readonly frames: number;
  readonly joints: number; // of a frame in `turns`: those of the rig, or more
}

/**
 * Joints of one body in the world, `share` of the way from a frame to the next.
 *
 * Turns of neighbouring frames are on the same side: their mix, made unit length, is the way between them.
 */
export function placeJoints(
  rig: Rig, motion: Motion, frame: number, share: number, out: Float32Array, start: number,
): void {
  const { parents, offsets, joints } = rig;
  const { roots, turns } = motion;
  const next = Math.min(frame + 1, motion.frames - 1);
  const rest = 1 - share;
  for (let i = 0; i < 3; i++) out[start + i] = rest * roots[3 * frame + i] + share * roots[3 * next + i];
  let a = 4 * motion.joints * frame, b = 4 * motion.joints * next;
  for (let joint = 0, o = start; joint < joints; joint++, a += 4, b += 4, o += JOINT_STRIDE) {
    const x = rest * turns[a] + share * turns[b], y = rest * turns[a + 1] + share * turns[b + 1];
    const z = rest * turns[a + 2] + share * turns[b + 2], w = rest * turns[a + 3] + share * turns[b + 3];
    const scale = 1 / Math.sqrt(x * x + y * y + z * z + w * w || 1);
    out[o + 4] = x * scale;
    out[o + 5] = y * scale;
    out[o + 6] = z * scale;
    out[o + 7] = w * scale;
    const parent = parents[joint];
    if (parent < 0) continue;
    const p = start + JOINT_STRIDE * parent;
    const px = out[p + 4], py = out[p + 5], pz = out[p + 6], pw = out[p + 7];
    const ox = offsets[3 * joint], oy = offsets[3 * joint + 1], oz = offsets[3 * joint + 2];
    const tx = 2 * (py * oz - pz * oy), ty = 2 * (pz * ox - px * oz), tz = 2 * (px * oy - py * ox);
    out[o] = out[p] + ox + pw * tx + py * tz - pz * ty;
    out[o + 1] = out[p + 1] + oy + pw * ty + pz * tx - px * tz;
    out[o + 2] = out[p + 2] + oz + pw * tz + px * ty - py * tx;
  }
}
