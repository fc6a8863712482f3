/** Light or dark, as last chosen in this browser. */

import { button } from "./dom";

const KEY = "randori.theme";

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const show = (theme: string): void => {
    root.dataset.theme = theme;
    made.textContent = theme === "light" ? "Dark" : "Light";
    made.title = theme === "light" ? "Use the dark theme" : "Use the light theme";
  };
  const made = button("", () => {
    const next = root.dataset.theme === "light" ? "dark" : "light";
    localStorage.setItem(KEY, next);
    show(next);
  }, { class: "plain small" });
  show(localStorage.getItem(KEY) === "light" ? "light" : "dark");
  return made;
}
