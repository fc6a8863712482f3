/** Moments of a take. */

import type { Take } from "./buffer";

/** Seconds of the moment that tells most of a take. */
export function tellingMoment({ header: { events, fps, frames } }: Pick<Take, "header">): number {
  const hits = events.filter((event) => event.kind === "hit"), best = hits.toSorted((a, b) => b.strength - a.strength)[0];
  return best ? best.tick / fps : (frames - 1) / fps / 2;
}
