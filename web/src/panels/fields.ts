/** A control of the vocabulary as something to click: number with slider, choice, words, place. */

import type { Control } from "../messages";
import { h } from "../page/dom";
import { figuresInputs, pictureInput, placesInputs, spotInputs } from "./lists";

type Change = (value: unknown) => void;
const DECADES = 7; // that a logarithmic slider spans below its maximum; all the way left is 0
let numbers = 0;

export function field(control: Control, value: unknown, onChange: Change, usual: unknown = control.default): HTMLElement {
  const id = `field-${++numbers}`;
  const shown = value ?? usual;
  const hasUsual = usual !== undefined && usual !== null;
  const changed = hasUsual && value !== undefined && value !== null && JSON.stringify(value) !== JSON.stringify(usual);
  const label = h("label", { for: id }, control.title, control.unit ? h("span", { class: "unit" }, `  ${control.unit}`) : null);
  const help = control.help ? h("div", { class: "help", id: `${id}-help` }, control.help) : null;
  const box = h("div", { class: `field${changed ? " changed" : ""}`, "data-key": control.key, title: control.help });
  const common = { id, "aria-describedby": help ? `${id}-help` : undefined };
  switch (control.kind) {
    case "number": case "whole":
      box.append(label, ...numberInputs(control, shown as number | null, onChange, common));
      break;
    case "yes":
      box.append(label, h("input", { ...common, type: "checkbox", checked: Boolean(shown),
        onchange: (event: Event) => onChange((event.target as HTMLInputElement).checked) }));
      break;
    case "choice":
      box.append(label, choice(control, shown as string | null, onChange, common));
      break;
    case "team":
      box.append(label, teams(control, Number(shown ?? 0), onChange));
      break;
    case "words": case "names": case "moves":
      box.classList.add("wide");
      box.append(label, words(control, (shown as string[] | null) ?? [], onChange, common));
      break;
    case "spot":
      box.classList.add("wide");
      box.append(label, spotInputs(control, shown as number[] | null, onChange));
      break;
    case "places":
      box.classList.add("wide");
      box.append(label, placesInputs(control, (shown as [number, number][] | null) ?? [], onChange));
      break;
    case "figures":
      box.classList.add("wide");
      box.append(label, figuresInputs(control, (shown as number | number[] | null) ?? null, onChange));
      break;
    case "picture":
      box.classList.add("wide");
      box.append(label, pictureInput(control, (shown as string | string[] | null) ?? "", onChange));
      break;
    case "place": case "place and turn": case "moments":
      box.classList.add("wide");
      box.append(label, place(control, shown as number[] | null, onChange, common));
      break;
    default:
      box.classList.add("wide");
      box.append(label, text(control, shown, onChange, common));
  }
  if (help) box.append(help);
  return box;
}

const STEADY = 50, PER_DECADE = 25; // of a weight on its scale of 0 to 100: the style's own, and what ten times as much adds

/** A weight from 0 to 100: 50 is the value of the style, 75 ten times as much, 0 nothing. */
export function toRelative(value: number, usual: number): number {
  if (value <= 0) return 0;
  return Math.round(Math.min(Math.max(STEADY + PER_DECADE * Math.log10(value / usual), 1), 100));
}

export function fromRelative(share: number, usual: number): number {
  return share <= 0 ? 0 : share === STEADY ? usual : Number((usual * 10 ** ((share - STEADY) / PER_DECADE)).toPrecision(2));
}

/** A weight beside its usual value: a slider from 0 to 100, and the number that stands in the file. */
export function weightField(control: Control, value: number | undefined, usual: number, onChange: Change): HTMLElement {
  if (control.unit || usual <= 0) return field(control, value, onChange, usual);
  const id = `field-${++numbers}`, shown = value ?? usual;
  const plain = h("input", { type: "number", min: "0", step: "any", value: String(shown), "aria-label": `${control.title} in the file`, class: "behind",
    onchange: () => { if (plain.value === "") onChange(null); else if (plain.checkValidity()) onChange(Number(plain.value)); else plain.reportValidity(); } });
  const percent = h("output", { class: "small quiet" }, String(toRelative(shown, usual)));
  const slider = h("input", { id, type: "range", min: "0", max: "100", step: "1", value: String(toRelative(shown, usual)),
    oninput: () => { percent.value = slider.value; plain.value = String(fromRelative(Number(slider.value), usual)); },
    onchange: () => onChange(fromRelative(Number(slider.value), usual)) });
  const changed = value !== undefined && value !== usual;
  return h("div", { class: `field weight${changed ? " changed" : ""}`, "data-key": control.key, title: `${control.help} 50 is the usual value.` },
    h("label", { for: id }, control.title), h("span", { class: "row" }, percent, plain), slider);
}

/** The position of a value on a slider of 0 to 1, and back. */
export function toSlider(control: Control, value: number): number {
  const low = control.minimum ?? 0, high = control.maximum ?? 1;
  if (!control.logarithmic) return (value - low) / (high - low);
  return value <= 0 ? 0 : Math.min(Math.max(1 + Math.log10(value / high) / DECADES, 0.001), 1);
}

export function fromSlider(control: Control, share: number): number {
  const low = control.minimum ?? 0, high = control.maximum ?? 1;
  if (control.logarithmic) return share <= 0 ? 0 : Number((high * 10 ** ((share - 1) * DECADES)).toPrecision(2));
  const step = control.kind === "whole" ? 1 : control.step ?? (high - low) / 200;
  return Number(Math.min(low + Math.round((share * (high - low)) / step) * step, high).toPrecision(6));
}

function numberInputs(control: Control, value: number | null, onChange: Change, common: Record<string, unknown>): HTMLElement[] {
  const input = h("input", {
    ...common, type: "number", value: value === null || value === undefined ? "" : String(value),
    min: control.minimum ?? "", max: control.logarithmic ? "" : control.maximum ?? "",
    step: control.kind === "whole" ? 1 : "any", placeholder: "usual",
    onchange: () => {
      if (input.value === "") onChange(null);
      else if (input.checkValidity()) onChange(Number(input.value));
      else input.reportValidity();
    },
  });
  if (control.maximum === null || control.maximum === undefined) return [input];
  const slider = h("input", {
    type: "range", min: "0", max: "1", step: control.kind === "whole" ? String(1 / (control.maximum - (control.minimum ?? 0))) : "0.001",
    value: String(toSlider(control, value ?? control.minimum ?? 0)), "aria-label": control.title,
    oninput: () => { input.value = String(fromSlider(control, Number(slider.value))); },
    onchange: () => onChange(fromSlider(control, Number(slider.value))),
  });
  return [input, slider];
}

function choice({ choices, shown }: Control, value: string | null, onChange: Change, common: Record<string, unknown>): HTMLElement {
  const known = value === null || choices.includes(value) ? choices : [value, ...choices];
  const select = h("select", { ...common, onchange: () => onChange(select.value === "" ? null : select.value) },
    value === null ? h("option", { value: "", selected: true }, "usual") : null,
    known.map((word) => h("option", { value: word, selected: word === value }, shown?.[choices.indexOf(word)] ?? word)));
  return select;
}

/** A text; known words are offered. */
function text(control: Control, value: unknown, onChange: Change, common: Record<string, unknown>): HTMLElement {
  const list = control.choices?.length ? `list-${++numbers}` : undefined;
  const input = h("input", { ...common, type: "text", value: value ?? "", maxLength: 400, list, onchange: () => onChange(input.value) });
  return list ? h("div", {}, input, h("datalist", { id: list }, control.choices.map((word) => h("option", { value: word })))) : input;
}

/** Words as chips: a cross takes one away; others are typed or chosen, one at a time. */
function words(control: Control, value: string[], onChange: Change, common: Record<string, unknown>): HTMLElement {
  const again = control.kind === "moves"; // a word may come several times
  const list = `list-${++numbers}`, left = (control.choices ?? []).filter((word) => again || !value.includes(word));
  const add = (word: string): void => { if (word && (again || !value.includes(word))) onChange([...value, word]); };
  const chips = value.map((word, number) => h("span", { class: "chip" }, word,
    h("button", { type: "button", class: "plain icon", "aria-label": `Remove ${word}`, title: `Remove ${word}`, onclick: () => onChange(value.filter((_, k) => k !== number)) }, "×")));
  const only = control.choices?.length > 0 && control.choices.length <= MOST_CHOSEN;
  const select = only ? h("select", { ...common, disabled: left.length === 0, onchange: () => add(select!.value) },
    h("option", { value: "", selected: true }, value.length ? "add another" : "add"), left.map((word) => h("option", { value: word }, word))) : null;
  const input = only ? null : h("input", { ...common, type: "text", value: "", placeholder: value.length ? "add another" : "add", list, maxLength: 80,
    onchange: () => add(input!.value.trim()) });
  return h("div", { class: "chips" }, chips, select ?? input, input ? h("datalist", { id: list }, left.map((word) => h("option", { value: word }))) : null);
}

const MOST_CHOSEN = 12; // of more, one is found sooner by typing
const TEAM_COLOURS = [["Red", "#d8543f"], ["Blue", "#3f7fd8"]] as const;

/** One button for each team, in its colour. */
function teams(control: Control, value: number, onChange: Change): HTMLElement {
  return h("div", { class: "row", role: "group", "aria-label": control.title }, TEAM_COLOURS.map(([title, colour], team) =>
    h("button", { type: "button", class: `small team${team === value ? " on" : ""}`, "aria-pressed": String(team === value), "data-team": team, onclick: () => onChange(team) },
      h("span", { class: "swatch", style: `background: ${colour}` }), title)));
}

function place(control: Control, value: number[] | null, onChange: Change, common: Record<string, unknown>): HTMLElement {
  const names = control.kind === "place" ? ["x", "z"] : control.kind === "moments" ? ["from", "until"] : ["x", "z", "degrees"];
  const inputs = names.map((name, i) => h("input", {
    ...(i === 0 ? common : {}), type: "number", step: "any", value: value ? String(value[i]) : "", placeholder: name, "aria-label": `${control.title}: ${name}`,
    onchange: () => {
      if (inputs.every((input) => input.value === "")) onChange(null);
      else if (inputs.every((input) => input.value !== "")) onChange(inputs.map((input) => Number(input.value)));
    },
  }));
  return h("div", { class: "row" }, inputs);
}
