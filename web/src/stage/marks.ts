/** Drawings on the floor: the path with its checkpoints, the start of the cast, trails, and hits. */

import * as THREE from "three";

export type Place = [number, number]; // x and z, metres
export type Point = [number, number, number];

const ACCENT = 0xf2b84b;
const LIFT = 0.006; // metres above the floor, so that lines do not flicker through it

export interface CheckpointMark {
  readonly place: Place;
  readonly radius: number;
  readonly time?: number | null; // seconds before which it is not left
}

/** Checkpoints that can be taken and dragged. */
export class PathMarks {
  readonly group = new THREE.Group();
  private marks: CheckpointMark[] = [];

  show(marks: readonly CheckpointMark[]): void {
    this.marks = [...marks];
    this.draw();
  }

  places(): Place[] {
    return this.marks.map((mark) => mark.place);
  }

  /** The checkpoint under a place on the floor, or -1. */
  at(x: number, z: number): number {
    let best = -1, nearest = Infinity;
    this.marks.forEach((mark, number) => {
      const away = Math.hypot(mark.place[0] - x, mark.place[1] - z);
      if (away < Math.max(mark.radius, 0.35) && away < nearest) [best, nearest] = [number, away];
    });
    return best;
  }

  move(number: number, place: Place): void {
    this.marks[number] = { ...this.marks[number], place };
    this.draw();
  }

  private draw(): void {
    clear(this.group);
    const points = this.marks.map(({ place }) => new THREE.Vector3(place[0], LIFT, place[1]));
    if (points.length > 1) this.group.add(dashed(points, ACCENT));
    this.marks.forEach((mark, number) => {
      const ring = flat(new THREE.RingGeometry(mark.radius - 0.035, mark.radius, 48), ACCENT, 0.95);
      const disc = flat(new THREE.CircleGeometry(mark.radius, 48), ACCENT, 0.16);
      const label = words(mark.time ? `${number + 1} · ${mark.time} s` : String(number + 1), "#f2b84b");
      for (const part of [ring, disc]) part.position.set(mark.place[0], LIFT + 0.001 * number, mark.place[1]);
      label.position.set(mark.place[0], 0.22, mark.place[1]);
      this.group.add(disc, ring, label);
    });
  }
}

/** The start place and direction of each member of the cast: the formation. */
export function formation(places: readonly Point[], colours: readonly number[]): THREE.Group {
  const group = new THREE.Group();
  const shape = new THREE.Shape([
    new THREE.Vector2(0, -0.34), new THREE.Vector2(0.17, 0.1), new THREE.Vector2(0, 0.02), new THREE.Vector2(-0.17, 0.1),
  ]);
  places.forEach(([x, z, degrees], number) => {
    const arrow = flat(new THREE.ShapeGeometry(shape), colours[number] ?? 0xffffff, 0.75);
    arrow.rotation.order = "YXZ";
    arrow.rotation.y = THREE.MathUtils.degToRad(degrees);
    arrow.position.set(x, LIFT, z);
    group.add(arrow);
  });
  return group;
}

/** A line along places on the floor (x, z one after the other). */
export function trail(places: Float32Array, colour: number): THREE.Line {
  const points = new Float32Array((places.length / 2) * 3);
  for (let i = 0; i < places.length / 2; i++) points.set([places[2 * i], LIFT, places[2 * i + 1]], 3 * i);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.8 }));
}

/** A disc on the floor. */
export function disc([x, z]: Place, radius: number, colour: number, opacity: number): THREE.Mesh {
  const mesh = flat(new THREE.CircleGeometry(radius, 40), colour, opacity);
  mesh.position.set(x, LIFT, z);
  return mesh;
}

/** A ring on the floor. */
export function ring([x, z]: Place, radius: number, colour: number): THREE.Mesh {
  const mesh = flat(new THREE.RingGeometry(radius - 0.04, radius, 40), colour, 0.95);
  mesh.position.set(x, LIFT, z);
  return mesh;
}

/** A straight line on the floor. */
export function line(places: readonly Place[], colour: number): THREE.Line {
  return trail(Float32Array.from(places.flat()), colour);
}

/** A ring around a character's feet. */
export function footRing(colour: number): THREE.Mesh {
  return flat(new THREE.RingGeometry(0.42, 0.47, 48), colour, 0.95);
}

/** A flash where something was struck. */
export function flash(): THREE.Sprite {
  const material = new THREE.SpriteMaterial({ map: burst(), transparent: true, depthTest: false, depthWrite: false });
  const sprite = new THREE.Sprite(material);
  sprite.renderOrder = 3;
  return sprite;
}

/** Words that always face the camera and keep their size on the screen. */
export function words(text: string, colour: string): THREE.Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = "600 44px system-ui, sans-serif";
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 36;
  canvas.height = 64;
  context.font = font;
  context.fillStyle = "rgba(20, 21, 24, 0.78)";
  context.beginPath();
  context.roundRect(0, 0, canvas.width, canvas.height, 18);
  context.fill();
  context.fillStyle = colour;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, canvas.width / 2, canvas.height / 2 + 2);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  const material = new THREE.SpriteMaterial({ map: texture, sizeAttenuation: false, depthTest: false, transparent: true });
  const sprite = new THREE.Sprite(material);
  const height = 0.02;
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  sprite.renderOrder = 4;
  return sprite;
}

export function clear(group: THREE.Group): void {
  for (const child of [...group.children]) {
    group.remove(child);
    child.traverse((part) => {
      if (part instanceof THREE.Mesh || part instanceof THREE.Line || part instanceof THREE.Sprite) {
        (part.geometry as THREE.BufferGeometry).dispose();
        const material = part.material as THREE.SpriteMaterial;
        material.map?.dispose();
        material.dispose();
      }
    });
  }
}

function flat(geometry: THREE.BufferGeometry, colour: number, opacity: number): THREE.Mesh {
  const material = new THREE.MeshBasicMaterial({
    color: colour, transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide,
  });
  geometry.rotateX(-Math.PI / 2); // shapes are drawn upright; their top is what lies behind, -z
  const mesh = new THREE.Mesh(geometry, material);
  mesh.renderOrder = 1;
  return mesh;
}

function dashed(points: THREE.Vector3[], colour: number): THREE.Line {
  const geometry = new THREE.BufferGeometry().setFromPoints(points);
  const material = new THREE.LineDashedMaterial({ color: colour, dashSize: 0.25, gapSize: 0.15, transparent: true, opacity: 0.9 });
  const line = new THREE.Line(geometry, material);
  line.computeLineDistances();
  return line;
}

let burstTexture: THREE.CanvasTexture | null = null;
function burst(): THREE.CanvasTexture {
  if (burstTexture) return burstTexture;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const context = canvas.getContext("2d")!;
  const glow = context.createRadialGradient(64, 64, 4, 64, 64, 60);
  glow.addColorStop(0, "rgba(255, 246, 222, 1)");
  glow.addColorStop(0.25, "rgba(255, 205, 110, 0.85)");
  glow.addColorStop(0.6, "rgba(255, 150, 60, 0.25)");
  glow.addColorStop(1, "rgba(255, 140, 50, 0)");
  context.fillStyle = glow;
  context.fillRect(0, 0, 128, 128);
  burstTexture = new THREE.CanvasTexture(canvas);
  burstTexture.colorSpace = THREE.SRGBColorSpace;
  return burstTexture;
}
