/**
 * Skin: cones melted into one smooth surface, whose vertices follow several joints.
 *
 * The same way as body/mesh.py makes meshes for export, coarser: the field of distances is sampled on a grid in the rest
 * pose, its zero level is drawn by surface nets, and triangles are cut where another material becomes the nearest: seams
 * are lines, however coarse the grid is.
 */

import type { Cones } from "./cones";

export const INFLUENCES = 4;
const CELL = 0.016; // metres between samples
const MELT = 0.024; // metres over which neighbouring cones flow together
const FOLLOW = 0.011; // metres: how quickly a vertex stops following a joint whose flesh is farther away
const FAINT = 0.01; // weights below are dropped

export interface SkinMesh {
  readonly positions: number[]; // (V * 3) in the rest pose
  readonly normals: number[]; // (V * 3)
  readonly joints: number[]; // (V * 4)
  readonly weights: number[]; // (V * 4)
  readonly triangles: number[];
  readonly materials: number[]; // (T,) of each triangle
}

/** The surface of some cones, given in the rest pose. */
export function melt(cones: Cones, chosen: readonly number[], rest: Float32Array): SkinMesh {
  const field = new Field(cones, chosen, rest);
  const { grid, origin, shape } = field.sample();
  const { positions, triangles } = surfaceNets(grid, origin, shape);
  const mesh: SkinMesh = { positions, normals: [], joints: [], weights: [], triangles: [], materials: [] };
  const away: Float64Array[] = []; // of each vertex: metres to each material
  for (let v = 0; v < positions.length; v += 3) {
    field.settle(positions, v, mesh.normals);
    field.follow(positions[v], positions[v + 1], positions[v + 2], mesh);
    away.push(field.byMaterial(positions[v], positions[v + 1], positions[v + 2]));
  }
  cutSeams(mesh, triangles, away);
  return mesh;
}

/** Give every triangle a material; those that a seam crosses are cut along it. */
function cutSeams(mesh: SkinMesh, triangles: readonly number[], away: readonly Float64Array[]): void {
  const nearest = away.map((row) => row.indexOf(Math.min(...row)));
  const cuts = new Map<string, number>();
  const cut = (one: number, other: number): number => {
    const [a, b] = one < other ? [one, other] : [other, one];
    const key = `${a} ${b}`;
    let made = cuts.get(key);
    if (made === undefined) {
      made = mesh.positions.length / 3;
      cuts.set(key, made);
      const [first, second] = [a, b].map((v) => away[v][nearest[a]] - away[v][nearest[b]]);
      addBetween(mesh, a, b, Math.min(Math.max(first / (first - second), 0.02), 0.98));
    }
    return made;
  };
  const add = (material: number, ...corners: number[]): void => {
    mesh.triangles.push(...corners);
    mesh.materials.push(material);
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]], kinds = corners.map((v) => nearest[v]);
    const lone = [0, 1, 2].find((k) => kinds.filter((kind) => kind === kinds[k]).length === 1);
    // a triangle with three materials is smaller than anyone can see
    if (lone === undefined || new Set(kinds).size === 3) {
      add(kinds[1], ...corners);
      continue;
    }
    const [a, b, c] = [0, 1, 2].map((k) => corners[(lone + k) % 3]);
    const ab = cut(a, b), ac = cut(a, c);
    add(nearest[a], a, ab, ac);
    add(nearest[b], ab, b, c);
    add(nearest[b], ab, c, ac);
  }
}

/** A vertex on an edge; it follows the joints of the end that is nearer. */
function addBetween(mesh: SkinMesh, a: number, b: number, share: number): void {
  const mixed = (values: number[]): number[] => [0, 1, 2].map((i) => (1 - share) * values[3 * a + i] + share * values[3 * b + i]);
  const normal = mixed(mesh.normals), scale = 1 / Math.max(Math.hypot(...normal), 1e-9), near = INFLUENCES * (share > 0.5 ? b : a);
  mesh.positions.push(...mixed(mesh.positions));
  mesh.normals.push(...normal.map((value) => value * scale));
  mesh.joints.push(...mesh.joints.slice(near, near + INFLUENCES));
  mesh.weights.push(...mesh.weights.slice(near, near + INFLUENCES));
}

type Triple = [number, number, number];

class Field {
  private readonly ends: Float64Array; // (N * 8) start, stop, radii
  private readonly joints: number[];
  private readonly materials: number[];

  constructor(cones: Cones, chosen: readonly number[], rest: Float32Array) {
    this.ends = new Float64Array(chosen.length * 8);
    this.joints = chosen.map((cone) => cones.joints[cone]);
    this.materials = chosen.map((cone) => cones.materials[cone]);
    chosen.forEach((cone, n) => {
      for (let i = 0; i < 3; i++) {
        const at = rest[3 * cones.joints[cone] + i];
        this.ends[8 * n + i] = at + cones.starts[3 * cone + i];
        this.ends[8 * n + 3 + i] = at + cones.stops[3 * cone + i];
      }
      this.ends[8 * n + 6] = cones.startRadii[cone];
      this.ends[8 * n + 7] = cones.stopRadii[cone];
    });
  }

  /** The field on a grid around the cones; a cone only matters near itself. */
  sample(): { grid: Float32Array; origin: Triple; shape: Triple } {
    const boxes = this.joints.map((_, n) => this.box(n));
    const low = [0, 1, 2].map((i) => Math.min(...boxes.map((box) => box[i]))) as Triple;
    const high = [0, 1, 2].map((i) => Math.max(...boxes.map((box) => box[3 + i])));
    const shape = high.map((value, i) => Math.ceil((value - low[i]) / CELL) + 2) as Triple;
    const grid = new Float32Array(shape[0] * shape[1] * shape[2]).fill(4 * MELT);
    boxes.forEach((box, n) => {
      const first = [0, 1, 2].map((i) => Math.max(Math.floor((box[i] - low[i]) / CELL), 0));
      const last = [0, 1, 2].map((i) => Math.min(Math.ceil((box[3 + i] - low[i]) / CELL) + 1, shape[i]));
      for (let x = first[0]; x < last[0]; x++) {
        for (let y = first[1]; y < last[1]; y++) {
          let at = (x * shape[1] + y) * shape[2] + first[2];
          for (let z = first[2]; z < last[2]; z++, at++) {
            grid[at] = smallest(grid[at], this.cone(n, low[0] + CELL * x, low[1] + CELL * y, low[2] + CELL * z));
          }
        }
      }
    });
    return { grid, origin: low, shape };
  }

  /** Move a vertex onto the surface, and find the normal there. */
  settle(positions: number[], v: number, normals: number[]): void {
    const [x, y, z] = [positions[v], positions[v + 1], positions[v + 2]];
    const step = 0.25 * CELL;
    const sx = this.melted(x + step, y, z) - this.melted(x - step, y, z);
    const sy = this.melted(x, y + step, z) - this.melted(x, y - step, z);
    const sz = this.melted(x, y, z + step) - this.melted(x, y, z - step);
    const scale = 1 / Math.max(Math.hypot(sx, sy, sz), 1e-9);
    const away = Math.min(Math.max(this.melted(x, y, z), -CELL), CELL) * scale;
    positions[v] = x - away * sx;
    positions[v + 1] = y - away * sy;
    positions[v + 2] = z - away * sz;
    normals.push(sx * scale, sy * scale, sz * scale);
  }

  /** The nearer a joint's flesh, the more a vertex follows it. */
  follow(x: number, y: number, z: number, mesh: SkinMesh): void {
    const nearest = new Map<number, number>();
    this.joints.forEach((joint, n) => {
      const away = this.cone(n, x, y, z);
      if (away < (nearest.get(joint) ?? Infinity)) nearest.set(joint, away);
    });
    const rows = [...nearest].sort((a, b) => a[1] - b[1]).slice(0, INFLUENCES);
    const weights = rows.map(([, away]) => Math.exp(-(away - rows[0][1]) / FOLLOW)).map((weight) => (weight < FAINT ? 0 : weight));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (let i = 0; i < INFLUENCES; i++) {
      mesh.joints.push(weights[i] ? rows[i][0] : 0);
      mesh.weights.push((weights[i] ?? 0) / sum);
    }
  }

  /** Metres to the flesh of each material. */
  byMaterial(x: number, y: number, z: number): Float64Array {
    const away = new Float64Array(Math.max(...this.materials) + 1).fill(Infinity);
    this.materials.forEach((material, n) => { away[material] = Math.min(away[material], this.cone(n, x, y, z)); });
    return away;
  }

  private box(n: number): number[] {
    const e = this.ends, reach = Math.max(e[8 * n + 6], e[8 * n + 7]) + 2 * MELT;
    const axes = [0, 1, 2].map((i) => [e[8 * n + i], e[8 * n + 3 + i]]);
    return [...axes.map((pair) => Math.min(...pair) - reach), ...axes.map((pair) => Math.max(...pair) + reach)];
  }

  private melted(x: number, y: number, z: number): number {
    let total = Infinity;
    for (let n = 0; n < this.joints.length; n++) total = smallest(total, this.cone(n, x, y, z));
    return total;
  }

  /** Metres to one round cone, negative inside. */
  private cone(n: number, x: number, y: number, z: number): number {
    const e = this.ends, o = 8 * n;
    const ax = e[o + 3] - e[o], ay = e[o + 4] - e[o + 1], az = e[o + 5] - e[o + 2];
    const rx = x - e[o], ry = y - e[o + 1], rz = z - e[o + 2];
    const r1 = e[o + 6], r2 = e[o + 7], difference = r1 - r2;
    const length2 = ax * ax + ay * ay + az * az, slope2 = length2 - difference * difference;
    if (slope2 <= 1e-12) { // one sphere holds the other
      if (r1 >= r2) return Math.sqrt(rx * rx + ry * ry + rz * rz) - r1;
      return Math.sqrt((rx - ax) ** 2 + (ry - ay) ** 2 + (rz - az) ** 2) - r2;
    }
    const length = Math.sqrt(length2);
    const along = (rx * ax + ry * ay + rz * az) / length;
    const across = Math.sqrt(Math.max(rx * rx + ry * ry + rz * rz - along * along, 0));
    // in the plane of axis and point the side of the cone is a line that leans by the difference of the radii
    const sine = difference / length, cosine = Math.sqrt(slope2) / length;
    const foot = along * cosine - across * sine;
    if (foot < 0) return Math.sqrt(along * along + across * across) - r1;
    if (foot > length * cosine) return Math.sqrt((along - length) ** 2 + across * across) - r2;
    return across * cosine + along * sine - r1;
  }
}

/** The smaller of two distances, rounded off where they are alike. */
function smallest(a: number, b: number): number {
  const near = Math.max(MELT - Math.abs(a - b), 0) / MELT;
  return Math.min(a, b) - near * near * MELT * 0.25;
}

/** One vertex per cell that the surface crosses; every crossed edge of the grid joins the four cells around it. */
function surfaceNets(grid: Float32Array, origin: Triple, shape: Triple): { positions: number[]; triangles: number[] } {
  const [nx, ny, nz] = shape;
  const strides = [ny * nz, nz, 1];
  const number = new Int32Array(grid.length).fill(-1);
  const positions: number[] = [], triangles: number[] = [];
  for (let x = 0; x + 1 < nx; x++) {
    for (let y = 0; y + 1 < ny; y++) {
      for (let z = 0; z + 1 < nz; z++) {
        const cell = (x * ny + y) * nz + z;
        const middle = crossing(grid, cell, strides);
        if (!middle) continue;
        number[cell] = positions.length / 3;
        positions.push(...[x, y, z].map((at, i) => origin[i] + CELL * (at + middle[i])));
      }
    }
  }
  for (let x = 1; x + 1 < nx; x++) {
    for (let y = 1; y + 1 < ny; y++) {
      for (let z = 1; z + 1 < nz; z++) {
        const here = (x * ny + y) * nz + z;
        for (let axis = 0; axis < 3; axis++) {
          const inside = grid[here] < 0;
          if (inside === grid[here + strides[axis]] < 0) continue;
          const u = strides[(axis + 1) % 3], v = strides[(axis + 2) % 3];
          const ring = [number[here - u - v], number[here - v], number[here], number[here - u]];
          if (!inside) ring.reverse();
          triangles.push(ring[0], ring[1], ring[2], ring[0], ring[2], ring[3]);
        }
      }
    }
  }
  return { positions, triangles };
}

/** The middle of where the surface crosses a cell's edges, in cells; null where it does not. */
function crossing(grid: Float32Array, cell: number, strides: number[]): Triple | null {
  let sign = 0;
  for (let corner = 0; corner < 8; corner++) sign += grid[cell + at(corner, strides)] < 0 ? 1 : 0;
  if (sign === 0 || sign === 8) return null;
  const sum: Triple = [0, 0, 0];
  let count = 0;
  for (let corner = 0; corner < 8; corner++) {
    for (let axis = 0; axis < 3; axis++) {
      if (corner & (1 << axis)) continue;
      const a = grid[cell + at(corner, strides)], b = grid[cell + at(corner | (1 << axis), strides)];
      if (a < 0 === b < 0) continue;
      count++;
      for (let i = 0; i < 3; i++) sum[i] += corner & (1 << i) ? 1 : 0;
      sum[axis] += a / (a - b);
    }
  }
  return sum.map((value) => value / count) as Triple;
}

function at(corner: number, strides: number[]): number {
  return (corner & 1 ? strides[0] : 0) + (corner & 2 ? strides[1] : 0) + (corner & 4 ? strides[2] : 0);
}
