/** The changes of a control, as edits of the scene's text. */

import type { Edit } from "../messages";

type Way = (string | number)[];

export function set(at: Way, value: unknown): Edit {
  return { do: "set", at, value };
}

export function remove(at: Way): Edit {
  return { do: "delete", at, value: null };
}

export function append(list: Way, value: unknown): Edit {
  return { do: "insert", at: [...list, -1], value };
}

/** Set a value. Nothing means what is usual: the value is taken out of the file, if it stands there. */
export function put(at: Way, value: unknown, current: unknown): Edit[] {
  if (value !== null && value !== undefined) return [set(at, value)];
  return current === null || current === undefined ? [] : [remove(at)];
}

/** A weight of one of the cast; the style's own weight is not written. */
export function setWeight(
  member: number, weight: string, value: number, style: Record<string, number>, own: Record<string, number>,
): Edit[] {
  if (value !== style[weight]) return [set(["cast", member, "weights", weight], value)];
  if (!(weight in own)) return [];
  return Object.keys(own).length === 1
    ? [remove(["cast", member, "weights"])]
    : [remove(["cast", member, "weights", weight])];
}

/** Another controller: keys that only other controllers know go out of the file. */
export function controllerEdits(member: number, controller: string, keys: Record<string, readonly string[]>): Edit[] {
  const foreign = new Set(Object.values(keys).flat().filter((key) => !keys[controller]?.includes(key)));
  return [set(["cast", member, "controller"], controller), ...[...foreign].map((key) => remove(["cast", member, key]))];
}

export function moveCheckpoint(number: number, place: [number, number]): Edit {
  return set(["path", number, "place"], place);
}

export interface Row {
  defence: string;
  attack: string;
  position: string;
  suitability: number;
}

/** A row of the combination table: amended where there is one for the same pair, else added. */
export function setRow(rows: readonly Row[], row: Row): Edit {
  const number = rows.findIndex((one) =>
    one.defence === row.defence && one.attack === row.attack && one.position === row.position);
  if (number >= 0) return set(["combination", number, "suitability"], row.suitability);
  const { position, ...others } = row;
  return append(["combination"], position ? row : others);
}
