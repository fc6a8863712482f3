/** The stage: draws the poses that it is given, from any view. It knows nothing of the server. */

import * as THREE from "three";
import { Cameras } from "./cameras";
import { Crowd, type Figure } from "./crowd";
import { makeFloor } from "./floor";
import { Labels } from "./labels";
import { Lights } from "./lights";
import { flash, footRing, PathMarks } from "./marks";
import { Pace } from "./pace";
import { PieceMarks } from "./pieces";

const SKY = 0x23262c;
const ABSENT = -10; // metres: a character that far below the floor has not come yet
const FEW = 12; // people: of more a hand at the edge of the picture does not matter
const FLASH_SECONDS = 0.28;
const TALL = 1.8; // metres, for choosing people with the mouse
const CLICK = 5; // pixels that a click may move

type Pointer = { clientX: number; clientY: number };
export type Drag = (event: PointerEvent, done: boolean) => void;

export interface Flash {
  readonly time: number; // seconds
  readonly point: readonly [number, number, number];
  readonly strength: number; // 0 to 1
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly cameras: Cameras;
  readonly pace = new Pace();
  readonly path = new PathMarks();
  readonly formation = new THREE.Group();
  readonly pieces = new PieceMarks();
  readonly trails = new THREE.Group();
  readonly props = new THREE.Group();
  readonly canvas: HTMLCanvasElement;
  crowd = new Crowd([]);
  ghost: Crowd | null = null;
  selected = -1;
  /** Called before each picture: move the poses on, and say what time it is. */
  onFrame: (elapsed: number) => number = () => 0;
  /** Called when a character is chosen; -1 for none. */
  onSelect: (character: number) => void = () => {};
  /** Called while a checkpoint is dragged, and once more when it is let go. */
  onDragCheckpoint: (number: number, place: [number, number], done: boolean) => void = () => {};
  /** Something else to drag: gives a handler if there is something under the pointer. */
  onGrab: (event: PointerEvent) => Drag | null = () => null;
  /** Whether a click means the floor, even if a character stands in front of it. */
  throughPeople: (event: PointerEvent) => boolean = () => false;
  /** Called when the floor is clicked at a free place. */
  onFloor: (x: number, z: number) => void = () => {};

  private readonly renderer: THREE.WebGLRenderer;
  private readonly lights = new Lights(window.devicePixelRatio);
  private readonly labels = new Labels();
  private readonly flashes: THREE.Sprite[] = [];
  private readonly ring = footRing(0xf4f1ea);
  private hits: readonly Flash[] = [];
  private last = performance.now();
  private running = true;
  private dirty = true;

  constructor(readonly element: HTMLElement, store: string) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 0.92;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The stage. Drag to turn, scroll to come closer, click a character to choose it.");
    element.append(this.canvas);
    this.cameras = new Cameras(this.canvas, store);
    this.cameras.controls.addEventListener("change", () => { this.dirty = true; });
    this.scene.background = new THREE.Color(SKY);
    this.scene.fog = new THREE.Fog(SKY, 14, 60);
    this.ring.visible = false;
    this.scene.add(
      makeFloor(), this.lights.group, this.path.group, this.formation, this.pieces.group, this.trails, this.props, this.labels.group, this.ring,
      this.crowd.group,
    );
    for (let i = 0; i < 6; i++) {
      const sprite = flash();
      sprite.visible = false;
      this.flashes.push(sprite);
      this.scene.add(sprite);
    }
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    this.listen();
    requestAnimationFrame(this.frame);
  }

  /** Other people on the stage; their poses come with the next frame. */
  cast(figures: readonly Figure[], names: readonly string[]): void {
    this.crowd.dispose();
    this.crowd = new Crowd(figures);
    this.scene.add(this.crowd.group);
    this.labels.show(names);
    this.select(-1);
    this.pace.clear();
    this.dirty = true;
  }

  setHits(hits: readonly Flash[]): void {
    this.hits = hits;
  }

  setGhost(ghost: Crowd | null): void {
    this.ghost?.dispose();
    this.ghost = ghost;
    if (ghost) this.scene.add(ghost.group);
    this.dirty = true;
  }

  select(character: number): void {
    this.selected = character;
    this.ring.visible = character >= 0;
    this.labels.choose(character);
    this.dirty = true;
  }

  showNames(shown: boolean): void {
    this.labels.group.visible = shown;
    this.dirty = true;
  }

  /** Something else than time has changed. */
  refresh(): void {
    this.dirty = true;
  }

  /** The present root of a character. */
  place(character: number, out = new THREE.Vector3()): THREE.Vector3 {
    return out.fromArray(this.crowd.joints, this.crowd.offset(character));
  }

  /** Points around some of the characters, now. */
  boundsOf(characters: readonly number[]): THREE.Vector3[] {
    return characters.flatMap((character) => { const { x, z } = this.place(character); return around(x, z, 0.4); });
  }

  /** Points around all characters now: a view of these shows them all. */
  bounds(): THREE.Vector3[] {
    const points: THREE.Vector3[] = [], place = new THREE.Vector3(), few = this.crowd.figures.length <= FEW;
    for (let i = 0; i < this.crowd.figures.length; i++) {
      const { x, y, z } = this.place(i, place);
      if (y < ABSENT) continue;
      if (few) points.push(...around(x, z, 0.4));
      else points.push(new THREE.Vector3(x, 0, z), new THREE.Vector3(x, 2, z));
    }
    for (const [x, z] of this.path.places()) points.push(new THREE.Vector3(x, 0, z));
    return points.length > 0 ? points : around(0, 0, 2.5);
  }

  /** The picture as it is now, as PNG. */
  still(width = 1920): Promise<Blob | null> {
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(width / Math.max(this.element.clientWidth, 1));
    this.draw();
    return new Promise((resolve) => this.canvas.toBlob((blob) => {
      this.renderer.setPixelRatio(ratio);
      this.resize();
      resolve(blob);
    }, "image/png"));
  }

  dispose(): void {
    this.running = false;
    this.renderer.dispose();
    this.renderer.forceContextLoss(); // a browser has only a few contexts, and views come and go
    this.canvas.remove();
  }

  /** The point on the floor, or on a level above it, under a pointer; null in the sky. */
  floorAt(event: Pointer, height = 0): [number, number] | null {
    const hit = this.ray(event).intersectPlane(new THREE.Plane(UP, -height), new THREE.Vector3());
    return hit ? [hit.x, hit.z] : null;
  }

  /** The point under a pointer on an upright plane through a point, across the camera's view. */
  upright(event: Pointer, through: THREE.Vector3): THREE.Vector3 | null {
    const normal = this.cameras.camera.getWorldDirection(new THREE.Vector3()).setY(0).normalize();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, through);
    return this.ray(event).intersectPlane(plane, new THREE.Vector3());
  }

  /** The place of a point of the world on the page, in pixels. */
  onPage(point: THREE.Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    this.cameras.camera.updateMatrixWorld(); // it may have moved since the last picture
    const seen = point.clone().project(this.cameras.camera);
    return { x: box.left + (0.5 + 0.5 * seen.x) * box.width, y: box.top + (0.5 - 0.5 * seen.y) * box.height };
  }

  // ---- films of what is seen here

  private filming = false;

  /** Draw frames for a film, of their own size, until `endFilm`; the page's own pictures wait. */
  beginFilm(width: number, height: number): void {
    this.filming = true;
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.cameras.camera.aspect = width / height;
    this.cameras.camera.updateProjectionMatrix();
  }

  /** The picture of a moment whose poses are there already. */
  filmFrame(time: number, elapsed: number): Promise<Blob | null> {
    this.cameras.update(elapsed);
    this.follow(elapsed);
    this.decorate(time);
    this.draw();
    return new Promise((resolve) => { this.canvas.toBlob(resolve, "image/jpeg", 0.93); });
  }

  endFilm(): void {
    this.filming = false;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.resize();
  }

  private readonly frame = (now: number): void => {
    if (!this.running) return;
    requestAnimationFrame(this.frame);
    if (this.filming) return;
    const elapsed = Math.min((now - this.last) / 1000, 0.25); // a hidden page does not jump when it is back
    this.last = now;
    const started = performance.now();
    const time = this.onFrame(elapsed);
    const updated = performance.now();
    this.cameras.update(elapsed);
    if (!this.dirty) return;
    this.dirty = false;
    this.decorate(time);
    this.follow(elapsed);
    this.draw();
    this.pace.note(updated - started, performance.now() - started);
  };

  private draw(): void {
    const { camera, controls } = this.cameras;
    const away = camera.position.distanceTo(controls.target);
    this.lights.aim(controls.target, Math.min(0.75 * away, 40));
    const fog = this.scene.fog as THREE.Fog;
    fog.near = 8 + away;
    fog.far = 40 + 4 * away;
    this.renderer.render(this.scene, camera);
  }

  private follow(elapsed: number): void {
    const who = this.cameras.following;
    if (who === null || this.crowd.figures.length === 0) return;
    if (who >= 0) this.cameras.follow(this.place(who), elapsed);
    else this.cameras.followAll(this.bounds(), elapsed);
  }

  private decorate(time: number): void {
    const place = new THREE.Vector3();
    this.labels.place((who, out) => this.place(who, out), this.cameras.camera, (who) => this.crowd.wornBy(who)?.heights);
    if (this.selected >= 0) {
      this.place(this.selected, place);
      this.ring.position.set(place.x, 0.008, place.z);
    }
    const recent = this.hits.filter((hit) => hit.time <= time && time < hit.time + FLASH_SECONDS).slice(-this.flashes.length);
    this.flashes.forEach((sprite, i) => {
      const hit = recent[i];
      sprite.visible = hit !== undefined;
      if (!hit) return;
      const age = (time - hit.time) / FLASH_SECONDS;
      sprite.position.set(...hit.point);
      sprite.scale.setScalar((0.16 + 0.3 * hit.strength) * (0.5 + age));
      sprite.material.opacity = 1 - age;
    });
  }

  /** As large as its element is now. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0 || this.filming) return;
    this.renderer.setSize(width, height);
    this.cameras.camera.aspect = width / height;
    this.cameras.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private ray(event: Pointer): THREE.Ray {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height,
    );
    const caster = new THREE.Raycaster();
    this.cameras.camera.updateMatrixWorld();
    caster.setFromCamera(pointer, this.cameras.camera);
    return caster.ray;
  }

  /** The character under the pointer: the nearest upright post that its ray passes. */
  pick(event: Pointer): number {
    const ray = this.ray(event);
    let best = -1, nearest = Infinity;
    const foot = new THREE.Vector3(), head = new THREE.Vector3(), on = new THREE.Vector3(), off = new THREE.Vector3();
    for (let i = 0; i < this.crowd.figures.length; i++) {
      this.place(i, foot);
      const hips = foot.y;
      head.set(foot.x, Math.max(hips + 0.75, 0.4), foot.z);
      foot.y = Math.min(0.1, hips);
      if (hips < 0.5) head.y = TALL / 3;
      if (ray.distanceSqToSegment(foot, head, on, off) > 0.28 ** 2) continue;
      const away = on.distanceTo(ray.origin);
      if (away < nearest) [best, nearest] = [i, away];
    }
    return best;
  }

  private listen(): void {
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const drag = this.onGrab(event) ?? this.checkpointDrag(event);
      if (drag) this.drag(event, drag);
      else this.awaitClick(event);
    });
  }

  private checkpointDrag(start: PointerEvent): Drag | null {
    const taken = this.floorAt(start);
    const number = taken ? this.path.at(...taken) : -1;
    if (number < 0) return null;
    return (event, done) => {
      const [x, z] = this.floorAt(event) ?? taken!;
      const place: [number, number] = [Math.round(x * 100) / 100, Math.round(z * 100) / 100];
      this.path.move(number, place);
      this.dirty = true;
      this.onDragCheckpoint(number, place, done);
    };
  }

  private drag(start: PointerEvent, drag: Drag): void {
    this.cameras.controls.enabled = false;
    this.canvas.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent): void => drag(event, false);
    const stop = (event: PointerEvent): void => {
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", stop);
      this.canvas.removeEventListener("pointercancel", stop);
      this.cameras.controls.enabled = true;
      drag(event, true);
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", stop);
    this.canvas.addEventListener("pointercancel", stop);
  }

  private awaitClick(start: PointerEvent): void {
    this.canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > CLICK) return;
      const floor = this.floorAt(event);
      if (floor && this.throughPeople(event)) return this.onFloor(...floor);
      const who = this.pick(event);
      if (who < 0 && floor) this.onFloor(...floor);
      this.onSelect(who);
    }, { once: true });
  }
}

const UP = new THREE.Vector3(0, 1, 0);

/** The corners of a box around a character that stands there. */
export function around(x: number, z: number, reach: number): THREE.Vector3[] {
  return [0, 2].flatMap((y) => [[-reach, -reach], [-reach, reach], [reach, -reach], [reach, reach]].map(([dx, dz]) =>
    new THREE.Vector3(x + dx, y, z + dz)));
}
