/** The score of a decision, in words. */

import type { OptionRow, Step, TakeHeader, WeighedOption } from "../messages";

export const SMALL = 1e-6; // difference in value that is none
const CLOSE = 20; // options whose bars differ: the worst of hundreds would make all others look alike
const SHORTEST = 6; // percent
const UNLIKELY = 1e4; // times as much: no user would turn a weight up so far

/** The terms of a score, called like the weights behind them. */
export const TERM_WEIGHTS: Record<string, string> = {
  stance: "Facing and keeping distance", path: "Path", control: "Haste and no repeats", pairing: "Fitting defences", request: "Obedience",
  temper: "Initiative, readiness to defend, aim, breath and variety",
};

const STILL = 0.1; // metres below which an option stays in its place
const STRAIGHT = 10; // degrees below which it does not turn

/** What tells an option from others of the same name: its length, and where it leads. */
export function course({ seconds, ahead, left, turn }: Pick<WeighedOption, "seconds" | "ahead" | "left" | "turn">): string {
  const ways = [[ahead, "ahead", "back"], [left, "to the left", "to the right"]] as const;
  const moved = ways.filter(([metres]) => Math.abs(metres) >= STILL).map(([metres, on, back]) => `${Math.abs(metres).toFixed(1)} m ${metres > 0 ? on : back}`);
  const turned = Math.abs(turn) < STRAIGHT ? [] : [`turns ${Math.round(Math.abs(turn))}° ${turn > 0 ? "left" : "right"}`];
  return [`${seconds.toFixed(1)} s`, ...(moved.length + turned.length ? [...moved, ...turned] : ["in place"])].join(", ");
}

/** Options of one name together, in the order of the first of each. */
export function byName(options: readonly OptionRow[]): OptionRow[][] {
  const found = new Map<string, OptionRow[]>();
  for (const option of options) found.set(option.name, [...found.get(option.name) ?? [], option]);
  return [...found.values()];
}

/** The value of an option; before that is known, its score by itself. */
export function valueOf(option: OptionRow, known?: ReadonlyMap<number, { readonly value: number }>): number | null {
  return known ? known.get(option.action)?.value ?? null : option.total;
}

/** The distance of an option from being chosen, and the weight that would do most for it. */
export function whatItTakes(option: OptionRow, chosen: OptionRow, known?: ReadonlyMap<number, { readonly value: number }>): string {
  const mine = valueOf(option, known), best = valueOf(chosen, known);
  if (mine === null || best === null) return "It was not compared.";
  const gap = best - mine;
  if (gap <= SMALL) return "Its value is the same; the first one was taken.";
  const helps = Object.keys(option.terms).map((term): [string, number] => [term, option.terms[term] - (chosen.terms[term] ?? 0)])
    .filter(([, ahead]) => ahead > SMALL).map(([term, ahead]): [string, number] => [term, 1 + gap / ahead])
    .filter(([, times]) => times < UNLIKELY).sort((a, b) => a[1] - b[1]);
  const short = `Its value is ${number(gap)} less.`;
  if (helps.length === 0) return `${short} No weight speaks for it here: only Take, or another situation, would do.`;
  const [term, times] = helps[0];
  return `${short} It would be about even if “${TERM_WEIGHTS[term] ?? term}” counted ${times < 10 ? times.toFixed(1) : times.toFixed(0)} times as much.`;
}

/** How long the bar of a value is, in percent. The options that come close are told apart; all others have the shortest bar. */
export function barLength(value: number, all: readonly number[]): number {
  const sorted = [...all].sort((a, b) => b - a), high = sorted[0], low = sorted[Math.min(CLOSE, sorted.length) - 1];
  if (high - low < SMALL) return value < low - SMALL ? SHORTEST : 100;
  return SHORTEST + (100 - SHORTEST) * Math.min(Math.max((value - low) / (high - low), 0), 1);
}

/** The line of play as a sentence. */
export function expected(header: Pick<TakeHeader, "characters" | "fps">, line: readonly Step[]): string {
  const steps = line.map((step) => `${header.characters[step.who].name} ${verb(step)} at ${(step.tick / header.fps).toFixed(1)} s`);
  return `${steps.join(", then ")}.`;
}

function verb({ kind, name }: Step): string {
  if (kind === "attack") return `attacks with ${article(name)}`;
  if (kind === "defence") return `answers with ${article(name)}`;
  if (kind === "transition" && name === "stand") return "waits";
  return `goes on with ${article(name)}`;
}

function article(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}

export function number(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1000 ? value.toLocaleString("en", { notation: size >= 1e5 ? "compact" : "standard", maximumSignificantDigits: 3 }) : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text.replace("-", "−");
}
