/** The last seconds of a live session, and the clock that shows them. */

import type { FramesMessage } from "../take/buffer";
import type { Motion } from "../take/pose";

const KEPT = 512; // frames
const BEHIND = 0.75; // of the ticks that the server is ahead: from there on the clock slows down

export class LiveFrameStore {
  readonly motions: Motion[]; // by character; the frame of a tick is `indexOf(tick)`
  readonly props: Float32Array; // [2 * KEPT][props][4]
  newest = 0; // the last tick that has arrived
  oldest = Infinity;

  constructor(readonly characters: number, readonly joints: number, readonly propCount: number) {
    // everything stands twice, so that a frame and the next one are always neighbours
    this.motions = Array.from({ length: characters }, () => ({
      roots: new Float32Array(2 * KEPT * 3), turns: new Int16Array(2 * KEPT * joints * 4), frames: 2 * KEPT, joints,
    }));
    this.props = new Float32Array(2 * KEPT * propCount * 4);
  }

  indexOf(tick: number): number {
    return tick % KEPT;
  }

  push(message: FramesMessage): void {
    const { characters, joints, propCount } = this;
    this.newest = Math.min(this.newest, message.tick - 1); // frames that were sent for later are planned again
    for (let f = 0; f < message.frames; f++) {
      const tick = message.tick + f;
      for (const index of [this.indexOf(tick), this.indexOf(tick) + KEPT]) {
        for (let who = 0; who < characters; who++) {
          const at = f * characters + who;
          this.motions[who].roots.set(message.roots.subarray(3 * at, 3 * at + 3), 3 * index);
          this.motions[who].turns.set(message.turns.subarray(4 * joints * at, 4 * joints * (at + 1)), 4 * joints * index);
        }
        this.props.set(message.props.subarray(4 * propCount * f, 4 * propCount * (f + 1)), 4 * propCount * index);
      }
      this.newest = Math.max(this.newest, tick);
      this.oldest = Math.max(Math.min(this.oldest, message.tick), this.newest - KEPT + 2);
    }
  }
}

/** Shows ticks evenly; never goes past what has arrived. */
export class LiveClock {
  tick = 0; // with a share of the next one
  waiting = true;

  constructor(private readonly fps: number, private readonly ahead: number) {}

  advance(elapsed: number, store: { newest: number; oldest: number }): void {
    if (store.oldest === Infinity) return;
    const room = store.newest - this.tick;
    if (this.waiting) {
      // after a gap, wait until enough is there to go on evenly
      if (room < Math.min(this.ahead * 0.5, 4)) return;
      this.waiting = false;
    }
    const pace = room < this.ahead * (1 - BEHIND) ? 0.9 : room > this.ahead * 1.5 ? 1.1 : 1;
    const next = Math.max(this.tick + elapsed * this.fps * pace, store.oldest);
    this.waiting = next >= store.newest;
    // ticks that were shown already and are planned again are waited for, not shown again
    this.tick = Math.max(this.tick, Math.min(next, store.newest));
  }
}
