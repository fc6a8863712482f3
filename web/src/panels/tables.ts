/** Tables of a scene that have no controls of their own: each value gets what its kind needs. */

import type { Control, Edit } from "../messages";
import { put, set } from "../document/edits";
import { field } from "./fields";

type Way = (string | number)[];
type Change = (what: string, edits: Edit[]) => void;

/** Controls for all values of a table; `skip` are keys that are edited elsewhere. */
export function tableFields(
  title: string, at: Way, values: Record<string, unknown>, change: Change, names: readonly string[] = [], skip: readonly string[] = [],
): HTMLElement[] {
  return Object.entries(values).filter(([key]) => !skip.includes(key)).flatMap(([key, value]) =>
    isWishes(key, value)
      ? names.map((name) => wishField(title, [...at, key], key, name, value as Record<string, string[]>, change))
      : plainField(title, [...at, key], key, value, change));
}

/** Lists of words by name: { Red = ["hook"] }. Empty ones look like any empty table, so their keys are known. */
function isWishes(key: string, value: unknown): boolean {
  return ["required", "forbidden"].includes(key) && typeof value === "object" && value !== null && !Array.isArray(value);
}

function wishField(title: string, at: Way, key: string, name: string, value: Record<string, string[]>, change: Change): HTMLElement {
  const control = plainControl(`${key}-${name}`, `${inWords(key)} of ${name}`, "words");
  return field(control, value[name] ?? [], (words) => {
    const empty = (words as string[]).length === 0;
    const rest = { ...value, [name]: words as string[] };
    if (empty) delete rest[name];
    change(`${inWords(key)} of ${name}, ${title}`, Object.keys(rest).length ? [set(at, rest)] : put(at, null, Object.keys(value).length ? value : null));
  });
}

function plainField(title: string, at: Way, key: string, value: unknown, change: Change): HTMLElement[] {
  const kind = kindOf(value);
  if (!kind) return [];
  return [field(plainControl(key, inWords(key), kind), value, (wanted) => change(`${inWords(key)} of ${title}`, put(at, wanted, value)), null)];
}

function kindOf(value: unknown): Control["kind"] | null {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "yes";
  if (typeof value === "string") return "word";
  if (!Array.isArray(value)) return value === null ? "number" : null;
  if (value.every((one) => typeof one === "number")) return value.length === 2 ? "place" : value.length === 3 ? "place and turn" : null;
  return value.every((one) => typeof one === "string") ? "words" : null;
}

function plainControl(key: string, title: string, kind: Control["kind"]): Control {
  return { key, title, help: "", kind, unit: "", minimum: null, maximum: null, step: null, logarithmic: false, choices: [], default: null };
}

export function inWords(key: string): string {
  const words = key.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}
