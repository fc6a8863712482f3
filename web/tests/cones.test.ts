import { expect, test } from "vitest";
import { coneMesh } from "../src/stage/cones";

const one = {
  count: 1, joints: [4], starts: [0, 0, 0], stops: [0, 0.3, 0.1], startRadii: [0.1], stopRadii: [0.05], materials: [2],
};

test("every vertex lies on one of the two spheres, normals point away from its middle", () => {
  const mesh = coneMesh(one, 10, 3);
  for (let v = 0; v < mesh.joints.length; v++) {
    const p = mesh.positions.subarray(3 * v, 3 * v + 3), n = mesh.normals.subarray(3 * v, 3 * v + 3);
    expect(Math.hypot(...n)).toBeCloseTo(1, 5);
    const toStart = Math.hypot(p[0], p[1], p[2]), toStop = Math.hypot(p[0], p[1] - 0.3, p[2] - 0.1);
    expect(Math.min(Math.abs(toStart - 0.1), Math.abs(toStop - 0.05))).toBeLessThan(1e-6);
    expect(mesh.joints[v]).toBe(4);
    expect(mesh.materials[v]).toBe(2);
  }
});

test("triangles are counter-clockwise seen from outside and close the surface", () => {
  const mesh = coneMesh(one, 8, 2);
  const edges = new Map<string, number>();
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const [a, b, c] = mesh.triangles.subarray(t, t + 3);
    for (const [from, to] of [[a, b], [b, c], [c, a]]) {
      edges.set(`${from}>${to}`, (edges.get(`${from}>${to}`) ?? 0) + 1);
    }
    const at = (v: number): number[] => [...mesh.positions.subarray(3 * v, 3 * v + 3)];
    const [p, q, r] = [at(a), at(b), at(c)];
    const u = q.map((x, i) => x - p[i]), w = r.map((x, i) => x - p[i]);
    const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    const out = [0, 1, 2].map((i) => mesh.normals[3 * a + i] + mesh.normals[3 * b + i] + mesh.normals[3 * c + i]);
    expect(normal[0] * out[0] + normal[1] * out[1] + normal[2] * out[2]).toBeGreaterThan(0);
  }
  for (const [edge, count] of edges) {
    const [from, to] = edge.split(">");
    expect(count).toBe(1);
    expect(edges.get(`${to}>${from}`)).toBe(1);
  }
});
