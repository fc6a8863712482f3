/** Panels at the sides whose width is dragged, and that are folded away with a double click. */

import { h } from "./dom";

const NARROWEST = 220, WIDEST = 620; // pixels

/** A grip on the inner edge of a panel; `name` is what its width is kept under. */
export function sideGrip(editor: HTMLElement, name: "left" | "right", usual: number): HTMLElement {
  const key = `randori.panel.${name}`, property = `--${name}`;
  const set = (width: number): void => {
    editor.style.setProperty(property, `${width}px`);
    localStorage.setItem(key, String(width));
  };
  set(Number(localStorage.getItem(key) ?? usual));
  const grip = h("div", { class: `side-grip ${name}`, title: "Drag to resize, double click to fold away or bring back", role: "separator", "aria-orientation": "vertical" });
  const width = (): number => parseFloat(editor.style.getPropertyValue(property));
  grip.addEventListener("dblclick", () => set(width() === 0 ? usual : 0));
  grip.addEventListener("pointerdown", (start) => {
    const from = width();
    grip.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent): void => {
      const moved = (name === "left" ? 1 : -1) * (event.clientX - start.clientX);
      if (Math.abs(moved) > 4) set(from + moved < NARROWEST / 2 ? 0 : Math.min(Math.max(from + moved, NARROWEST), WIDEST));
    };
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move), { once: true });
  });
  return grip;
}
