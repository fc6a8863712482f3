/** Pins and the decisions that they replace. */

import type { Pin } from "../document/values";

const SOON = 1.05; // seconds after its time within which a pin takes a decision

/** The number of the pin that took a character's decision at a moment, or -1. */
export function pinOf(pins: readonly Pin[], who: string, time: number): number {
  let best = -1;
  pins.forEach((pin, number) => {
    const late = time - pin.at;
    if (pin.who === who && late > -0.05 && late < SOON && (best < 0 || pin.at > pins[best].at)) best = number;
  });
  return best;
}
