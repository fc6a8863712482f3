/** A character's own skinned mesh on the stage: the nodes of its file follow the joints of the crowd. */

import * as THREE from "three";
import { type GLTF, GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { clone } from "three/examples/jsm/utils/SkeletonUtils.js";
import type { Costume } from "../messages";
import { JOINT_STRIDE } from "../take/pose";

const MOST_METAL = 0.3; // the stage has nothing that a mirror could show: more would be black
const loaded = new Map<string, Promise<THREE.Object3D>>(); // by the key of a costume

/** The scene of a costume's file, loaded once; its nodes know their numbers. */
export function loadCostume(costume: Costume, fetchFile: () => Promise<ArrayBuffer>): Promise<THREE.Object3D> {
  const known = loaded.get(costume.key);
  if (known) return known;
  const made = fetchFile().then((file) => parse(file));
  loaded.set(costume.key, made);
  made.catch(() => loaded.delete(costume.key)); // the next take tries again
  return made;
}

async function parse(file: ArrayBuffer): Promise<THREE.Object3D> {
  const loader = new GLTFLoader();
  loader.register((parser) => {
    parser.textureLoader = new THREE.TextureLoader(); // loads no blob over the network, which the page forbids
    return { name: "plain textures" };
  });
  const gltf: GLTF = await loader.parseAsync(file, "");
  for (const [object, place] of gltf.parser.associations) {
    if (object instanceof THREE.Object3D && place.nodes !== undefined) object.userData.node = place.nodes;
  }
  return gltf.scene;
}

/** The heights of a body at rest, in metres: of its pelvis, and from there to the top of its skin. Weapons do not count. */
export function heightsOf(model: THREE.Object3D, { nodes, scale, hidden }: Pick<Costume, "nodes" | "scale" | "hidden">): { stands: number; above: number } {
  let pelvis = 0, top = 0;
  const box = new THREE.Box3(), at = new THREE.Vector3();
  model.updateMatrixWorld(true);
  model.traverse((object) => {
    if (object.userData.node === nodes[0]) pelvis = object.getWorldPosition(at).y;
    if (object instanceof THREE.SkinnedMesh && !hidden.includes(object.userData.node as number)) top = Math.max(top, box.setFromObject(object).max.y);
  });
  return { stands: pelvis * scale, above: (top - pelvis) * scale };
}

/** The names of everything in a file that can be hidden. */
export function meshesOf(root: THREE.Object3D): string[] {
  const names = new Set<string>();
  root.traverse((object) => {
    if (!(object instanceof THREE.Mesh)) return;
    const node = object.userData.node === undefined ? object.parent : object; // a mesh of several materials has a node above it
    const name = (node?.userData.name as string | undefined) ?? node?.name;
    if (name) names.add(name);
  });
  return [...names].sort();
}

export class Worn {
  readonly root: THREE.Object3D;
  readonly heights: { readonly stands: number; readonly above: number };
  private readonly nodes: { readonly object: THREE.Object3D; readonly joint: number }[] = []; // parents first; joint -1: carried
  private readonly scale: THREE.Vector3;
  private readonly place = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();

  constructor(model: THREE.Object3D, costume: Costume) {
    this.root = clone(model);
    this.heights = heightsOf(model, costume);
    this.scale = new THREE.Vector3().setScalar(costume.scale);
    const joints = new Map(costume.nodes.map((node, joint) => [node, joint]));
    this.root.traverse((object) => {
      object.updateMatrix();
      object.matrixAutoUpdate = object.matrixWorldAutoUpdate = false; // `follow` says where everything is
      this.nodes.push({ object, joint: joints.get(object.userData.node as number) ?? -1 });
      if (costume.hidden.includes(object.userData.node as number)) object.visible = false;
      if (!(object instanceof THREE.Mesh)) return;
      object.castShadow = object.receiveShadow = true;
      object.frustumCulled = false; // its box is that of the pose in the file
      for (const material of [object.material].flat() as THREE.Material[]) {
        if (material instanceof THREE.MeshStandardMaterial) material.metalness = Math.min(material.metalness, MOST_METAL);
      }
    });
    for (const { object } of this.nodes) if (costume.hidden.includes(object.userData.node as number)) this.showJointsBelow(object);
  }

  /** A hidden mesh that is a joint, too, would hide everything that it carries: only its own meshes go. */
  private showJointsBelow(object: THREE.Object3D): void {
    if (!object.children.some((child) => child.userData.node !== undefined)) return;
    object.visible = true;
    for (const child of object.children) if (child.userData.node === undefined) child.visible = false;
  }

  /** Move all nodes to where the joints of the body are (numbers as `placeJoints` writes them). */
  follow(joints: Float32Array, start: number): void {
    for (const { object, joint } of this.nodes) {
      if (joint >= 0) {
        const at = start + JOINT_STRIDE * joint;
        this.place.fromArray(joints, at);
        this.turn.fromArray(joints, at + 4);
        object.matrixWorld.compose(this.place, this.turn, this.scale);
      } else if (object === this.root || !object.parent) {
        object.matrixWorld.copy(object.matrix);
      } else {
        object.matrixWorld.multiplyMatrices(object.parent.matrixWorld, object.matrix);
      }
    }
  }

  /** The geometry and the materials stay: others wear them. */
  dispose(): void {
    this.root.traverse((object) => { if (object instanceof THREE.SkinnedMesh) object.skeleton.dispose(); });
    this.root.removeFromParent();
  }
}
