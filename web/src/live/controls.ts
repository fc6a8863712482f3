/** Controls of a live session that are not on the stage. */

import type { Control, LiveControl } from "../messages";
import { button, h } from "../page/dom";
import { field } from "../panels/fields";

const ROWS = 7, COLUMNS = 12; // of a bitmap on the floor

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

export function numberField(control: LiveControl, onChange: (value: number) => void): HTMLElement {
  const scale: Control = { ...control, key: control.what, kind: control.what === "depth" ? "whole" : "number", default: null };
  return field(scale, control.start ?? control.minimum, (value) => { if (typeof value === "number") onChange(value); });
}

/** Squares that are painted with the mouse, or with the arrow keys and space. */
export function bitmapField(control: LiveControl, painted: readonly string[], onChange: (rows: string[]) => void): HTMLElement {
  const cells = Array.from({ length: ROWS * COLUMNS }, (_, number) => painted[Math.floor(number / COLUMNS)]?.[number % COLUMNS] === "#");
  let painting: boolean | null = null, cursor = 0;
  const set = (number: number, on: boolean): void => {
    cells[number] = on;
    squares[number].classList.toggle("on", on);
  };
  const squares = cells.map((on, number) => h("div", {
    class: on ? "on" : "",
    onpointerdown: (event: PointerEvent) => {
      event.preventDefault();
      painting = !cells[number];
      set(number, painting);
    },
    onpointerenter: () => { if (painting !== null) set(number, painting); },
  }));
  const moveTo = (number: number): void => {
    squares[cursor].classList.remove("cursor");
    cursor = number;
    squares[cursor].classList.add("cursor");
  };
  const press = (event: KeyboardEvent): void => {
    const next = pressed(event.key, cursor);
    if (next !== null) moveTo(next);
    else if (event.key === " " || event.key === "Enter") set(cursor, !cells[cursor]);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the stage has plans with these keys, too
  };
  window.addEventListener("pointerup", () => { painting = null; });
  const rows = (): string[] => Array.from({ length: ROWS }, (_, row) =>
    cells.slice(row * COLUMNS, (row + 1) * COLUMNS).map((cell) => (cell ? "#" : ".")).join(""));
  const board = h("div", { class: "bitmap", tabIndex: 0, role: "application", "aria-label": `${control.title}: arrow keys move, space paints`,
    style: `grid-template-columns: repeat(${COLUMNS}, 1fr)`, onkeydown: press }, squares);
  moveTo(0);
  return h("div", { class: "column", style: "margin: 10px 0" }, h("label", {}, control.title), board,
    h("div", { class: "row" }, button("Go", () => onChange(rows()), { class: "main" }), button("Clear", () => cells.forEach((_, number) => set(number, false))), h("span", { class: "quiet small" }, control.help)));
}

/** The square that an arrow key leads to; null for other keys. */
export function pressed(key: string, from: number): number | null {
  const row = Math.floor(from / COLUMNS), column = from % COLUMNS;
  switch (key) {
    case "ArrowUp": return Math.max(row - 1, 0) * COLUMNS + column;
    case "ArrowDown": return Math.min(row + 1, ROWS - 1) * COLUMNS + column;
    case "ArrowLeft": return row * COLUMNS + Math.max(column - 1, 0);
    case "ArrowRight": return row * COLUMNS + Math.min(column + 1, COLUMNS - 1);
    default: return null;
  }
}
