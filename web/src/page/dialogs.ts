/** Questions to the person in front of the page. */

import { button, h } from "./dom";

/** A name, or null if nothing is wanted. */
export function askName(title: string, value: string, help: string, yes = "Save", required = true): Promise<string | null> {
  const input = h("input", { type: "text", value, required, maxLength: 120, "aria-label": title });
  return ask<string>(title, [input, h("p", { class: "quiet small" }, help)], yes, () => (required ? input.value.trim() || null : input.value.trim()));
}

export async function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return (await ask<boolean>(title, [h("p", {}, text)], yes, () => true)) === true;
}

function ask<T>(title: string, inside: HTMLElement[], yes: string, answer: () => T | null): Promise<T | null> {
  return new Promise((resolve) => {
    let result: T | null = null;
    const dialog = h("dialog", { "aria-label": title, onclose: () => { dialog.remove(); resolve(result); } },
      h("form", { method: "dialog", class: "column", onsubmit: () => { result = answer(); } },
        h("h2", {}, title), inside,
        h("div", { class: "row" }, h("span", { class: "spread" }),
          button("Cancel", () => dialog.close()), h("button", { type: "submit", class: "main" }, yes))));
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input")?.select(); // so that typing replaces what is offered
  });
}
