/** The playhead: where it is, whether it runs, how fast, and what happens at the end. */

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

export class Player {
  time = 0; // seconds
  playing = false;
  loop = true;
  speed = 1;
  backwards = false;
  range: readonly [number, number] | null = null; // seconds from in to out, that are played over and over
  private readonly listeners = new Set<() => void>();

  constructor(public seconds = 0, public fps = 30) {}

  /** Called whenever something changed but the mere passing of time. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  toggle(): void {
    this.backwards = false;
    if (!this.playing && !this.loop && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
    this.changed();
  }

  play(): void {
    if (!this.playing) this.toggle();
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  /** The beginning and the end of playing: the whole take, or from in to out. */
  get start(): number { return this.range?.[0] ?? 0; }
  get end(): number { return this.range?.[1] ?? this.seconds; }

  /** Play in a direction, as J and L do. */
  run(backwards: boolean): void {
    this.backwards = backwards;
    this.playing = true;
    this.changed();
  }

  /** Set in or out to where the playhead is; the other one gives way. */
  mark(end: "in" | "out"): void {
    const least = 1 / this.fps;
    const [from, until] = end === "in" ? [this.time, Math.max(this.end, this.time + least)] : [Math.min(this.start, this.time - least), this.time];
    this.range = [Math.max(from, 0), Math.min(until, this.seconds)];
    if (this.range[1] - this.range[0] < least / 2) this.range = null;
    this.changed();
  }

  clearRange(): void {
    this.range = null;
    this.changed();
  }

  /** Go to a moment; it may lie outside, the nearest one is taken. */
  seek(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.seconds);
    this.changed();
  }

  /** One frame, or several; stops playing. */
  step(frames: number): void {
    this.playing = false;
    this.seek((Math.round(this.time * this.fps) + frames) / this.fps);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }

  /** Another take: stay where we are if it is long enough. */
  load(seconds: number, fps: number): void {
    this.seconds = seconds;
    this.fps = fps;
    this.time = Math.min(this.time, seconds);
    if (this.range && this.range[1] > seconds) this.range = null;
    this.changed();
  }

  /** Let time pass. */
  advance(elapsed: number): void {
    if (!this.playing || this.seconds <= 0) return;
    const { start, end } = this, length = Math.max(end - start, 1 / this.fps);
    this.time += (this.backwards ? -1 : 1) * elapsed * this.speed;
    if (this.backwards ? this.time > start : this.time < end && (this.time >= start || !this.range)) return;
    if (this.loop) {
      this.time = start + ((((this.time - start) % length) + length) % length);
    } else {
      this.time = this.backwards ? start : end;
      this.playing = false;
      this.changed();
    }
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
