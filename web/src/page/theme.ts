/** Light or dark, as last chosen in this browser. */

import { button } from "./dom";

const KEY = "randori.theme";
const CHANGED = "randori-theme";

export function isLight(): boolean {
  return document.documentElement.dataset.theme === "light";
}

/** Call `draw` whenever the theme changes, as long as the element is on the page. */
export function onTheme(element: HTMLElement, draw: () => void): void {
  const changed = (): void => {
    if (element.isConnected) draw();
    else window.removeEventListener(CHANGED, changed);
  };
  window.addEventListener(CHANGED, changed);
}

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const show = (theme: string): void => {
    root.dataset.theme = theme;
    made.textContent = theme === "light" ? "Dark" : "Light";
    made.title = theme === "light" ? "Use the dark theme" : "Use the light theme";
  };
  const made = button("", () => {
    const next = isLight() ? "dark" : "light";
    localStorage.setItem(KEY, next);
    show(next);
    window.dispatchEvent(new Event(CHANGED));
  }, { class: "plain small" });
  show(localStorage.getItem(KEY) === "light" ? "light" : "dark");
  return made;
}
