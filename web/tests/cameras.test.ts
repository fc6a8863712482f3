import * as THREE from "three";
import { expect, test } from "vitest";
import { distanceToShow } from "../src/stage/cameras";

const box = new THREE.Box3(new THREE.Vector3(-3, 0, -1), new THREE.Vector3(3, 2, 1));
const tall = 0.35, wide = 0.5;

test("a framed box is in the picture with all its corners, and fills it", () => {
  for (const toward of [new THREE.Vector3(0, 0, 1), new THREE.Vector3(-0.7, 0.4, 0.6).normalize()]) {
    const centre = box.getCenter(new THREE.Vector3());
    const camera = new THREE.PerspectiveCamera(2 * THREE.MathUtils.radToDeg(Math.atan(tall)), wide / tall, 0.1, 100);
    camera.position.copy(centre).addScaledVector(toward, distanceToShow(box, toward, tall, wide));
    camera.lookAt(centre);
    camera.updateMatrixWorld();
    const seen = [-3, 3].flatMap((x) => [0, 2].flatMap((y) => [-1, 1].map((z) => new THREE.Vector3(x, y, z).project(camera))));
    const farthest = Math.max(...seen.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y))));
    expect(farthest).toBeLessThan(1);
    expect(farthest).toBeGreaterThan(0.8);
  }
});
