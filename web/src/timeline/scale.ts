/** Time along the width of the timeline: which stretch is seen, and how it is zoomed and panned. */

export interface Scale {
  readonly start: number; // seconds at the left edge
  readonly perSecond: number; // pixels
}

const SHORTEST = 0.5; // seconds that fill the width at the closest zoom
const ROOM = 1.02; // of the whole take, that is seen at the widest zoom

export function fit(seconds: number, width: number): Scale {
  return { start: 0, perSecond: width / Math.max(seconds * ROOM, SHORTEST) };
}

export function xOf(scale: Scale, time: number): number {
  return (time - scale.start) * scale.perSecond;
}

export function timeAt(scale: Scale, x: number): number {
  return scale.start + x / scale.perSecond;
}

/** Zoom by a factor; what is at x stays there. */
export function zoom(scale: Scale, factor: number, x: number, seconds: number, width: number): Scale {
  const closest = width / SHORTEST, widest = fit(seconds, width).perSecond;
  const perSecond = Math.min(Math.max(scale.perSecond * factor, widest), closest);
  return inside({ start: timeAt(scale, x) - x / perSecond, perSecond }, seconds, width);
}

export function pan(scale: Scale, pixels: number, seconds: number, width: number): Scale {
  return inside({ ...scale, start: scale.start + pixels / scale.perSecond }, seconds, width);
}

/** A stretch from edge to edge, with a little room. */
export function stretch(from: number, until: number, seconds: number, width: number): Scale {
  const long = Math.max((until - from) * 1.1, SHORTEST), middle = (from + until) / 2;
  const perSecond = Math.max(width / long, fit(seconds, width).perSecond);
  return inside({ start: middle - width / perSecond / 2, perSecond }, seconds, width);
}

/** Turn the page when the playhead leaves it. */
export function reveal(scale: Scale, time: number, seconds: number, width: number): Scale {
  const x = xOf(scale, time);
  if (x >= 0 && x <= width) return scale;
  return inside({ ...scale, start: time - 0.1 * (width / scale.perSecond) }, seconds, width);
}

/** Distances between the ruler's marks: 1, 2 or 5 of a power of ten, at least `pixels` apart. */
export function rulerStep(scale: Scale, pixels = 70): number {
  const wanted = pixels / scale.perSecond;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= wanted) ?? 10 * power;
}

function inside(scale: Scale, seconds: number, width: number): Scale {
  const seen = width / scale.perSecond;
  const last = Math.max(seconds * ROOM - seen, 0);
  return { ...scale, start: Math.min(Math.max(scale.start, 0), last) };
}
