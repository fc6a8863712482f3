/** Props: round cones that stand still or go along a path. */

import * as THREE from "three";
import type { Prop } from "../messages";
import { coneMesh } from "./cones";

export function makeThing(prop: Prop): THREE.Mesh {
  const count = prop.radii.length;
  const mesh = coneMesh({
    count,
    joints: new Array<number>(count).fill(0),
    starts: prop.starts.flat(),
    stops: prop.stops.flat(),
    startRadii: prop.radii,
    stopRadii: prop.radii,
    materials: new Array<number>(count).fill(0),
  }, 20, 6);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  const colour = new THREE.Color().setRGB(...prop.colour, THREE.SRGBColorSpace);
  const thing = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6 }));
  thing.castShadow = thing.receiveShadow = true;
  return thing;
}

/** Put a thing where it is between two rows of its path: x, y, z and yaw each. */
export function placeThing(thing: THREE.Object3D, path: ArrayLike<number>, at: number, next: number, share: number): void {
  const mix = (i: number): number => (1 - share) * path[at + i] + share * path[next + i];
  thing.position.set(mix(0), mix(1), mix(2));
  // the short way round
  const turn = Math.atan2(Math.sin(path[next + 3] - path[at + 3]), Math.cos(path[next + 3] - path[at + 3]));
  thing.rotation.y = path[at + 3] + share * turn;
}
