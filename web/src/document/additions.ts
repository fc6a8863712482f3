/** Parts of a scene that have no place on the stage: what may be added, and the edits that do it. */

import type { Edit, UsualPatterns } from "../messages";
import { append, remove, set } from "./edits";
import { nameMotions, opponents } from "./pieces";
import type { SceneValues } from "./values";

type Way = (string | number)[];
type Row = Record<string, unknown>;

export interface Addition {
  readonly title: string;
  readonly help: string;
  /** Why it cannot be added now, or "". */
  readonly lacks: (values: SceneValues) => string;
  readonly make: (values: SceneValues) => Edit[];
}

const fighters = (values: SceneValues): SceneValues["cast"] => values.cast.filter((member) => member.controller === "duel");

export const ADDITIONS: readonly Addition[] = [
  { title: "Motions", help: "Another source of motions", lacks: () => "", make: (values) => {
    const more = [set(["motions", freeKey(values.motions, "motions")], { perform: ["boxing", "reactions"] })];
    return [...more, ...nameMotions(values, more)];
  } },
  { title: "Finale", help: "Two fighters end their fight with a pattern",
    lacks: (values) => (values.finale ? "There is a finale already." : opponents(values) ? "" : "A finale needs two fighters of different teams."),
    make: (values) => [set(["finale"], { who: opponents(values), time: Math.round(0.6 * values.seconds) })] },
  { title: "Input", help: "Something that a player would do, at a moment of the scene",
    lacks: (values) => (values.cast.length > 0 ? "" : "Add a character first."),
    make: (values) => [append(["inputs"], { time: 1, what: "go", who: values.cast[0].name, place: [0, 0] })] },
  { title: "Pin", help: "An action that a fighter takes at a time",
    lacks: (values) => (fighters(values).length > 0 ? "" : "Add a fighter first."),
    make: (values) => [append(["pins"], { who: fighters(values)[0].name, at: 1, action: "left jab" })] },
];

function freeKey(table: Row, wish: string): string {
  if (!(wish in table)) return wish;
  for (let number = 2; ; number++) if (!(`${wish}-${number}` in table)) return `${wish}-${number}`;
}

/** Another kind of input: values that it does not know go, those that it needs come. */
export function inputEdits(number: number, what: string, row: Row, keys: Record<string, readonly string[]>): Edit[] {
  const needed = keys[what] ?? [], others = [...new Set(Object.values(keys).flat())].filter((key) => !needed.includes(key) && said(row[key]));
  const at = (key: string): Way => ["inputs", number, key];
  return [set(at("what"), what), ...others.map((key) => remove(at(key))), ...needed.filter((key) => !said(row[key])).map((key) => set(at(key), FIRST[key]))];
}
const FIRST: Row = { place: [0, 0], degrees: 0, action: "left jab", key: "distance", value: 1 };
const said = (value: unknown): boolean => value !== null && value !== undefined && value !== "";

/** The value of an input, as it is typed: numbers are numbers. */
export function inputValue(text: string): string | number {
  const number = Number(text.replace(",", "."));
  return text.trim() !== "" && Number.isFinite(number) ? number : text.trim();
}

/** Other name, same motions: all who use them follow. */
export function renameMotions(values: SceneValues, before: string, after: string): Edit[] {
  if (!after || after in values.motions) return [];
  const users = (list: "cast" | "group"): Edit[] => ((values[list] as Row[] | undefined) ?? [])
    .flatMap((row, number) => (row.motions === before ? [set([list, number, "motions"], after)] : []));
  return [set(["motions", after], plain(values.motions[before])), remove(["motions", before]), ...users("cast"), ...users("group")];
}

/** Values that are given; those that are not there have no form in a file. */
function plain(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)));
}

/** Patterns of its own for a group: a copy of the usual ones, to be changed. */
export function ownPatterns(values: SceneValues, number: number, usual: UsualPatterns): Edit[] {
  const group = (values.group as Row[])[number], edits: Edit[] = group.patterns ? [remove(["group", number, "patterns"])] : [];
  if (!group.motions) {
    const name = freeKey(values.motions, usual.name), more = [set(["motions", name], usual.motions)];
    edits.push(...more, ...nameMotions(values, more), set(["group", number, "motions"], name));
  }
  return [...edits, set(["group", number, "annotation"], usual.annotation), set(["group", number, "pattern"], usual.pattern)];
}

export function usualPatterns(number: number): Edit[] {
  return [remove(["group", number, "annotation"]), remove(["group", number, "pattern"])];
}
