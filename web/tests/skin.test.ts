import { expect, test } from "vitest";
import { melt } from "../src/stage/skin";

// an upper and a lower leg that meet in a knee
const leg = {
  count: 2, joints: [0, 1], starts: [0, 0, 0, 0, 0, 0], stops: [0, -0.4, 0, 0, -0.4, 0],
  startRadii: [0.08, 0.055], stopRadii: [0.055, 0.04], materials: [2, 2],
};
const rest = Float32Array.from([0, 0.9, 0, 0, 0.5, 0]);
const mesh = melt(leg, [0, 1], rest);

test("the surface is closed, and its triangles look outwards", () => {
  const edges = new Map<string, number>();
  let volume = 0;
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const corners = mesh.triangles.slice(t, t + 3);
    corners.forEach((from, i) => {
      const key = `${from}>${corners[(i + 1) % 3]}`;
      edges.set(key, (edges.get(key) ?? 0) + 1);
    });
    const [a, b, c] = corners.map((v) => mesh.positions.slice(3 * v, 3 * v + 3));
    volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
  }
  for (const [edge, count] of edges) {
    expect(count).toBe(1);
    expect(edges.has(edge.split(">").reverse().join(">"))).toBe(true);
  }
  expect(volume).toBeGreaterThan(0.006); // a leg of 0.8 m, some 5 cm thick: litres
  expect(volume).toBeLessThan(0.012);
});

test("away from the knee vertices lie on the cones and follow one joint; in it they follow both", () => {
  let both = 0;
  for (let v = 0; v < mesh.positions.length / 3; v++) {
    const y = mesh.positions[3 * v + 1], across = Math.hypot(mesh.positions[3 * v], mesh.positions[3 * v + 2]);
    const weights = mesh.weights.slice(4 * v, 4 * v + 4);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
    if (y > 0.6 && y < 0.88) {
      expect(weights[0]).toBeGreaterThan(0.99);
      expect(mesh.joints[4 * v]).toBe(0);
      expect(Math.abs(across - (0.08 - (0.025 * (0.9 - y)) / 0.4))).toBeLessThan(0.004);
    }
    if (weights[1] > 0.2) both++;
  }
  expect(both).toBeGreaterThan(20);
});

test("where two materials meet the surface stays closed, and the seam is a smooth line", () => {
  // a sleeve over an arm along x
  const arm = {
    count: 2, joints: [0, 0], starts: [0, 0, 0, 0.1, 0, 0], stops: [0.13, 0, 0, 0.3, 0, 0],
    startRadii: [0.058, 0.047], stopRadii: [0.05, 0.04], materials: [1, 0],
  };
  const dressed = melt(arm, [0, 1], Float32Array.from([0, 0, 0]));
  const owners = new Map<string, number[]>();
  for (let t = 0; t < dressed.materials.length; t++) {
    const corners = dressed.triangles.slice(3 * t, 3 * t + 3);
    corners.forEach((from, i) => {
      const key = [from, corners[(i + 1) % 3]].sort((a, b) => a - b).join(" ");
      owners.set(key, [...owners.get(key) ?? [], dressed.materials[t]]);
    });
  }
  const seam = new Set<number>();
  for (const [edge, materials] of owners) {
    expect(materials.length).toBe(2);
    if (materials[0] !== materials[1]) edge.split(" ").forEach((v) => seam.add(Number(v)));
  }
  const along = [...seam].map((v) => dressed.positions[3 * v]);
  expect(along.length).toBeGreaterThan(12);
  expect(Math.max(...along) - Math.min(...along)).toBeLessThan(0.004); // metres: a quarter of a cell
});
