import * as THREE from "three";
import { expect, test } from "vitest";
import { distanceToShow } from "../src/stage/cameras";
import { around } from "../src/stage/stage";

const points = [...around(-3, 0, 0.4), ...around(3, 1, 0.4)], centre = new THREE.Vector3(0, 1, 0.5);
const tall = 0.35, wide = 0.5;

test("whoever is framed is in the picture from head to foot, and fills it", () => {
  for (const toward of [new THREE.Vector3(0, 0, 1), new THREE.Vector3(-0.7, 0.4, 0.6).normalize()]) {
    const camera = new THREE.PerspectiveCamera(2 * THREE.MathUtils.radToDeg(Math.atan(tall)), wide / tall, 0.1, 100);
    camera.position.copy(centre).addScaledVector(toward, distanceToShow(points, centre, toward, tall, wide));
    camera.lookAt(centre);
    camera.updateMatrixWorld();
    const seen = points.map((point) => point.clone().project(camera));
    const farthest = Math.max(...seen.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y))));
    expect(farthest).toBeLessThan(1);
    expect(farthest).toBeGreaterThan(0.8);
  }
});
