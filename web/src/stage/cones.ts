/** Round cones as triangles: two spheres and the cone between them, all cones of a body in one geometry. */

export interface Cones {
  readonly count: number;
  readonly joints: ArrayLike<number>; // (N,)
  readonly starts: ArrayLike<number>; // (N * 3) metres, in the joint's frame
  readonly stops: ArrayLike<number>; // (N * 3)
  readonly startRadii: ArrayLike<number>; // (N,)
  readonly stopRadii: ArrayLike<number>; // (N,)
  readonly materials: ArrayLike<number>; // (N,)
}

export interface ConeMesh {
  readonly positions: Float32Array; // (V * 3) in the joint's frame
  readonly normals: Float32Array; // (V * 3)
  readonly joints: Float32Array; // (V,)
  readonly materials: Float32Array; // (V,)
  readonly triangles: Uint32Array;
}

/** `around` corners around every cone, `rings` circles on each of its two caps. */
export function coneMesh(cones: Cones, around: number, rings: number): ConeMesh {
  const circles = 2 * rings;
  const perCone = circles * around + 2;
  const trianglesPerCone = 2 * around * circles;
  const vertexCount = cones.count * perCone;
  const mesh = {
    positions: new Float32Array(vertexCount * 3),
    normals: new Float32Array(vertexCount * 3),
    joints: new Float32Array(vertexCount),
    materials: new Float32Array(vertexCount),
    triangles: new Uint32Array(cones.count * trianglesPerCone * 3),
  };
  for (let cone = 0; cone < cones.count; cone++) {
    const first = cone * perCone;
    placeVertices(mesh, cones, cone, first, around, rings);
    connect(mesh.triangles, cone * trianglesPerCone * 3, first, around, circles);
    mesh.joints.fill(cones.joints[cone], first, first + perCone);
    mesh.materials.fill(cones.materials[cone], first, first + perCone);
  }
  return mesh;
}

function placeVertices(
  mesh: ConeMesh, cones: Cones, cone: number, first: number, around: number, rings: number,
): void {
  const start = [0, 1, 2].map((i) => cones.starts[3 * cone + i]);
  const stop = [0, 1, 2].map((i) => cones.stops[3 * cone + i]);
  const r0 = cones.startRadii[cone], r1 = cones.stopRadii[cone];
  const along = [0, 1, 2].map((i) => stop[i] - start[i]);
  const length = Math.hypot(along[0], along[1], along[2]);
  const axis = length > 1e-9 ? along.map((x) => x / length) : [0, 1, 0];
  // where the cone touches its spheres the normal leans by this much
  const lean = length > Math.abs(r0 - r1) ? Math.asin((r0 - r1) / length) : 0;
  const [side, other] = across(axis);
  let vertex = first;
  const put = (angle: number, turn: number, centre: number[], radius: number): void => {
    const level = Math.cos(angle), up = Math.sin(angle);
    const c = Math.cos(turn) * level, s = Math.sin(turn) * level;
    for (let i = 0; i < 3; i++) {
      const normal = up * axis[i] + c * side[i] + s * other[i];
      mesh.normals[3 * vertex + i] = normal;
      mesh.positions[3 * vertex + i] = centre[i] + radius * normal;
    }
    vertex++;
  };
  const quarter = Math.PI / 2;
  put(-quarter, 0, start, r0);
  for (let ring = 1; ring <= rings; ring++) {
    const angle = -quarter + (ring / rings) * (lean + quarter);
    for (let i = 0; i < around; i++) put(angle, (2 * Math.PI * i) / around, start, r0);
  }
  for (let ring = 0; ring < rings; ring++) {
    const angle = lean + (ring / rings) * (quarter - lean);
    for (let i = 0; i < around; i++) put(angle, (2 * Math.PI * i) / around, stop, r1);
  }
  put(quarter, 0, stop, r1);
}

function connect(
  triangles: Uint32Array, offset: number, first: number, around: number, circles: number,
): void {
  let at = offset;
  const corner = (circle: number, i: number): number => first + 1 + circle * around + (i % around);
  const last = first + 1 + circles * around;
  for (let i = 0; i < around; i++) {
    triangles.set([first, corner(0, i + 1), corner(0, i)], at);
    at += 3;
  }
  for (let circle = 0; circle + 1 < circles; circle++) {
    for (let i = 0; i < around; i++) {
      const a = corner(circle, i), b = corner(circle, i + 1);
      const c = corner(circle + 1, i), d = corner(circle + 1, i + 1);
      triangles.set([a, b, c, b, d, c], at);
      at += 6;
    }
  }
  for (let i = 0; i < around; i++) {
    triangles.set([last, corner(circles - 1, i), corner(circles - 1, i + 1)], at);
    at += 3;
  }
}

/** Two directions across an axis; side × other = axis, so that triangles look outwards. */
function across(axis: number[]): [number[], number[]] {
  const helper = Math.abs(axis[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
  const side = normalised(cross(helper, axis));
  return [side, cross(axis, side)];
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalised(a: number[]): number[] {
  const length = Math.hypot(a[0], a[1], a[2]);
  return a.map((x) => x / length);
}
