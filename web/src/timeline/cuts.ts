/** Camera cuts: from a moment on, the take is seen from a view. Kept in this browser for each scene. */

import type { View } from "../stage/cameras";

export interface Cut {
  readonly time: number; // seconds
  readonly view: View;
  readonly following: number | null; // as in Cameras
}

const PREFIX = "randori.cuts.";
const SAME = 0.02; // seconds: nearer cuts are one

export function cutsOf(key: string): Cut[] {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "[]") as Cut[];
  } catch {
    return [];
  }
}

export function keepCuts(key: string, cuts: readonly Cut[]): void {
  localStorage.setItem(PREFIX + key, JSON.stringify(cuts));
}

/** Add a cut in the order of time; one at the same moment is replaced. */
export function withCut(cuts: readonly Cut[], cut: Cut): Cut[] {
  return [...cuts.filter((one) => Math.abs(one.time - cut.time) > SAME), cut].sort((a, b) => a.time - b.time);
}

/** Move a cut in time; it stays between its neighbours. */
export function movedCut(cuts: readonly Cut[], number: number, time: number): Cut[] {
  const low = number > 0 ? cuts[number - 1].time + SAME : 0, high = number + 1 < cuts.length ? cuts[number + 1].time - SAME : Infinity;
  return cuts.map((cut, place) => (place === number ? { ...cut, time: Math.max(low, Math.min(time, high)) } : cut));
}

/** The number of the cut that is seen at a moment; the first one counts from the start, -1 if there is none. */
export function cutAt(cuts: readonly Cut[], time: number): number {
  return cuts.length ? Math.max(cuts.findLastIndex((cut) => cut.time <= time + 1e-6), 0) : -1;
}
