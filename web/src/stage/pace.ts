/** The time that the JavaScript of a frame takes. */

const KEPT = 240; // frames

export class Pace {
  private readonly updates: number[] = [];
  private readonly wholes: number[] = [];

  /** Milliseconds of updating the poses, and of the whole frame with the calls to the graphics library. */
  note(update: number, whole: number): void {
    this.updates.push(update);
    this.wholes.push(whole);
    if (this.updates.length > KEPT) {
      this.updates.shift();
      this.wholes.shift();
    }
  }

  clear(): void {
    this.updates.length = this.wholes.length = 0;
  }

  /** The milliseconds that half of the frames, and 95 of 100, stay below. */
  figures(): { frames: number; update: number; updateSlow: number; whole: number; wholeSlow: number } {
    return {
      frames: this.updates.length,
      update: below(this.updates, 0.5), updateSlow: below(this.updates, 0.95),
      whole: below(this.wholes, 0.5), wholeSlow: below(this.wholes, 0.95),
    };
  }
}

function below(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
