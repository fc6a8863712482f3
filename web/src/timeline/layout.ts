/** The places of blocks and marks on the timeline, and the item under a pointer. */

import type { Block, TakeEvent, TakeHeader } from "../messages";
import { type Scale, timeAt, xOf } from "./scale";

export const RULER = 24; // pixels
const TALLEST = 36, SMALLEST = 15; // of a lane
const TOUCH = 5; // pixels beside a mark that still hit it

export interface Lanes {
  readonly height: number; // of one lane
  readonly first: number; // pixels of lanes that are scrolled away above
}

/** Lanes as tall as fit, never so small that they cannot be hit. */
export function lanesFor(characters: number, height: number, scrolled: number): Lanes {
  const lane = Math.min(Math.max((height - RULER) / Math.max(characters, 1), SMALLEST), TALLEST);
  const most = Math.max(characters * lane - (height - RULER), 0);
  return { height: lane, first: Math.min(Math.max(scrolled, 0), most) };
}

export function laneTop(lanes: Lanes, character: number): number {
  return RULER + character * lanes.height - lanes.first;
}

export function laneAt(lanes: Lanes, y: number, characters: number): number {
  if (y < RULER) return -1;
  const lane = Math.floor((y - RULER + lanes.first) / lanes.height);
  return lane < characters ? lane : -1;
}

/** The block that fills a tick, by bisection: blocks follow each other. */
export function blockAt(blocks: readonly Block[], tick: number): Block | null {
  let low = 0, high = blocks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (tick < block.start) high = middle - 1;
    else if (tick >= block.stop) low = middle + 1;
    else return block;
  }
  return null;
}

export interface Found {
  readonly who: number;
  readonly block: Block | null;
  readonly event: TakeEvent | null;
  readonly time: number;
}

/** The item under a pointer: marks lie over blocks. */
export function findAt(header: TakeHeader, scale: Scale, lanes: Lanes, x: number, y: number): Found | null {
  const who = laneAt(lanes, y, header.characters.length);
  if (who < 0) return null;
  const time = timeAt(scale, x);
  const event = header.events.find((one) =>
    laneOf(one) === who && Math.abs(xOf(scale, one.tick / header.fps) - x) <= TOUCH && isMark(one)) ?? null;
  return { who, block: blockAt(header.characters[who].blocks, time * header.fps), event, time };
}

/** A blow is marked where it is felt, everything else where it is done. */
export function laneOf(event: TakeEvent): number {
  return event.kind === "hit" || event.kind === "block" || event.kind === "caught" ? event.whom : event.who;
}

/** Responses are seen as blocks; they are no marks of their own. */
export function isMark(event: TakeEvent): boolean {
  return event.kind !== "response" && laneOf(event) >= 0;
}

/** The decision after or before a moment, of one character or of all (-1); null if there is none. */
export function neighbour(header: TakeHeader, time: number, who: number, direction: 1 | -1): number | null {
  const tick = time * header.fps;
  const own = header.decisions.filter((decision) => who < 0 || decision.who === who);
  const found = direction > 0
    ? own.find((decision) => decision.tick > tick + 0.01)
    : own.findLast((decision) => decision.tick < tick - 0.01);
  return found ? found.number : null;
}

const SHORTEST = 3; // letters: fewer say nothing

/** As much of an action's name as there is room for: its side is shortened first. */
export function fitting(name: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(name) <= room) return name;
  const short = name.replace(/^left /, "L ").replace(/^right /, "R ");
  if (widthOf(short) <= room) return short;
  for (let letters = short.length - 1; letters >= SHORTEST; letters--) {
    const shown = `${short.slice(0, letters).trimEnd()}…`;
    if (widthOf(shown) <= room) return shown;
  }
  return "";
}
