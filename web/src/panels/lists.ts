/** Values of several numbers, or of painted squares, as something to click: spots, ways, rows of numbers, pictures. */

import type { Control } from "../messages";
import { board } from "../page/board";
import { button, h } from "../page/dom";

type Change = (value: unknown) => void;
const NEXT = 2; // metres from the last place of a way to a new one
const FIRST: Record<string, number> = { m: 1.75, s: 60 }; // the first number of a list, by its unit

function numberInput(name: string, value: number | undefined, label: string, onchange: () => void): HTMLInputElement {
  return h("input", { type: "number", step: "any", value: value === undefined ? "" : String(value), placeholder: name, "aria-label": `${label}: ${name}`, onchange });
}

/** x and z, and a height that may be left out; in a file the height stands in the middle. */
export function spotInputs(control: Control, value: number[] | null, onChange: Change): HTMLElement {
  const [x, z, height] = value ? (value.length === 3 ? [value[0], value[2], value[1]] : value) : [];
  const inputs = [["x", x], ["z", z], ["height", height]].map(([name, number]) => numberInput(String(name), number as number | undefined, control.title, () => {
    const [nx, nz, up] = inputs.map((input) => (input.value === "" ? null : Number(input.value)));
    if (nx === null && nz === null) onChange(null);
    else if (nx !== null && nz !== null) onChange(up === null ? [nx, nz] : [nx, up, nz]);
  }));
  return h("div", { class: "row" }, inputs);
}

/** The places of a way, one after the other. */
export function placesInputs(control: Control, value: readonly [number, number][], onChange: Change): HTMLElement {
  const rows = value.map((place, number) => {
    const inputs = ["x", "z"].map((name, i) => numberInput(name, place[i], `${control.title} ${number + 1}`, () => {
      if (inputs.every((input) => input.value !== "")) onChange(value.map((one, k) => (k === number ? inputs.map((input) => Number(input.value)) : one)));
    }));
    return h("div", { class: "row" }, inputs, button("×", () => onChange(value.filter((_, k) => k !== number)), { class: "plain icon", "aria-label": `Remove place ${number + 1}` }));
  });
  const last = value.at(-1) ?? [0, 0];
  return h("div", { class: "column" }, rows, button("Add a place", () => onChange([...value, [last[0], last[1] + NEXT]]), { class: "small" }));
}

/** One number for all, or a number for each. */
export function figuresInputs(control: Control, value: number | readonly number[] | null, onChange: Change): HTMLElement {
  const given = value === null ? [] : typeof value === "number" ? [value] : [...value];
  const told = (numbers: number[]): void => onChange(numbers.length === 0 ? null : typeof value === "number" && numbers.length === 1 ? numbers[0] : numbers);
  const inputs = given.map((number, i) => numberInput(String(i + 1), number, control.title, () =>
    told(given.flatMap((one, k) => (k !== i ? [one] : inputs[i].value === "" ? [] : [Number(inputs[i].value)])))));
  return h("div", { class: "row wrap" }, inputs, button("Add", () => onChange(addedFigure(value, FIRST[control.unit] ?? 1)), { class: "small" }));
}

/** One number more: the first one counts for all, where a single one may. */
export function addedFigure(value: number | readonly number[] | null, first: number): number | number[] {
  if (value === null) return first;
  const given = typeof value === "number" ? [value] : [...value];
  return [...given, given.at(-1) ?? first];
}

/** The file of an image, or squares that are painted here. */
export function pictureInput(control: Control, value: string | readonly string[], onChange: Change): HTMLElement {
  const painted = typeof value === "string" ? [] : value, squares = board(painted, control.title);
  const file = h("input", { type: "text", value: typeof value === "string" ? value : "", placeholder: "or an image of the project", "aria-label": `${control.title}: file`,
    onchange: () => { if (file.value.trim()) onChange(file.value.trim()); } });
  return h("div", { class: "column" }, squares.element,
    h("div", { class: "row" }, button("Use this picture", () => onChange(squares.rows()), { class: "small" }), button("Clear", squares.clear, { class: "small" })), file);
}
