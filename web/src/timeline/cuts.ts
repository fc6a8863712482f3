/** Camera cuts: from a moment on, the take is seen from a view. The scene file keeps them. */

import type { View } from "../stage/cameras";

export interface Cut {
  readonly time: number; // seconds
  readonly view: View;
  readonly following: number | null; // as in Cameras
}

const SAME = 0.02; // seconds: nearer cuts are one
const ALL = "all"; // what a shot follows in the scene file

/** A cut as the scene file has it, under [[shots]]. */
export interface Shot {
  readonly time: number;
  readonly position: [number, number, number];
  readonly target: [number, number, number];
  readonly follow?: string; // the name of a character, or "all"
}

export function cutsOf(shots: readonly Shot[], names: readonly string[]): Cut[] {
  return shots.map(({ time, position, target, follow }) => {
    const who = follow ? names.indexOf(follow) : -1;
    return { time, view: { position, target }, following: who >= 0 ? who : follow === ALL ? -1 : null };
  }).sort((a, b) => a.time - b.time);
}

export function shotsOf(cuts: readonly Cut[], names: readonly string[]): Shot[] {
  return cuts.map(({ time, view, following }) => {
    const shot = { time: rounded(time), position: place(view.position), target: place(view.target) };
    return following === null ? shot : { ...shot, follow: names[following] ?? ALL };
  });
}

function place([x, y, z]: readonly [number, number, number]): [number, number, number] {
  return [rounded(x), rounded(y), rounded(z)];
}

/** To the millimetre and the millisecond: what a person reads in the file. */
function rounded(value: number): number {
  return Math.round(1000 * value) / 1000 + 0; // no minus zero
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
