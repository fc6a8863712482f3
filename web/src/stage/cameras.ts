/** Views of the stage: orbit by mouse, follow people, frame all, and views that are kept. */

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export interface View {
  readonly position: [number, number, number];
  readonly target: [number, number, number];
}

const EASE = 5; // per second: how quickly a followed camera catches up
const SLOTS = 4;
const NEAREST = 2.2; // metres to what is framed
const ROOM = 1.12; // around it
const ZOOM_EASE = 1.5; // per second
const FARTHEST = 60; // metres from which a camera still goes after people who part
const CLOSER = 0.7; // of the distance: if less would do, the camera comes closer; else it would never rest
const UP = new THREE.Vector3(0, 1, 0);

export class Cameras {
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 300);
  readonly controls: OrbitControls;
  following: number | null = null; // a character, or all together: -1
  private readonly goal = new THREE.Vector3();
  private zoom: number | null = null; // distance over the one that shows all characters; null: as it is now
  private flight: { from: View; to: View; passed: number; lasts: number } | null = null;

  constructor(element: HTMLElement, private readonly store: string) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.maxPolarAngle = Math.PI / 2 - 0.02;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 120;
    this.controls.screenSpacePanning = false;
    this.controls.addEventListener("start", () => { this.flight = null; });
    this.controls.addEventListener("end", () => { this.zoom = null; }); // a user who came closer wants to stay so close
    this.look({ position: [3.2, 1.9, 3.6], target: [0, 0.95, 1] });
  }

  look(view: View): void {
    this.flight = null;
    this.zoom = null;
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

  /** A view that shows all points, from where the camera is or from a direction. */
  framing(points: readonly THREE.Vector3[], direction?: THREE.Vector3): View {
    const centre = new THREE.Box3().setFromPoints(points as THREE.Vector3[]).getCenter(new THREE.Vector3());
    const toward = (direction ?? this.camera.position.clone().sub(this.controls.target)).clone().normalize();
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const away = Math.max(distanceToShow(points, centre, toward, tall, tall * this.camera.aspect), NEAREST);
    const position = centre.clone().addScaledVector(toward, away);
    position.y = Math.max(position.y, 0.5);
    return { position: position.toArray(), target: centre.toArray() };
  }

  /** Stay with a place that moves; the camera keeps its direction and distance. */
  follow(place: THREE.Vector3, elapsed: number): void {
    this.goal.copy(place).sub(this.controls.target);
    this.goal.y = 0;
    this.goal.multiplyScalar(1 - Math.exp(-EASE * elapsed));
    this.controls.target.add(this.goal);
    this.camera.position.add(this.goal);
  }

  /** Stay with all characters: where they part, the camera moves back. */
  followAll(points: readonly THREE.Vector3[], elapsed: number): void {
    const { position, target } = this.framing(points), centre = new THREE.Vector3(...target);
    this.follow(centre, elapsed);
    if (this.flight) return;
    const needed = Math.min(new THREE.Vector3(...position).distanceTo(centre), FARTHEST);
    const offset = this.camera.position.clone().sub(this.controls.target), away = offset.length();
    this.zoom ??= away / needed;
    const wanted = this.zoom * needed;
    if (wanted > CLOSER * away && wanted < away) return;
    offset.setLength(away + (wanted - away) * (1 - Math.exp(-ZOOM_EASE * elapsed)));
    this.camera.position.copy(this.controls.target).add(offset);
  }

  update(elapsed: number): void {
    if (this.flight) {
      this.flight.passed = Math.min(this.flight.passed + elapsed, this.flight.lasts);
      const x = this.flight.passed / this.flight.lasts, share = x * x * (3 - 2 * x);
      const mix = (a: number[], b: number[]): [number, number, number] =>
        a.map((value, i) => value + share * (b[i] - value)) as [number, number, number];
      this.camera.position.set(...mix(this.flight.from.position, this.flight.to.position));
      this.controls.target.set(...mix(this.flight.from.target, this.flight.to.target));
      if (x >= 1) this.flight = this.zoom = null;
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

/** Metres from a place from which all points are seen; `tall` and `wide` are tangents of half the view. */
export function distanceToShow(points: readonly THREE.Vector3[], from: THREE.Vector3, toward: THREE.Vector3, tall: number, wide: number): number {
  const right = new THREE.Vector3().crossVectors(UP, toward).normalize();
  const above = new THREE.Vector3().crossVectors(toward, right);
  // so far away that each point is just inside of the picture
  const seen = new THREE.Vector3();
  return points.reduce((most, point) => {
    seen.copy(point).sub(from);
    return Math.max(most, seen.dot(toward) + ROOM * Math.max(Math.abs(seen.dot(right)) / wide, Math.abs(seen.dot(above)) / tall));
  }, 0);
}
