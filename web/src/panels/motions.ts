/** The source of a scene's motions: the built-in performer, own recordings, or a library file. One of them. */

import { remove, set } from "../document/edits";
import type { Control, Edit, LibraryList } from "../messages";
import { api } from "../page/api";
import { h } from "../page/dom";
import { addressOf } from "../page/view";
import { field } from "./fields";

type Values = Record<string, unknown>;
type Change = (what: string, edits: Edit[]) => void;

const SOURCES = { perform: "Built-in performer", files: "Your recordings", library: "A library file" } as const;
export type Source = keyof typeof SOURCES;
const PERFORMED = ["body", "seed", "seconds", "told"]; // what only the performer is asked for
const LISTED: Promise<LibraryList>[] = []; // asked for once, as it is the same for all forms of a page

/** The recordings of the project; asked for again when `fresh`. */
function recordings(fresh = false): Promise<LibraryList> {
  if (fresh || LISTED.length === 0) LISTED[0] = api.library();
  return LISTED[0];
}

export function sourceOf(motion: Values): Source {
  return (["files", "library"] as const).find((key) => hasAny(motion[key])) ?? "perform";
}

/** The edits that make one of the sources say this; the others go, as only one may be there. */
export function sourceEdits(name: string, motion: Values, source: Source, value: unknown): Edit[] {
  const others = (Object.keys(SOURCES) as Source[]).filter((key) => key !== source && hasAny(motion[key]));
  return [set(["motions", name, source], value), ...others.map((key) => remove(["motions", name, key]))];
}

export function motionFields(controls: readonly Control[], name: string, motion: Values, change: Change): HTMLElement[] {
  const source = sourceOf(motion);
  const choices = controls.find((control) => control.key === "perform")?.choices ?? [];
  const pick = h("select", { "aria-label": `Source of ${name}`, onchange: () => {
    const wanted = pick.value as Source;
    if (wanted === "perform") change(`Source of ${name}`, sourceEdits(name, motion, "perform", ["boxing", "reactions"]));
    else if (wanted === "files") void recordings(true).then((list) => {
      const usable = list.recordings.filter((one) => !one.needs).map((one) => pattern(one.file));
      if (usable.length > 0) change(`Source of ${name}`, sourceEdits(name, motion, "files", usable));
      else location.hash = addressOf("fight"); // there are none yet: that is where they come in
    });
    else inner.replaceChildren(libraryField());
  } }, Object.entries(SOURCES).map(([key, title]) => h("option", { value: key, selected: key === source }, title)));
  const inner = h("div");
  const libraryField = (): HTMLElement => field(controls.find((control) => control.key === "library")!, motion.library,
    (value) => { if (value) change(`Library of ${name}`, sourceEdits(name, motion, "library", value)); });
  if (source === "library") inner.append(libraryField());
  else if (source === "perform") inner.append(checks(choices, motion.perform as string[], "data-sets", (words) => change(`Sets of ${name}`, sourceEdits(name, motion, "perform", words))));
  else void recordings().then((list) => inner.append(recordingChecks(list, name, motion, change)));
  const rest = controls.filter((control) => !(control.key in SOURCES) && (source === "perform" || !PERFORMED.includes(control.key)));
  return [h("div", { class: "field" }, h("label", {}, "Come from"), pick), inner,
    ...rest.map((control) => field(control, motion[control.key], (value) => {
      const nothing = value === "" || value === null || (Array.isArray(value) && value.length === 0);
      const at = ["motions", name, control.key];
      change(`${control.title} of ${name}`, [nothing ? remove(at) : set(at, value)]);
    }))];
}

function recordingChecks(list: LibraryList, name: string, motion: Values, change: Change): HTMLElement {
  const files = (motion.files as string[] | undefined) ?? [];
  const known = list.recordings.filter((one) => !one.needs).map((one) => pattern(one.file));
  return checks([...known, ...files.filter((file) => !known.includes(file))], files, "data-recordings",
    (words) => change(`Recordings of ${name}`, sourceEdits(name, motion, "files", words)));
}

/** Boxes to tick; the last one stays ticked, as nothing at all cannot be played. */
function checks(choices: readonly string[], chosen: readonly string[], mark: string, onChange: (words: string[]) => void): HTMLElement {
  const boxes = choices.map((word) => h("input", { type: "checkbox", value: word, checked: chosen.includes(word), onchange: () => {
    const words = boxes.filter((box) => box.checked).map((box) => box.value);
    if (words.length > 0) onChange(words);
    else boxes.find((box) => box.value === word)!.checked = true;
  } }));
  const plain = (word: string): string => word.replace(/^recordings\//, "").replace(/\[([[?*])\]/g, "$1");
  const watched = (word: string): string => addressOf("library", mark === "data-sets" ? { set: word } : { recording: plain(word) });
  return h("div", { class: "checklist", [mark]: "" }, boxes.map((box) => h("div", { class: "row small" },
    h("label", { class: "row small", style: "flex: 1; min-width: 0" }, box, h("span", { class: "one-line", title: plain(box.value) }, plain(box.value))),
    plain(box.value).includes("*") ? null : h("a", { href: watched(box.value), title: "Watch its actions in the library", "aria-label": `Watch ${plain(box.value)}` }, "▶"))));
}

/** A file as scenes name it: brackets would be a pattern. */
function pattern(file: string): string {
  return `recordings/${file.replace(/[[?*]/g, "[$&]")}`;
}

function hasAny(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "";
}
