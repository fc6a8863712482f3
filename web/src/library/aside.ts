/** Recordings that were set aside: why, and what a person can say about them to bring them back. */

import type { LibraryList, SetAside } from "../messages";
import { api } from "../page/api";
import { confirmed } from "../page/dialogs";
import { button, fill, h } from "../page/dom";
import { complain, tell } from "../page/toasts";

const UNITS = ["", "m", "cm", "mm", "dm", "in"];
const UP = [["", "recognise"], ["y", "Y"], ["z", "Z"]] as const;

export class AsideList {
  readonly element = h("div", { class: "column" });
  private cards = new Map<string, HTMLElement>();

  constructor(private readonly onChange: (list: LibraryList) => void) {}

  /** Show these; a card whose recording has not changed stays, with what a person has filled in. */
  show(aside: readonly SetAside[]): void {
    this.cards = new Map(aside.map((one) => [JSON.stringify(one), this.cards.get(JSON.stringify(one)) ?? this.card(one)]));
    const cards = [...this.cards.values()];
    const same = cards.length === this.element.children.length && cards.every((card, k) => card === this.element.children[k]);
    if (!same) fill(this.element, cards);
  }

  private card(one: SetAside): HTMLElement {
    const unit = h("select", { "aria-label": `Unit of ${one.file}` }, UNITS.map((word) => h("option", { value: word }, word || "recognise")));
    const up = h("select", { "aria-label": `Up axis of ${one.file}` }, UP.map(([value, word]) => h("option", { value }, word)));
    const parts = one.missing.map((part): [string, HTMLSelectElement] => [part, h("select", { "aria-label": part, "data-part": part },
      ["", ...one.joints].map((joint) => h("option", { value: joint, selected: joint === (one.guesses[part] ?? "") }, joint || "choose a joint")))]);
    const repair = (): void => {
      const said = Object.fromEntries(parts.filter(([, select]) => select.value).map(([part, select]): [string, string] => [part, select.value]));
      api.repair({ file: one.file, unit: unit.value, up: up.value as "y", parts: said }).then((list) => {
        tell(`${one.file} can be used now.`);
        this.onChange(list);
      }).catch(complain);
    };
    const row = (title: string, control: HTMLElement): HTMLElement => h("div", { class: "field" }, h("label", {}, title), control);
    return h("div", { class: "problem aside", "data-aside": one.file },
      h("strong", {}, one.file), h("p", { class: "small" }, one.problem),
      h("details", {}, h("summary", { class: "small" }, "Repair"),
        parts.map(([part, select]) => row(inWords(part), select)), row("Unit", unit), row("Up axis", up),
        button("Repair", repair, { class: "main" })),
      button("Delete", () => { deleteRecording(one.file, true).then((list) => list && this.onChange(list)).catch(complain); }, { class: "small" }));
  }
}

/** Delete a recording once that is confirmed; gives what is left, or null. */
export async function deleteRecording(file: string, aside: boolean): Promise<LibraryList | null> {
  if (!(await confirmed("Delete the recording?", `${file} and the tags beside it are deleted from the project's folder.`, "Delete"))) return null;
  return api.deleteRecording({ file, aside });
}

function inWords(part: string): string {
  const words = part.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}
