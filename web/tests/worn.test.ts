import * as THREE from "three";
import { expect, test } from "vitest";
import { heightsOf, meshesOf } from "../src/stage/worn";

/** A body of 100 units with its pelvis at 40, and a sword that reaches up to 300. */
function knight(): THREE.Object3D {
  const root = new THREE.Group(), pelvis = new THREE.Bone(), body = new THREE.SkinnedMesh(new THREE.BoxGeometry(30, 100, 30)), sword = new THREE.Mesh(new THREE.BoxGeometry(2, 200, 2));
  body.name = "Body";
  sword.name = "Long_Sword";
  body.geometry.translate(0, 50, 0);
  sword.geometry.translate(0, 200, 0);
  pelvis.position.y = 40;
  [pelvis, body, sword].forEach((object, node) => { object.userData.node = node; root.add(object); });
  sword.userData.name = "Long Sword";
  const count = body.geometry.getAttribute("position").count;
  body.geometry.setAttribute("skinIndex", new THREE.Uint16BufferAttribute(new Uint16Array(4 * count), 4));
  body.geometry.setAttribute("skinWeight", new THREE.Float32BufferAttribute(Float32Array.from({ length: 4 * count }, (_, i) => (i % 4 ? 0 : 1)), 4));
  root.updateMatrixWorld(true);
  body.bind(new THREE.Skeleton([pelvis]));
  return root;
}

test("a name stands over the skin of a character, independent of what it carries", () => {
  const { stands, above } = heightsOf(knight(), { nodes: [0], scale: 0.02, hidden: [] });
  expect(stands).toBeCloseTo(0.8);
  expect(above).toBeCloseTo(1.2);
});

test("the meshes of a file are offered by the names that it gives them", () => {
  expect(meshesOf(knight())).toEqual(["Body", "Long Sword"]);
});
