import { expect, test } from "vitest";
import { fleshOf, restPose, standsInT } from "../src/stage/flesh";
import { rigOf } from "../src/take/rig";
import type { Body, Cone } from "../src/messages";

const cone = (joint: number, stop: [number, number, number], material: number, part: string): Cone =>
  ({ joint, start: [0, 0, 0], stop, start_radius: 0.06, stop_radius: 0.05, material, part });

/** A left arm and a left leg on a pelvis; `turned` folds the rest pose into a heap. */
function body(turned: boolean): Body {
  const arm: [number, number, number] = turned ? [0, 0.5, 0] : [0.5, 0, 0];
  return {
    skeleton: {
      joints: ["hips", "arm", "hand", "thigh", "foot"], parents: [-1, 0, 1, 0, 3],
      offsets: [[0, 0.95, 0], [0.2, 0.5, 0], arm, [0.1, -0.05, 0], [0, -0.8, 0]],
    },
    cones: [cone(0, [0, 0.1, 0], 2, "pelvis"), cone(1, arm, 0, "left_upper_arm"), cone(2, [0.05, 0, 0], 5, "left_hand"),
      cone(3, [0, -0.8, 0], 2, "left_thigh"), cone(4, [0, 0, 0.1], 3, "left_foot"), cone(0, [0, 0.8, 0], 4, "head")],
  };
}

test("a body that rests in a T is melted by material, in the rest pose", () => {
  const rig = rigOf(body(false));
  expect(standsInT(rig, restPose(rig))).toBe(true);
  const flesh = fleshOf(rig, 2);
  expect([...new Set(flesh.cloth)].sort()).toEqual([0, 2, 3, 4, 5]);
  expect(flesh.rest.subarray(6, 9)[0]).toBeCloseTo(0.7);
  const vertices = flesh.cloth.length;
  expect(flesh.positions.length).toBe(3 * vertices);
  expect(Math.max(...flesh.triangles)).toBeLessThan(vertices);
  expect(fleshOf(rigOf(body(false)), 2)).toBe(flesh); // made once
});

test("a body whose rest pose is a heap, and crowds, stay round cones in their joints' frames", () => {
  const rig = rigOf(body(true));
  expect(standsInT(rig, restPose(rig))).toBe(false);
  for (const flesh of [fleshOf(rig, 2), fleshOf(rigOf(body(false)), 200)]) {
    expect(flesh.rest.every((value) => value === 0)).toBe(true);
    expect(flesh.weights.filter((weight) => weight === 1).length).toBe(flesh.cloth.length);
  }
});
