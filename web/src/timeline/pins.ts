/** Pins and the decisions that they replace. */

import type { Pin } from "../document/values";
import type { TakeHeader } from "../messages";

const SOON = 1.05; // seconds after its time within which a pin takes a decision
const EARLY = 0.05; // seconds: times in the file are rounded

/** The number of the pin that took a character's decision at a moment, or -1. */
export function pinOf(pins: readonly Pin[], who: string, time: number): number {
  let best = -1;
  pins.forEach((pin, number) => {
    const late = time - pin.at;
    if (pin.who === who && late > -EARLY && late < SOON && (best < 0 || pin.at > pins[best].at)) best = number;
  });
  return best;
}

/** The numbers of the pins that no decision of a take has followed. */
export function unmet(pins: readonly Pin[], { characters, fps }: Pick<TakeHeader, "characters" | "fps">): number[] {
  return pins.flatMap((pin, number) => {
    const blocks = characters.find((one) => one.name === pin.who)?.blocks ?? [];
    const met = blocks.some(({ cause, start }) => cause === "pinned" && start / fps > pin.at - EARLY && start / fps < pin.at + SOON);
    return met ? [] : [number];
  });
}

export function pinWords(pin: Pin): string {
  return `${pin.who} · ${pin.action} · ${pin.at.toFixed(1)} s`;
}
