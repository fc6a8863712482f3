/** A rig's flesh as one geometry: near by with melted clothes and limbs, from afar as plain round cones. */

import type { Rig } from "../take/rig";
import { coneMesh, type Cones } from "./cones";
import { INFLUENCES, melt, type SkinMesh } from "./skin";

const MELTED = ["skin", "shirt", "trousers", "shoes", "gloves"]; // materials, in the order of mannequin.MATERIALS
const MATERIALS = ["skin", "shirt", "trousers", "shoes", "hair", "gloves", "weapon"];

export interface Flesh {
  readonly positions: Float32Array; // (V * 3) in the rest pose
  readonly normals: Float32Array; // (V * 3)
  readonly joints: Float32Array; // (V * 4)
  readonly weights: Float32Array; // (V * 4)
  readonly cloth: Float32Array; // (V,) material
  readonly triangles: Uint32Array;
  readonly melted: boolean; // vertices follow several joints
  readonly rest: Float32Array; // (J * 3) where joints are in the rest pose
}

const FEW = 12, SOME = 40; // people
const made = new Map<string, Flesh>(); // melting takes a moment, and the same bodies come again and again

/** For so many people on the stage: the more there are, the smaller they are seen. */
export function fleshOf(rig: Rig, people: number): Flesh {
  const [near, round] = [people <= FEW, people <= SOME];
  const key = `${near} ${round} ${rig.key}`;
  let flesh = made.get(key);
  if (!flesh) {
    const rest = restPose(rig);
    flesh = near && standsInT(rig, rest) ? melted(rig, rest) : plain(rig, round);
    made.set(key, flesh);
  }
  return flesh;
}

/** The places of joints when nothing is turned. */
export function restPose(rig: Rig): Float32Array {
  const rest = new Float32Array(3 * rig.joints);
  for (let joint = 0; joint < rig.joints; joint++) {
    const parent = rig.parents[joint];
    for (let i = 0; i < 3; i++) rest[3 * joint + i] = (parent < 0 ? 0 : rest[3 * parent + i]) + (parent < 0 ? 0 : rig.offsets[3 * joint + i]);
  }
  return rest;
}

/** Whether the rest pose is one in which neighbours may melt: arms out, legs down. On some rigs it is a heap. */
export function standsInT(rig: Rig, rest: Float32Array): boolean {
  const place = (part: string): Float32Array | null => {
    const cone = rig.parts.indexOf(part);
    return cone < 0 ? null : rest.subarray(3 * rig.cones.joints[cone], 3 * rig.cones.joints[cone] + 3);
  };
  const [shoulder, hand, thigh, foot] = ["left_upper_arm", "left_hand", "left_thigh", "left_foot"].map(place);
  if (!shoulder || !hand || !thigh || !foot) return false;
  const arm = [0, 1, 2].map((i) => hand[i] - shoulder[i]), leg = [0, 1, 2].map((i) => foot[i] - thigh[i]);
  return arm[0] > 0.9 * Math.hypot(...arm) && -leg[1] > 0.9 * Math.hypot(...leg);
}

function plain(rig: Rig, round: boolean): Flesh {
  const mesh = round ? coneMesh(rig.cones, 14, 4) : coneMesh(rig.cones, 8, 2);
  const joints = new Float32Array(INFLUENCES * mesh.joints.length), weights = new Float32Array(joints.length);
  mesh.joints.forEach((joint, v) => {
    joints[INFLUENCES * v] = joint;
    weights[INFLUENCES * v] = 1;
  });
  // positions are in the joints' own frames
  return { ...mesh, joints, weights, cloth: mesh.materials, melted: false, rest: new Float32Array(3 * rig.joints) };
}

function melted(rig: Rig, rest: Float32Array): Flesh {
  const { cones } = rig;
  const builder = new Builder();
  const head = (cone: number): boolean => rig.parts[cone] === "head";
  const all = Array.from({ length: cones.count }, (_, cone) => cone);
  const isMelted = (cone: number): boolean => MELTED.includes(MATERIALS[cones.materials[cone]]) && !head(cone);
  builder.addMelted(melt(cones, all.filter(isMelted), rest));
  // what is small and sharp stays as it is: faces, hair, blades
  for (const cone of all.filter((one) => !isMelted(one))) {
    const mesh = coneMesh(only(cones, cone), 36, 12), joint = cones.joints[cone];
    const positions = Array.from(mesh.positions, (value, i) => value + rest[3 * joint + (i % 3)]);
    const count = positions.length / 3;
    builder.add(positions, Array.from(mesh.normals), Array.from({ length: count }, () => [joint, 0, 0, 0]).flat(),
      Array.from({ length: count }, () => [1, 0, 0, 0]).flat(), cones.materials[cone], Array.from(mesh.triangles));
  }
  return builder.finish(rest);
}

function only(cones: Cones, cone: number): Cones {
  const three = (values: ArrayLike<number>): number[] => [0, 1, 2].map((i) => values[3 * cone + i]);
  return {
    count: 1, joints: [cones.joints[cone]], starts: three(cones.starts), stops: three(cones.stops),
    startRadii: [cones.startRadii[cone]], stopRadii: [cones.stopRadii[cone]], materials: [cones.materials[cone]],
  };
}

class Builder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly joints: number[] = [];
  private readonly weights: number[] = [];
  private readonly cloth: number[] = [];
  private readonly triangles: number[] = [];

  add(positions: number[], normals: number[], joints: number[], weights: number[], material: number, triangles: number[]): void {
    const first = this.cloth.length;
    for (const value of positions) this.positions.push(value);
    for (const value of normals) this.normals.push(value);
    for (const value of joints) this.joints.push(value);
    for (const value of weights) this.weights.push(value);
    for (let i = 0; i < positions.length / 3; i++) this.cloth.push(material);
    for (const corner of triangles) this.triangles.push(first + corner);
  }

  /** A material belongs to a vertex here, so those on a seam stand there once for each. */
  addMelted(mesh: SkinMesh): void {
    const numbers = new Map<number, number>();
    mesh.triangles.forEach((corner, i) => {
      const material = mesh.materials[Math.floor(i / 3)], key = corner * MATERIALS.length + material;
      let number = numbers.get(key);
      if (number === undefined) {
        number = this.cloth.length;
        numbers.set(key, number);
        for (let k = 0; k < 3; k++) {
          this.positions.push(mesh.positions[3 * corner + k]);
          this.normals.push(mesh.normals[3 * corner + k]);
        }
        for (let k = 0; k < INFLUENCES; k++) {
          this.joints.push(mesh.joints[INFLUENCES * corner + k]);
          this.weights.push(mesh.weights[INFLUENCES * corner + k]);
        }
        this.cloth.push(material);
      }
      this.triangles.push(number);
    });
  }

  finish(rest: Float32Array): Flesh {
    return {
      positions: Float32Array.from(this.positions), normals: Float32Array.from(this.normals),
      joints: Float32Array.from(this.joints), weights: Float32Array.from(this.weights),
      cloth: Float32Array.from(this.cloth), triangles: Uint32Array.from(this.triangles), melted: true, rest,
    };
  }
}
