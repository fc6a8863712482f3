/** Colours of kinds of actions: a dark fill that white words are read on, and a bright edge. */

export interface KindColour {
  readonly fill: string;
  readonly edge: string;
}

const KINDS: Record<string, KindColour> = {
  attack: { fill: "#86301f", edge: "#ff8a6b" },
  defence: { fill: "#1d4f7f", edge: "#74b7ff" },
  transition: { fill: "#3b4049", edge: "#8d96a5" },
  locomotion: { fill: "#2c5442", edge: "#77cfa0" },
  reaction: { fill: "#5b3a82", edge: "#c39bff" },
  fall: { fill: "#7a2450", edge: "#ff8cc0" },
  rise: { fill: "#6a4a1a", edge: "#f0bd6a" },
  luggage: { fill: "#6b5413", edge: "#e9cb5a" },
  target: { fill: "#1f5a5f", edge: "#6fd6dd" },
};
const OTHER: KindColour = { fill: "#343841", edge: "#7d8593" };

export function colourOf(kind: string): KindColour {
  return KINDS[kind] ?? OTHER;
}

const MARKS: Record<string, string> = {
  hit: "#ffcf5c",
  block: "#9fd3ff",
  caught: "#ff9ad1",
  checkpoint: "#8ff0b0",
  request: "#e7c8ff",
};

export function markColour(kind: string): string {
  return MARKS[kind] ?? "#e6e3dc";
}
