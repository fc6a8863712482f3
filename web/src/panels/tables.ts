/** Tables of a scene: each value as the control that the vocabulary has for it. */

import type { Control, Edit } from "../messages";
import { put, set } from "../document/edits";
import { field } from "./fields";

type Way = (string | number)[];
type Change = (what: string, edits: Edit[]) => void;
type Wishes = Record<string, string[]>;
type Angles = Record<string, number>;

/** Controls for the values of a table; `title` is what the history calls it, `names` are those of the cast. */
export function tableFields(
  controls: readonly Control[], title: string, at: Way, values: Record<string, unknown>, change: Change, names: readonly string[],
): HTMLElement[] {
  return controls.flatMap((control) => {
    const way = [...at, control.key], value = values[control.key];
    if (control.kind === "wishes") return names.map((name) => wishField(control, title, way, name, (value ?? {}) as Wishes, change));
    if (control.kind === "angles") return names.map((name) => angleField(control, title, way, name, (value ?? {}) as Angles, change));
    const shown = control.kind === "names" ? { ...control, choices: [...names] } : control.key === "runs_over" ? { ...control, kind: "choice" as const, choices: [...names] } : control;
    return [field(shown, value, (wanted) => change(`${control.title} of ${title}`, put(way, wanted === "" ? null : wanted, value)))];
  });
}

/** Requests to a member of the cast: a list of words in a table by name, { Red = ["hook"] }. */
function wishField(control: Control, title: string, at: Way, name: string, value: Wishes, change: Change): HTMLElement {
  const own: Control = { ...control, key: `${control.key}-${name}`, title: `${control.title} of ${name}`, kind: "words", default: null };
  return field(own, value[name] ?? [], (words) => {
    change(`${own.title}, ${title}`, wishEdits(at, name, words as string[], value));
  });
}

/** Empty wishes are not written: an empty list, and a table without any, go out of the file. */
export function wishEdits(at: Way, name: string, words: string[], value: Wishes): Edit[] {
  const rest = { ...value, [name]: words };
  if (words.length === 0) delete rest[name];
  return Object.keys(rest).length ? [set(at, rest)] : put(at, null, Object.keys(value).length ? value : null);
}

/** The way that one of the cast looks: degrees in a table by name, { Red = 90.0 }. */
function angleField(control: Control, title: string, at: Way, name: string, value: Angles, change: Change): HTMLElement {
  const own: Control = { ...control, key: `${control.key}-${name}`, title: `${control.title} of ${name}`, kind: "number", default: null };
  return field(own, value[name] ?? null, (degrees) => {
    change(`${own.title}, ${title}`, angleEdits(at, name, degrees === "" ? null : (degrees as number | null), value));
  });
}

/** A character without a direction is not written; an empty table goes out of the file. */
export function angleEdits(at: Way, name: string, degrees: number | null, value: Angles): Edit[] {
  const rest = { ...value };
  if (degrees === null) delete rest[name];
  else rest[name] = degrees;
  return Object.keys(rest).length ? [set(at, rest)] : put(at, null, Object.keys(value).length ? value : null);
}

export function inWords(key: string): string {
  const words = key.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}
