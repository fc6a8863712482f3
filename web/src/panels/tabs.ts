/** Panels of which one is seen. Arrow keys go from tab to tab. */

import { button, fill, h } from "../page/dom";

export interface Tab {
  readonly title: string;
  readonly content: HTMLElement;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly panel = h("div", { class: "panel", role: "tabpanel" });

  constructor(private readonly tabs: readonly Tab[], label: string) {
    this.buttons = tabs.map((tab, number) => button(tab.title, () => this.show(number), { role: "tab" }));
    const bar = h("div", { class: "tabs", role: "tablist", "aria-label": label }, this.buttons);
    bar.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      const next = (this.buttons.indexOf(document.activeElement as HTMLButtonElement) + step + tabs.length) % tabs.length;
      this.show(next);
      this.buttons[next].focus();
      event.preventDefault();
    });
    this.element = h("div", { style: "display: contents" }, bar, this.panel);
    this.show(0);
  }

  show(number: number): void {
    this.buttons.forEach((one, i) => {
      one.setAttribute("aria-selected", String(i === number));
      one.tabIndex = i === number ? 0 : -1;
    });
    fill(this.panel, this.tabs[number].content);
  }
}
