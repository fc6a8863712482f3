/** Places in time with a note, as the scene file keeps them under [[markers]]. */

export interface Marker {
  readonly time: number; // seconds
  readonly note: string;
}

const SAME = 0.02; // seconds: nearer markers are one

export function markerAt(markers: readonly Marker[], time: number): Marker | undefined {
  return markers.find((one) => Math.abs(one.time - time) <= SAME);
}

/** Add a marker, or replace the one that is there; an empty note takes it away. */
export function withMarker(markers: readonly Marker[], time: number, note: string): Marker[] {
  const rest = markers.filter((one) => Math.abs(one.time - time) > SAME);
  return note ? [...rest, { time: Math.round(1000 * time) / 1000, note }].sort((a, b) => a.time - b.time) : rest;
}
