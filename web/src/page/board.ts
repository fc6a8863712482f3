/** Squares that are painted with the mouse, or with the arrow keys and space. */

import { h } from "./dom";

export const ROWS = 7, COLUMNS = 12; // of a board that nothing was painted on

export interface Board {
  readonly element: HTMLElement;
  readonly rows: () => string[]; // "#" is painted
  readonly clear: () => void;
}

export function board(painted: readonly string[], title: string): Board {
  const tall = Math.max(ROWS, painted.length), wide = Math.max(COLUMNS, ...painted.map((row) => row.length));
  const cells = Array.from({ length: tall * wide }, (_, number) => painted[Math.floor(number / wide)]?.[number % wide] === "#");
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
    const next = pressed(event.key, cursor, tall, wide);
    if (next !== null) moveTo(next);
    else if (event.key === " " || event.key === "Enter") set(cursor, !cells[cursor]);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the stage has plans with these keys, too
  };
  window.addEventListener("pointerup", () => { painting = null; });
  const element = h("div", { class: "bitmap", tabIndex: 0, role: "application", "aria-label": `${title}: arrow keys move, space paints`,
    style: `grid-template-columns: repeat(${wide}, 1fr)`, onkeydown: press }, squares);
  moveTo(0);
  return {
    element,
    rows: () => Array.from({ length: tall }, (_, row) => cells.slice(row * wide, (row + 1) * wide).map((cell) => (cell ? "#" : ".")).join("")),
    clear: () => cells.forEach((_, number) => set(number, false)),
  };
}

/** The square that an arrow key leads to; null for other keys. */
export function pressed(key: string, from: number, tall = ROWS, wide = COLUMNS): number | null {
  const row = Math.floor(from / wide), column = from % wide;
  switch (key) {
    case "ArrowUp": return Math.max(row - 1, 0) * wide + column;
    case "ArrowDown": return Math.min(row + 1, tall - 1) * wide + column;
    case "ArrowLeft": return row * wide + Math.max(column - 1, 0);
    case "ArrowRight": return row * wide + Math.min(column + 1, wide - 1);
    default: return null;
  }
}
