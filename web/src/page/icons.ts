/** Small pictures on buttons, drawn here: no font has them everywhere. */

import { h } from "./dom";

const PATHS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  on: "M5 3v10l7-5z",
} as const;

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("width", "14");
  svg.setAttribute("height", "14");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}

export function iconButton(name: Icon, onclick: () => void, label: string, kind = ""): HTMLButtonElement {
  return h("button", { type: "button", class: `icon ${kind}`, onclick, "aria-label": label, title: label }, icon(name) as unknown as HTMLElement);
}
