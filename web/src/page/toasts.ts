/** Short messages in the corner: what went wrong, and what is done. */

import { button, h } from "./dom";

const FINE_LASTS = 5000; // milliseconds; what went wrong stays until it is closed
const area = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

export function toastArea(): HTMLElement {
  return area;
}

/** A message about something done; `action` is offered while it is seen. */
export function tell(text: string, action?: { title: string; do: () => void }): void {
  for (const before of [...area.querySelectorAll(".fine")]) before.remove(); // one at a time: they cover the stage
  const toast = add(text, "toast fine");
  if (action) toast.firstElementChild!.after(button(action.title, () => { toast.remove(); action.do(); }, { class: "small" }));
  setTimeout(() => toast.remove(), FINE_LASTS);
}

/** A message that stays until it is closed: the user must not miss it. */
export function warn(text: string): void {
  if (![...area.children].some((toast) => toast.firstElementChild?.textContent === text)) add(text, "toast");
}

/** Such a message is not true any more. */
export function unwarn(text: string): void {
  for (const toast of [...area.children]) if (toast.firstElementChild?.textContent === text) toast.remove();
}

export function complain(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  warn(error instanceof Error ? error.message : String(error));
}

/** Another view: what went wrong in the last one is over. */
export function clearToasts(): void {
  for (const toast of [...area.children]) if (!toast.classList.contains("fine")) toast.remove();
}

function add(text: string, kind: string): HTMLElement {
  const toast = h("div", { class: kind }, h("span", {}, text),
    button("×", () => toast.remove(), { class: "plain icon", "aria-label": "Close this message" }));
  area.append(toast);
  return toast;
}
