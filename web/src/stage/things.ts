/** Props: boxes and round cones that stand still or go along a path. */

import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Box, Prop } from "../messages";
import { coneMesh } from "./cones";

const ROUNDED = 0.06; // metres at the edges of a box, or less where it is thin

export function makeThing(prop: Prop): THREE.Mesh {
  const colour = new THREE.Color().setRGB(...prop.colour, THREE.SRGBColorSpace);
  const geometry = prop.boxes?.length ? mergeGeometries(prop.boxes.map(boxGeometry)) : conesGeometry(prop);
  const thing = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6 }));
  thing.castShadow = thing.receiveShadow = true;
  return thing;
}

function boxGeometry({ middle, size, turn }: Box): THREE.BufferGeometry {
  const geometry = new RoundedBoxGeometry(...size, 3, Math.min(ROUNDED, 0.2 * Math.min(...size)));
  return geometry.rotateY(turn ?? 0).translate(...middle);
}

function conesGeometry(prop: Prop): THREE.BufferGeometry {
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
  return geometry;
}

/** Put a thing where it is between two rows of its path: x, y, z and yaw each. */
export function placeThing(thing: THREE.Object3D, path: ArrayLike<number>, at: number, next: number, share: number): void {
  const mix = (i: number): number => (1 - share) * path[at + i] + share * path[next + i];
  thing.position.set(mix(0), mix(1), mix(2));
  // the short way round
  const turn = Math.atan2(Math.sin(path[next + 3] - path[at + 3]), Math.cos(path[next + 3] - path[at + 3]));
  thing.rotation.y = path[at + 3] + share * turn;
}
