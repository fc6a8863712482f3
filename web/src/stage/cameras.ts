/** Where the stage is seen from: orbit by mouse, follow people, frame all, and views that are kept. */

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export interface View {
  readonly position: [number, number, number];
  readonly target: [number, number, number];
}

const EASE = 5; // per second: how quickly a followed camera catches up
const SLOTS = 4;

export class Cameras {
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 300);
  readonly controls: OrbitControls;
  following: number | null = null; // a character, or everybody together: -1
  private readonly goal = new THREE.Vector3();
  private flight: { from: View; to: View; passed: number; lasts: number } | null = null;

  constructor(element: HTMLElement, private readonly store: string) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.maxPolarAngle = Math.PI / 2 - 0.02;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 120;
    this.controls.screenSpacePanning = false;
    this.controls.addEventListener("start", () => { this.flight = null; });
    this.look({ position: [3.2, 1.9, 3.6], target: [0, 0.95, 1] });
  }

  look(view: View): void {
    this.flight = null;
    this.camera.position.set(...view.position);
    this.controls.target.set(...view.target);
    this.controls.update();
  }

  /** Glide to a view. */
  fly(view: View, lasts = 0.45): void {
    this.flight = { from: this.view(), to: view, passed: 0, lasts };
  }

  view(): View {
    return {
      position: this.camera.position.toArray(),
      target: this.controls.target.toArray(),
    };
  }

  /** A view that shows a box of the world whole, from where the camera is or from a direction. */
  framing(box: THREE.Box3, direction?: THREE.Vector3): View {
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const toward = direction ?? this.camera.position.clone().sub(this.controls.target);
    toward.normalize();
    const half = THREE.MathUtils.degToRad(this.camera.fov / 2);
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    const away = Math.max((0.86 * sphere.radius) / Math.sin(narrow), 2.2); // the corners of the box are empty
    const position = sphere.center.clone().addScaledVector(toward, away);
    position.y = Math.max(position.y, 0.5);
    return { position: position.toArray(), target: sphere.center.toArray() };
  }

  /** Stay with a place that moves; the camera keeps its direction and distance. */
  follow(place: THREE.Vector3, elapsed: number): void {
    this.goal.copy(place).sub(this.controls.target);
    this.goal.y = 0;
    this.goal.multiplyScalar(1 - Math.exp(-EASE * elapsed));
    this.controls.target.add(this.goal);
    this.camera.position.add(this.goal);
  }

  update(elapsed: number): void {
    if (this.flight) {
      this.flight.passed = Math.min(this.flight.passed + elapsed, this.flight.lasts);
      const x = this.flight.passed / this.flight.lasts, share = x * x * (3 - 2 * x);
      const mix = (a: number[], b: number[]): [number, number, number] =>
        a.map((value, i) => value + share * (b[i] - value)) as [number, number, number];
      this.camera.position.set(...mix(this.flight.from.position, this.flight.to.position));
      this.controls.target.set(...mix(this.flight.from.target, this.flight.to.target));
      if (x >= 1) this.flight = null;
    }
    this.controls.update();
  }

  /** Views that were kept in this browser, by slot. */
  kept(): (View | null)[] {
    try {
      const saved = JSON.parse(localStorage.getItem(this.store) ?? "[]") as (View | null)[];
      return Array.from({ length: SLOTS }, (_, slot) => saved[slot] ?? null);
    } catch {
      return Array.from({ length: SLOTS }, () => null);
    }
  }

  keep(slot: number): void {
    const views = this.kept();
    views[slot] = this.view();
    localStorage.setItem(this.store, JSON.stringify(views));
  }
}
