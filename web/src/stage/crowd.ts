/**
 * All characters on the stage: one instanced geometry per rig, whose vertices follow joints that stand in a texture.
 *
 * A frame costs JavaScript only the joints: the graphics card does the rest, for a duel as for two hundred.
 */

import * as THREE from "three";
import { JOINT_STRIDE } from "../take/pose";
import type { Rig } from "../take/rig";
import { type Flesh, fleshOf } from "./flesh";
import type { Worn } from "./worn";

export type Outfit = readonly (readonly [number, number, number])[]; // sRGB by material, 0 to 1

export interface Figure {
  readonly rig: Rig;
  readonly outfit: Outfit;
}

export class Crowd {
  readonly group = new THREE.Group();
  readonly joints: Float32Array<ArrayBuffer>; // (characters * stride) as `placeJoints` writes them
  readonly stride: number; // numbers of one character
  private readonly texture: THREE.DataTexture;
  private readonly worn = new Map<number, Worn>(); // by character: own meshes in place of the mannequin
  private readonly rows: { readonly geometry: THREE.InstancedBufferGeometry; readonly rows: readonly number[] }[] = [];
  private readonly disposables: { dispose(): void }[] = [];

  constructor(readonly figures: readonly Figure[], ghost = false) {
    const most = Math.max(1, ...figures.map((figure) => figure.rig.joints));
    this.stride = most * JOINT_STRIDE;
    this.joints = new Float32Array(Math.max(1, figures.length) * this.stride);
    this.texture = new THREE.DataTexture(
      this.joints, most * 2, Math.max(1, figures.length), THREE.RGBAFormat, THREE.FloatType,
    );
    this.disposables.push(this.texture);
    const colours = this.paint();
    for (const [rig, rows] of this.byRig()) {
      const flesh = fleshOf(rig, figures.length), rest = this.restTexture(flesh.rest);
      const follow = flesh.melted ? FOLLOW_SEVERAL : FOLLOW_ONE;
      const mesh = new THREE.Mesh(this.geometry(flesh, rows), this.material(follow, colours, rest, ghost));
      mesh.customDepthMaterial = this.depthMaterial(follow, rest);
      mesh.castShadow = !ghost;
      mesh.receiveShadow = !ghost;
      mesh.frustumCulled = false; // the geometry does not know where its joints are
      this.group.add(mesh);
    }
  }

  /** The start of a character's numbers in `joints`. */
  offset(character: number): number {
    return character * this.stride;
  }

  /** Show what stands in `joints`. */
  update(): void {
    this.texture.needsUpdate = true;
    for (const [character, worn] of this.worn) worn.follow(this.joints, this.offset(character));
  }

  /** The own skin of a character, if it has one. */
  wornBy(who: number): Worn | undefined {
    return this.worn.get(who);
  }

  /** Show a character in its own mesh instead of the mannequin. */
  wear(character: number, worn: Worn): void {
    this.worn.get(character)?.dispose();
    this.worn.set(character, worn);
    this.group.add(worn.root);
    for (const { geometry, rows } of this.rows) {
      const left = rows.filter((row) => !this.worn.has(row)), shown = geometry.getAttribute("row");
      left.forEach((row, place) => shown.setX(place, row));
      shown.needsUpdate = true;
      geometry.instanceCount = left.length;
    }
    this.update();
  }

  dispose(): void {
    for (const thing of this.disposables) thing.dispose();
    for (const worn of this.worn.values()) worn.dispose();
    this.group.removeFromParent();
  }

  private byRig(): Map<Rig, number[]> {
    const groups = new Map<Rig, number[]>();
    this.figures.forEach((figure, row) => {
      const rows = groups.get(figure.rig);
      if (rows) rows.push(row);
      else groups.set(figure.rig, [row]);
    });
    return groups;
  }

  private geometry(flesh: Flesh, rows: number[]): THREE.InstancedBufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(flesh.positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(flesh.normals, 3));
    geometry.setAttribute("followed", new THREE.BufferAttribute(flesh.joints, 4));
    geometry.setAttribute("shares", new THREE.BufferAttribute(flesh.weights, 4));
    geometry.setAttribute("cloth", new THREE.BufferAttribute(flesh.cloth, 1));
    geometry.setAttribute("row", new THREE.InstancedBufferAttribute(new Float32Array(rows), 1));
    geometry.setIndex(new THREE.BufferAttribute(flesh.triangles, 1));
    geometry.instanceCount = rows.length;
    this.rows.push({ geometry, rows });
    this.disposables.push(geometry);
    return geometry;
  }

  /** The places of joints in the pose that a geometry's vertices are given in. */
  private restTexture(rest: Float32Array): THREE.DataTexture {
    const joints = rest.length / 3, pixels = new Float32Array(4 * joints);
    for (let joint = 0; joint < joints; joint++) pixels.set(rest.subarray(3 * joint, 3 * joint + 3), 4 * joint);
    const texture = new THREE.DataTexture(pixels, joints, 1, THREE.RGBAFormat, THREE.FloatType);
    texture.needsUpdate = true;
    this.disposables.push(texture);
    return texture;
  }

  private paint(): THREE.DataTexture {
    const materials = Math.max(1, ...this.figures.map((figure) => figure.outfit.length));
    const pixels = new Float32Array(materials * Math.max(1, this.figures.length) * 4);
    const colour = new THREE.Color();
    this.figures.forEach((figure, row) => figure.outfit.forEach(([red, green, blue], cloth) => {
      colour.setRGB(red, green, blue, THREE.SRGBColorSpace);
      pixels.set([colour.r, colour.g, colour.b, 1], 4 * (row * materials + cloth));
    }));
    const texture = new THREE.DataTexture(
      pixels, materials, Math.max(1, this.figures.length), THREE.RGBAFormat, THREE.FloatType,
    );
    texture.needsUpdate = true;
    this.disposables.push(texture);
    return texture;
  }

  private material(follow: string, colours: THREE.DataTexture, rest: THREE.DataTexture, ghost: boolean): THREE.Material {
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.72,
      metalness: 0.0,
      transparent: ghost,
      opacity: ghost ? 0.85 : 1,
      depthWrite: true,
    });
    material.onBeforeCompile = (shader) => {
      shader.uniforms.jointTexture = { value: this.texture };
      shader.uniforms.restTexture = { value: rest };
      shader.uniforms.clothTexture = { value: colours };
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${follow}\nuniform sampler2D clothTexture;\nattribute float cloth;\nvarying vec3 dyed;`)
        .replace("#include <beginnormal_vertex>", "vec3 objectNormal = turnedByJoint(normal);\ndyed = texelFetch(clothTexture, ivec2(int(cloth), int(row)), 0).rgb;")
        .replace("#include <begin_vertex>", "vec3 transformed = movedByJoint(position);");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying vec3 dyed;")
        .replace("vec4 diffuseColor = vec4( diffuse, opacity );", "vec4 diffuseColor = vec4( dyed, opacity );");
    };
    material.customProgramCacheKey = () => follow; // the functions look alike, the shaders are not
    this.disposables.push(material);
    return material;
  }

  private depthMaterial(follow: string, rest: THREE.DataTexture): THREE.Material {
    const material = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    material.onBeforeCompile = (shader) => {
      shader.uniforms.jointTexture = { value: this.texture };
      shader.uniforms.restTexture = { value: rest };
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${follow}`)
        .replace("#include <begin_vertex>", "vec3 transformed = movedByJoint(position);");
    };
    material.customProgramCacheKey = () => follow;
    this.disposables.push(material);
    return material;
  }
}

const TURN = `
uniform highp sampler2D jointTexture;
attribute vec4 followed;
attribute float row;
vec3 turnedBy(int joint, vec3 v) {
  vec4 q = texelFetch(jointTexture, ivec2(2 * joint + 1, int(row)), 0);
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
`;

const FOLLOW_ONE = `${TURN}
vec3 turnedByJoint(vec3 v) {
  return turnedBy(int(followed.x), v);
}
vec3 movedByJoint(vec3 v) {
  return texelFetch(jointTexture, ivec2(2 * int(followed.x), int(row)), 0).xyz + turnedByJoint(v);
}
`;

const FOLLOW_SEVERAL = `${TURN}
uniform highp sampler2D restTexture;
attribute vec4 shares;
vec3 turnedByJoint(vec3 v) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 4; i++) {
    if (shares[i] > 0.0) sum += shares[i] * turnedBy(int(followed[i]), v);
  }
  return normalize(sum);
}
vec3 movedByJoint(vec3 v) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 4; i++) {
    if (shares[i] <= 0.0) continue;
    int joint = int(followed[i]);
    vec3 own = v - texelFetch(restTexture, ivec2(joint, 0), 0).xyz;
    sum += shares[i] * (texelFetch(jointTexture, ivec2(2 * joint, int(row)), 0).xyz + turnedBy(joint, own));
  }
  return sum;
}
`;
