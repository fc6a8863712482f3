/** The playhead: where it is, whether it runs, how fast, and what happens at the end. */

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

export class Player {
  time = 0; // seconds
  playing = false;
  loop = true;
  speed = 1;
  private readonly listeners = new Set<() => void>();

  constructor(public seconds = 0, public fps = 30) {}

  /** Called whenever something changed but the mere passing of time. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  toggle(): void {
    if (!this.playing && !this.loop && this.time >= this.seconds) this.time = 0;
    this.playing = !this.playing;
    this.changed();
  }

  play(): void {
    if (!this.playing) this.toggle();
  }

  pause(): void {
    if (this.playing) this.toggle();
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
    this.changed();
  }

  /** Let time pass. */
  advance(elapsed: number): void {
    if (!this.playing || this.seconds <= 0) return;
    this.time += elapsed * this.speed;
    if (this.time < this.seconds) return;
    if (this.loop) {
      this.time %= this.seconds;
    } else {
      this.time = this.seconds;
      this.playing = false;
      this.changed();
    }
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
