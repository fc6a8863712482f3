/** Controls of a live session that are not on the stage. */

import type { Control, LiveControl } from "../messages";
import { board } from "../page/board";
import { button, h } from "../page/dom";
import { field, weightField } from "../panels/fields";

/** An input for one character that no control of the session offers. */
export function order(what: string, who: string): LiveControl {
  return {
    title: "", help: "", unit: "", minimum: null, maximum: null, step: null, logarithmic: false, choices: [], shown: [],
    what, how: "button", key: "", which: 0, values: { who }, value: "", start: null,
  };
}

/** Send a character to a place on the floor. */
export function toward(who: string): LiveControl {
  return { ...order("go", who), how: "ground", value: "place" };
}

/** A number; a weight goes from 0 to 100, where 50 is its value at the start. */
export function numberField(control: LiveControl, onChange: (value: number) => void): HTMLElement {
  const scale: Control = { ...control, key: control.what, kind: control.what === "depth" ? "whole" : "number", default: null };
  const told = (value: unknown): void => { if (typeof value === "number") onChange(value); };
  if (control.logarithmic && control.start) return weightField(scale, undefined, control.start, told);
  return field(scale, control.start ?? control.minimum, told);
}

/** Squares to paint, and a button that sends them. */
export function bitmapField(control: LiveControl, painted: readonly string[], onChange: (rows: string[]) => void): HTMLElement {
  const squares = board(painted, control.title);
  return h("div", { class: "column", style: "margin: 10px 0" }, h("label", {}, control.title), squares.element,
    h("div", { class: "row" }, button("Go", () => onChange(squares.rows()), { class: "main" }), button("Clear", squares.clear), h("span", { class: "quiet small" }, control.help)));
}
