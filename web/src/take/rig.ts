/** A skeleton with the flesh on it, as arrays. */

import type { Body } from "../messages";
import type { Cones } from "../stage/cones";

export interface Rig {
  readonly joints: number;
  readonly parents: Int16Array; // (J,) -1 for the root, parents stand before their children
  readonly offsets: Float32Array; // (J * 3) metres, in the parent's frame
  readonly cones: Cones;
  readonly parts: readonly string[]; // (N,) body part of each cone
  readonly key: string; // the same for the same body
}

export function rigOf(body: Body): Rig {
  const { cones, skeleton } = body;
  return {
    key: JSON.stringify(body),
    parts: cones.map((cone) => cone.part),
    joints: skeleton.parents.length,
    parents: Int16Array.from(skeleton.parents),
    offsets: Float32Array.from(skeleton.offsets.flat()),
    cones: {
      count: cones.length,
      joints: cones.map((cone) => cone.joint),
      starts: cones.flatMap((cone) => cone.start),
      stops: cones.flatMap((cone) => cone.stop),
      startRadii: cones.map((cone) => cone.start_radius),
      stopRadii: cones.map((cone) => cone.stop_radius),
      materials: cones.map((cone) => cone.material),
    },
  };
}
