/** Times that something which is dragged on the timeline keeps to: actions, hits, markers, the playhead. */

import type { TakeHeader } from "../messages";
import type { Scale } from "./scale";

const PIXELS = 6; // within which it snaps

/** All moments of a take that something may be meant to happen at. */
export function moments(header: TakeHeader): number[] {
  const ticks = new Set<number>([0, header.frames - 1]);
  for (const { blocks } of header.characters) for (const { start, stop } of blocks) ticks.add(start).add(stop);
  for (const event of header.events) ticks.add(event.tick);
  return [...ticks].map((tick) => tick / header.fps);
}

/** The nearest of some moments, if it is near enough; else the time itself. */
export function snapped(time: number, known: readonly number[], scale: Scale): number {
  let best = time, nearest = PIXELS / scale.perSecond;
  for (const one of known) {
    const away = Math.abs(one - time);
    if (away < nearest) [best, nearest] = [one, away];
  }
  return best;
}
