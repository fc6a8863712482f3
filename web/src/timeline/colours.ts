/** Colours of the timeline, and of kinds of actions: a fill that words are read on, and an edge that stands out from it. */

export interface KindColour {
  readonly fill: string;
  readonly edge: string;
}

export interface Palette {
  readonly ground: string;
  readonly lane: string;
  readonly chosen: string; // lane of the chosen character
  readonly low: string; // behind the curves
  readonly text: string;
  readonly quiet: string;
  readonly words: string; // on blocks
  readonly strong: string; // frame of the chosen block
  readonly grid: string;
  readonly hatch: string;
  readonly outside: string; // over what is not played
  readonly beyond: string; // after the end
  readonly outline: string; // of marks
  readonly accent: string; // pins, In and Out
  readonly warning: string;
  readonly marker: string;
  readonly shots: readonly [string, string]; // in turn
  readonly shotEdge: string;
  readonly curves: Readonly<Record<"" | "red" | "blue", string>>;
  readonly kinds: Readonly<Record<string, KindColour>>;
  readonly other: KindColour;
}

const kind = (fill: string, edge: string): KindColour => ({ fill, edge });

export const DARK: Palette = {
  ground: "#17191d", lane: "#1e2126", chosen: "#2a2e36", low: "#15171a", text: "#d4d7dd", quiet: "#aeb4bf", words: "#f3f1ec", strong: "#ffffff",
  grid: "rgba(255, 255, 255, 0.06)", hatch: "rgba(255, 255, 255, 0.13)", outside: "rgba(0, 0, 0, 0.45)", beyond: "rgba(0, 0, 0, 0.35)",
  outline: "#101114", accent: "#f2b84b", warning: "#ff7a66", marker: "#7fd0ff", shots: ["#3d5a4c", "#4a4a6b"], shotEdge: "#dfe6da",
  curves: { "": "#d8d2c4", red: "#ff9c8a", blue: "#86bdff" },
  kinds: {
    attack: kind("#86301f", "#ff8a6b"), defence: kind("#1d4f7f", "#74b7ff"), transition: kind("#3b4049", "#8d96a5"),
    locomotion: kind("#2c5442", "#77cfa0"), reaction: kind("#5b3a82", "#c39bff"), fall: kind("#7a2450", "#ff8cc0"),
    rise: kind("#6a4a1a", "#f0bd6a"), luggage: kind("#6b5413", "#e9cb5a"), target: kind("#1f5a5f", "#6fd6dd"),
  },
  other: kind("#343841", "#7d8593"),
};

export const LIGHT: Palette = {
  ground: "#f8f7f4", lane: "#ecebe6", chosen: "#dcd9d0", low: "#f1efea", text: "#26282d", quiet: "#575c66", words: "#1c1d20", strong: "#1c1d20",
  grid: "rgba(0, 0, 0, 0.08)", hatch: "rgba(0, 0, 0, 0.13)", outside: "rgba(90, 86, 78, 0.4)", beyond: "rgba(90, 86, 78, 0.25)",
  outline: "#26282d", accent: "#b87a00", warning: "#c4321c", marker: "#0e6fb0", shots: ["#c4dccf", "#d0d0e8"], shotEdge: "#3d5a4c",
  curves: { "": "#4a4d55", red: "#b8371f", blue: "#1f62b0" },
  kinds: {
    attack: kind("#f0b5a6", "#b23417"), defence: kind("#b0d1f2", "#1d62a8"), transition: kind("#d3d5d9", "#7a818d"),
    locomotion: kind("#b9dfca", "#24784e"), reaction: kind("#d8c4f2", "#6d3fae"), fall: kind("#f4bcd6", "#ad1f68"),
    rise: kind("#f2d7aa", "#96610f"), luggage: kind("#ecdc9f", "#7d6508"), target: kind("#b2dfe2", "#14747b"),
  },
  other: kind("#dadce0", "#7d8593"),
};

export function colourOf(name: string, palette: Palette = DARK): KindColour {
  return palette.kinds[name] ?? palette.other;
}

const MARKS: Record<string, string> = {
  hit: "#ffcf5c",
  block: "#9fd3ff",
  caught: "#ff9ad1",
  checkpoint: "#8ff0b0",
  request: "#e7c8ff",
};

export function markColour(name: string): string {
  return MARKS[name] ?? "#e6e3dc";
}
