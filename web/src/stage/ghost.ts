/** An option as a ghost: the action of a character, over and over, while it is pointed at. */

import * as THREE from "three";
import { frameAt, type Take } from "../take/buffer";
import { placeJoints } from "../take/pose";
import { Crowd } from "./crowd";
import type { Stage } from "./stage";

const COLOUR: [number, number, number] = [0.99, 0.84, 0.5];
const BESIDE = 0.75; // metres
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

  /** Beside the body, as the camera sees it: inside it nothing of the ghost would be seen. */
  private stand(): void {
    const { ghost, cameras } = this.stage;
    if (!ghost) return;
    const right = new THREE.Vector3().setFromMatrixColumn(cameras.camera.matrixWorld, 0).setY(0).normalize();
    ghost.group.position.copy(right.multiplyScalar(BESIDE));
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
