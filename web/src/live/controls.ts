/** Controls of a live session that are not on the stage. */

import type { Control, LiveControl } from "../messages";
import { button, h } from "../page/dom";
import { fromSlider, toSlider } from "../panels/fields";

const ROWS = 7, COLUMNS = 12; // of a bitmap on the floor

export function numberField(control: LiveControl, onChange: (value: number) => void): HTMLElement {
  const whole = control.what === "depth"; // plies
  const scale: Control = { key: control.what, title: control.title, help: control.help, kind: whole ? "whole" : "number", unit: "",
    minimum: control.minimum ?? 0, maximum: control.maximum ?? 1, step: null, logarithmic: control.logarithmic ?? false, choices: [], default: null };
  const start = control.start ?? scale.minimum ?? 0;
  const shown = h("input", { type: "number", step: whole ? 1 : "any", min: scale.minimum, value: String(start), "aria-label": control.title,
    onchange: () => {
      if (!shown.checkValidity() || shown.value === "") return;
      slider.value = String(toSlider(scale, Number(shown.value)));
      onChange(Number(shown.value));
    } });
  const slider: HTMLInputElement = h("input", { type: "range", min: "0", max: "1", step: "0.001", value: String(toSlider(scale, start)), "aria-label": control.title,
    oninput: () => { shown.value = String(fromSlider(scale, Number(slider.value))); },
    onchange: () => onChange(fromSlider(scale, Number(slider.value))) });
  return h("div", { class: "field", "data-what": control.what }, h("label", {}, control.title), shown, slider, h("div", { class: "help" }, control.help));
}

/** Squares that are painted with the mouse. */
export function bitmapField(control: LiveControl, onChange: (rows: string[]) => void): HTMLElement {
  const cells = Array.from({ length: ROWS * COLUMNS }, () => false);
  let painting: boolean | null = null;
  const squares = cells.map((_, number) => h("div", {
    style: "aspect-ratio: 1; background: #101215",
    onpointerdown: (event: PointerEvent) => { event.preventDefault(); painting = !cells[number]; paint(number); },
    onpointerenter: () => paint(number),
  }));
  const paint = (number: number): void => {
    if (painting === null) return;
    cells[number] = painting;
    squares[number].style.background = painting ? "#f2b84b" : "#101215";
  };
  window.addEventListener("pointerup", () => { painting = null; });
  const rows = (): string[] => Array.from({ length: ROWS }, (_, row) =>
    cells.slice(row * COLUMNS, (row + 1) * COLUMNS).map((cell) => (cell ? "#" : ".")).join(""));
  return h("div", { class: "column", style: "margin: 10px 0" }, h("label", {}, control.title),
    h("div", { class: "bitmap", style: `grid-template-columns: repeat(${COLUMNS}, 1fr)` }, squares),
    h("div", { class: "row" }, button("Go", () => onChange(rows()), { class: "main" }), h("span", { class: "quiet small" }, control.help)));
}
