/** An option as a ghost: the action of a character, over and over, while it is pointed at. */

import * as THREE from "three";
import { frameAt, type Take } from "../take/buffer";
import { placeJoints } from "../take/pose";
import { Crowd } from "./crowd";
import { freeSide } from "./sides";
import type { Stage } from "./stage";

const COLOUR: [number, number, number] = [0.99, 0.84, 0.5];
const ITSELF = 0.4; // metres from the ghost's first pose: a body that is nearer is the character itself
const REST = 0.35; // seconds that the last pose is held

export class Ghost {
  private take: Take | null = null;
  private time = 0;

  constructor(private readonly stage: Stage) {}

  show(take: Take | null): void {
    this.take = take;
    this.time = 0;
    this.stage.setGhost(take && new Crowd(take.rigs.map((rig) => ({ rig, outfit: Array.from({ length: 7 }, () => COLOUR) })), true));
    this.stand();
    this.pose();
  }

  /** Beside the body, as the camera sees it, on the side where nobody else stands. */
  private stand(): void {
    const { take } = this, { ghost, cameras, crowd } = this.stage;
    if (!ghost || !take) return;
    const right = new THREE.Vector3().setFromMatrixColumn(cameras.camera.matrixWorld, 0).setY(0).normalize();
    const own = new THREE.Vector3(...take.motions[0].roots), across = (at: THREE.Vector3): number => at.clone().sub(own).dot(right);
    const others = crowd.figures.map((_, who) => this.stage.place(who)).filter((at) => Math.hypot(at.x - own.x, at.z - own.z) > ITSELF).map(across);
    ghost.group.position.copy(right.multiplyScalar(freeSide(others)));
  }

  /** Called with every picture. */
  advance(elapsed: number): void {
    if (!this.take) return;
    this.time = (this.time + elapsed) % (this.take.seconds + REST);
    this.pose();
  }

  private pose(): void {
    const { take } = this, crowd = this.stage.ghost;
    if (!take || !crowd) return;
    const { frame, share } = frameAt(this.time, take.fps, take.frames);
    take.motions.forEach((motion, who) => placeJoints(take.rigs[who], motion, frame, share, crowd.joints, crowd.offset(who)));
    crowd.update();
    this.stage.refresh();
  }
}
