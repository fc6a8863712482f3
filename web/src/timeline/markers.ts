/** Places in time with a note, kept in this browser for each scene. */

export interface Marker {
  readonly time: number; // seconds
  readonly note: string;
}

const PREFIX = "randori.markers.";

export function markersOf(key: string): Marker[] {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "[]") as Marker[];
  } catch {
    return [];
  }
}

/** Add a marker, or replace the one that is there; an empty note takes it away. */
export function setMarker(key: string, time: number, note: string): Marker[] {
  const rest = markersOf(key).filter((one) => Math.abs(one.time - time) > 0.02);
  const all = note ? [...rest, { time, note }].sort((a, b) => a.time - b.time) : rest;
  keepMarkers(key, all);
  return all;
}

export function keepMarkers(key: string, markers: readonly Marker[]): void {
  localStorage.setItem(PREFIX + key, JSON.stringify(markers));
}
