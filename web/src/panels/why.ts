/** The reasons for a decision: the scores of its options, the rules; and how to take another option. */

import type { OptionRow, TakeHeader, Vocabulary, Weighed, WeighedOption, Why } from "../messages";
import { api, jobs } from "../page/api";
import { button, fill, h } from "../page/dom";
import { complain } from "../page/toasts";
import { isLight } from "../page/theme";
import { colourOf, DARK, LIGHT } from "../timeline/colours";
import { pinWords } from "../timeline/pins";
import { barLength, byName, course, expected, number, TERM_WEIGHTS, valueOf, whatItTakes } from "./reasons";

const SHOWN = 25; // actions at once

export class WhyPanel {
  readonly element = h("div");
  onPin: (decision: number, option: OptionRow) => void = () => {};
  onGhost: (decision: number, action: number | null) => void = () => {};
  onDecision: (number: number) => void = () => {};
  private header: TakeHeader | null = null;
  private asked = 0;
  /** Release the pin that took the option of a decision. */
  onUnpin: (decision: number) => void = () => {};
  private readonly weighed = new Map<string, Map<number, WeighedOption>>();

  constructor(private readonly vocabulary: Vocabulary) {
    this.clear();
  }

  setTake(header: TakeHeader): void {
    this.header = header;
    this.clear();
  }

  clear(): void {
    this.asked++;
    if (!this.header) return fill(this.element);
    const some = this.header.decisions.length > 0;
    fill(this.element, h("div", { class: "empty" },
      h("p", {}, some ? "Click an action on the timeline to see why it was chosen, and to take another one." : "No character decides anything in this take.")));
  }

  async show(number: number): Promise<void> {
    const header = this.header;
    if (!header) return;
    const asked = ++this.asked;
    try {
      const why = await api.why(header.take, number);
      if (asked !== this.asked) return;
      this.draw(header, why, "Working out the value of each option…");
      if (why.options.length < 2 || !why.ghosts || this.known(header, why)) return;
      const problem = await this.weigh(header, number);
      await this.pointerAway();
      if (asked === this.asked) this.draw(header, why, problem);
    } catch (error) {
      if (asked === this.asked) complain(error);
    }
  }

  /** Options are sorted again while the pointer is elsewhere: a click must not take another one. */
  private async pointerAway(): Promise<void> {
    const options = this.element.querySelector("[data-options]:hover");
    if (options) await new Promise((away) => { options.addEventListener("pointerleave", away, { once: true }); });
  }

  /** Ask for the values of the options; gives the error message if there are none. */
  private async weigh(header: TakeHeader, number: number): Promise<string> {
    try {
      const done = await jobs.finish(await api.weigh(header.take, number));
      if (done.weighed) this.weighed.set(`${header.take}/${number}`, byAction(done.weighed));
      return "";
    } catch (error) {
      return `The score of each option by itself. The full value is not available: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private known(header: TakeHeader, why: Why): Map<number, WeighedOption> | undefined {
    return this.weighed.get(`${header.take}/${why.number}`);
  }

  private draw(header: TakeHeader, why: Why, waiting = ""): void {
    const who = header.characters[why.who].name, known = this.known(header, why), pinned = isPinned(header, why);
    const plausible = why.options.filter((option) => !option.rule).length;
    const shown = ranked(why.options.filter((option) => !option.rule || option.chosen), known);
    const named = byName(shown);
    fill(this.element,
      h("div", { class: "row", style: "margin-bottom: 6px" },
        h("h2", { style: "flex: 1" }, `${who}: ${why.name}`),
        button("‹", () => this.onDecision(why.number - 1), { class: "icon", disabled: why.number <= 0, "aria-label": "The decision before" }),
        button("›", () => this.onDecision(why.number + 1), { class: "icon", disabled: why.number + 1 >= header.decisions.length, "aria-label": "The next decision" })),
      h("p", { class: "quiet small", style: "margin-bottom: 10px" },
        `At ${(why.tick / header.fps).toFixed(2)} s, looking ${why.depth} ${why.depth === 1 ? "action" : "actions"} ahead. `
        + (why.options.length === 1 ? "There was no choice." : `${why.options.length} options, ${plausible || "none"} of them plausible.`)),
      why.unseen.length ? h("p", { class: "small", style: "margin-bottom: 10px" },
        `${who} had not seen yet that ${why.unseen.map((one) => header.characters[one].name).join(" and ")} was attacking.`) : null,
      pinned ? h("div", { class: "row pinned-line" }, h("span", { class: "small" }, `Pinned: ${pinWords({ who, action: why.name, at: why.tick / header.fps })}`), h("span", { class: "spread" }),
        button("Unpin", () => this.onUnpin(why.number), { class: "small", title: "Let the character choose again" })) : null,
      why.line.length ? h("p", { class: "expected", "data-expected": "" }, h("strong", {}, "Expected: "), expected(header, why.line)) : null,
      h("h3", { style: "margin: 14px 0 2px" }, "Options"),
      h("p", { class: "quiet small", style: "margin-bottom: 6px" }, known || !waiting || !why.ghosts ? "The longer the bar, the better the outcome that the character expected." : waiting),
      h("div", { "data-options": "", onpointerleave: () => this.onGhost(why.number, null) }, named.slice(0, SHOWN).map((options) => this.action(why, options, shown, known))),
      named.length > SHOWN ? h("p", { class: "quiet small" }, `and ${named.length - SHOWN} more actions`) : null,
      this.ruledOut(why));
  }

  /** The best option of a name; the others of that name are folded below it. */
  private action(why: Why, [best, ...others]: OptionRow[], all: readonly OptionRow[], known?: Map<number, WeighedOption>): HTMLElement {
    const first = this.option(why, best, all, known);
    if (others.length === 0) return first;
    const more = h("details", { class: "alike", ontoggle: () => { if (more.children.length === 1) more.append(...others.map((option) => this.option(why, option, all, known))); } },
      h("summary", { class: "small quiet" }, `${others.length} more: ${best.name}`));
    return h("div", {}, first, more);
  }

  private option(why: Why, option: OptionRow, all: readonly OptionRow[], known?: Map<number, WeighedOption>): HTMLElement {
    const value = valueOf(option, known), scale = all.map((one) => valueOf(one, known)).filter((one): one is number => one !== null);
    const length = value === null ? 0 : barLength(value, scale);
    const chosen = all.find((one) => one.chosen);
    const terms = Object.entries(option.terms).filter(([, amount]) => Math.abs(amount) >= 0.005);
    const ghost = (): void => { if (why.ghosts) this.onGhost(why.number, option.action); };
    return h("div", { class: `option${option.chosen ? " chosen" : ""}`, onpointerenter: ghost, onfocusin: ghost, "data-action": option.action, "data-value": value ?? "" },
      h("span", { class: "name" }, h("span", { class: "dot", style: `background: ${colourOf(option.kind, isLight() ? LIGHT : DARK).edge}`, title: option.kind }), option.name),
      h("span", { class: "total small", title: value === null ? "" : known ? "Value when looking ahead" : "Score by itself" }, value === null ? "" : number(value)),
      option.chosen ? h("span", { class: "small quiet" }, "taken")
        : button("Take", () => this.onPin(why.number, option), { title: "Take this instead: everything before stays, everything after is planned again" }),
      h("div", { class: "bars" }, h("span", { style: `width: ${length}%; background: ${colourOf(option.kind, isLight() ? LIGHT : DARK).edge}` })),
      known?.has(option.action) ? h("div", { class: "terms", "data-course": "" }, course(known.get(option.action)!)) : null,
      h("details", { class: "terms" }, h("summary", {}, option.chosen || !chosen ? "By itself" : "What would it take?"),
        option.chosen || !chosen ? null : h("p", {}, whatItTakes(option, chosen, known)),
        h("p", {}, terms.map(([term, amount]) => h("span", { title: this.vocabulary.terms[term] ?? "" }, `${TERM_WEIGHTS[term] ?? term} ${number(amount)}. `)), terms.length ? null : "It counts nothing by itself.")),
      option.rule ? h("div", { class: "terms" }, `It breaks a rule (${option.rule}), but nothing better was left.`) : null);
  }

  private ruledOut(why: Why): HTMLElement | null {
    const rules = Object.entries(why.ruled_out);
    if (rules.length === 0) return null;
    return h("div", {}, h("h3", { style: "margin: 16px 0 6px" }, "Ruled out"), rules.map(([rule, count]) =>
      h("details", { class: "subgroup" }, h("summary", {}, `${count} · ${rule}`),
        h("p", { class: "small quiet" }, why.options.filter((option) => option.rule === rule).map((option) => option.name).join(", ")))));
  }
}

function byAction(weighed: Weighed): Map<number, WeighedOption> {
  return new Map(weighed.options.map((option) => [option.action, option]));
}

/** Whether a person has chosen the action of this decision. */
function isPinned(header: TakeHeader, why: Why): boolean {
  return header.characters[why.who].blocks.some((block) => block.decision === why.number && block.cause === "pinned");
}

/** The chosen one first, then the best. */
function ranked(options: readonly OptionRow[], known?: ReadonlyMap<number, WeighedOption>): OptionRow[] {
  const worth = (option: OptionRow): number => valueOf(option, known) ?? -Infinity;
  return [...options].sort((a, b) => Number(b.chosen) - Number(a.chosen) || worth(b) - worth(a));
}
