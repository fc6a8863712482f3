import { expect, test } from "vitest";
import { JOINT_STRIDE, placeJoints } from "../src/take/pose";
import { rigOf } from "../src/take/rig";
import { BODY } from "./samples";

const rig = rigOf(BODY);
const unit = (...turn: number[]): number[] => turn.map((value) => Math.round(value * 32767));
const STILL = unit(0, 0, 0, 1);

function place(roots: number[], turns: number[], frames: number, frame: number, share: number): Float32Array {
  const out = new Float32Array(4 + 3 * JOINT_STRIDE);
  placeJoints(rig, { roots: Float32Array.from(roots), turns: Int16Array.from(turns), frames, joints: rig.joints }, frame, share, out, 4);
  return out.subarray(4);
}

test("children are where their parents carry them", () => {
  // the root is turned a quarter about +Y: what pointed along +x points along -z
  const quarter = unit(0, Math.SQRT1_2, 0, Math.SQRT1_2);
  const out = place([5, 0, 2], [...quarter, ...quarter, ...STILL], 1, 0, 0);
  [[5, 0, 2], [5, 0, 1], [5, 1, 1]].forEach((expected, joint) =>
    expected.forEach((value, i) => expect(out[joint * JOINT_STRIDE + i]).toBeCloseTo(value, 4)));
});

test("half way between two frames is half of the turn and half of the way", () => {
  const later = unit(0, Math.sin(0.1), 0, Math.cos(0.1));
  const out = place([0, 0, 0, 1, 0, 0], [...STILL, ...STILL, ...STILL, ...later, ...later, ...later], 2, 0, 0.5);
  expect(out[0]).toBeCloseTo(0.5, 6);
  expect(out[5]).toBeCloseTo(Math.sin(0.05), 4);
  expect(out[7]).toBeCloseTo(Math.cos(0.05), 4);
});

test("the last frame has no next one", () => {
  const out = place([1, 2, 3], [...STILL, ...STILL, ...STILL], 1, 0, 0.7);
  expect([...out.subarray(0, 3)]).toEqual([1, 2, 3]);
});
