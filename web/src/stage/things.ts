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
