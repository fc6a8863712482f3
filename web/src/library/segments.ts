/** Editing what a recording was cut into: move a boundary, split, merge, tag. Each gives new segments. */

import type { Segment } from "../messages";

const SHORTEST = 0.1; // seconds

export function segmentAt(segments: readonly Segment[], time: number): number {
  for (let i = segments.length - 1; i >= 0; i--) if (segments[i].start <= time) return i;
  return -1;
}

/** The boundary near a time: the segment that starts there, or -1. The first one does not move. */
export function boundaryNear(segments: readonly Segment[], time: number, within: number): number {
  let best = -1;
  for (let i = 1; i < segments.length; i++) {
    const away = Math.abs(segments[i].start - time);
    if (away <= within && (best < 0 || away < Math.abs(segments[best].start - time))) best = i;
  }
  return best;
}

export function moveBoundary(segments: readonly Segment[], number: number, time: number, seconds: number): Segment[] {
  const low = segments[number - 1].start + SHORTEST;
  const high = (segments[number + 1]?.start ?? seconds) - SHORTEST;
  const start = Math.min(Math.max(time, low), Math.max(high, low));
  return segments.map((one, i) => (i === number ? { ...one, start, edited: true } : one));
}

/** Cut a segment in two; both keep its tags. Nothing changes where a piece would be too short. */
export function split(segments: readonly Segment[], time: number, seconds: number): Segment[] {
  const number = segmentAt(segments, time);
  if (number < 0) return [...segments];
  const one = segments[number], stop = segments[number + 1]?.start ?? seconds;
  if (time - one.start < SHORTEST || stop - time < SHORTEST) return [...segments];
  const [before, after] = [{ ...one, edited: true }, { ...one, start: time, edited: true }];
  return [...segments.slice(0, number), before, after, ...segments.slice(number + 1)];
}

/** Join a segment with the one before it. */
export function merge(segments: readonly Segment[], number: number): Segment[] {
  if (number < 1 || number >= segments.length) return [...segments];
  return segments.flatMap((one, i) => (i === number ? [] : i === number - 1 ? [{ ...one, edited: true }] : [one]));
}

export function tag(segments: readonly Segment[], number: number, tags: Partial<Segment>): Segment[] {
  return segments.map((one, i) => (i === number ? { ...one, ...tags, edited: true } : one));
}
