/** Figures of a take over time: how far apart opponents are, and how much each side has struck the other. */

import type { TakeHeader } from "../messages";
import type { Motion } from "../take/pose";

export interface Curve {
  readonly title: string;
  readonly side: "" | "red" | "blue"; // the team that it is about
  readonly step: number; // ticks from value to value
  readonly most: number; // that fills the height
  readonly values: readonly number[];
}

const STEP = 3; // ticks
const FAR = 4; // metres that fill the height at least
const FEW = 12; // characters: for more, distances say nothing
const SIDES = ["red", "blue"] as const; // as teams are called in the form;

/** The nearest distance between opponents, tick by tick. */
export function distances(header: TakeHeader, motions: readonly Motion[]): number[] {
  const pairs = header.characters.flatMap((a, i) => header.characters.flatMap((b, j) => (i < j && a.team !== b.team ? [[i, j]] : [])));
  return Array.from({ length: Math.ceil(header.frames / STEP) }, (_, k) => {
    const at = 3 * k * STEP;
    return Math.min(...pairs.map(([i, j]) => Math.hypot(motions[i].roots[at] - motions[j].roots[at], motions[i].roots[at + 2] - motions[j].roots[at + 2])));
  });
}

/** The damage that a team has done so far. */
export function damage(header: TakeHeader, team: number): number[] {
  const made = new Array<number>(Math.ceil(header.frames / STEP)).fill(0);
  for (const event of header.events) {
    if (event.kind === "hit" && (header.characters[event.who]?.team > 0 ? 1 : 0) === team) made[Math.min(Math.floor(event.tick / STEP), made.length - 1)] += event.strength;
  }
  let sum = 0;
  return made.map((amount) => (sum += amount));
}

export function curvesOf(header: TakeHeader, motions: readonly Motion[]): Curve[] {
  const teams = new Set(header.characters.map((one) => one.team));
  if (teams.size < 2 || header.characters.length > FEW) return [];
  const apart = distances(header, motions), hits = SIDES.map((_, team) => damage(header, team));
  const most = Math.max(1, ...hits.flat()), far = Math.max(FAR, Math.ceil(Math.max(...apart)));
  return [
    { title: `distance, 0–${far} m`, side: "", step: STEP, most: far, values: apart },
    ...SIDES.map((side, team) => ({ title: `damage by ${side}`, side, step: STEP, most, values: hits[team] })),
  ];
}
