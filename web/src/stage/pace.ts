/** How long the JavaScript of a frame takes. */

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

  /** Means and the slow end, milliseconds. */
  figures(): { frames: number; update: number; updateSlow: number; whole: number; wholeSlow: number } {
    return {
      frames: this.updates.length,
      update: mean(this.updates), updateSlow: slow(this.updates),
      whole: mean(this.wholes), wholeSlow: slow(this.wholes),
    };
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** What 95 of 100 stay below. */
function slow(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
}
