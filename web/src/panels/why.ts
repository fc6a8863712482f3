/** Why somebody did what they did: the options, what they count, what was ruled out; and taking another one. */

import type { OptionRow, TakeHeader, Vocabulary, Why } from "../messages";
import { api } from "../page/api";
import { button, fill, h } from "../page/dom";
import { complain } from "../page/toasts";
import { colourOf } from "../timeline/colours";

const SHOWN = 40; // options at once
const TERM_COLOURS = ["#e9a15b", "#6fb6e8", "#9ccf7a", "#d58ad0", "#e6d25e", "#8fa0b8"];

export class WhyPanel {
  readonly element = h("div");
  onPin: (decision: number, option: OptionRow) => void = () => {};
  onGhost: (decision: number, action: number | null) => void = () => {};
  onDecision: (number: number) => void = () => {};
  private header: TakeHeader | null = null;
  private asked = 0;

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
      h("p", {}, some ? "Click an action on the timeline to see why it was chosen, and to take another one." : "Nobody decides anything in this take.")));
  }

  async show(number: number): Promise<void> {
    const header = this.header;
    if (!header) return;
    const asked = ++this.asked;
    try {
      const why = await api.why(header.take, number);
      if (asked === this.asked) this.draw(header, why);
    } catch (error) {
      if (asked === this.asked) complain(error);
    }
  }

  private draw(header: TakeHeader, why: Why): void {
    const who = header.characters[why.who].name;
    const plausible = why.options.filter((option) => !option.rule).length;
    const shown = why.options.filter((option) => !option.rule || option.chosen);
    fill(this.element,
      h("div", { class: "row", style: "margin-bottom: 6px" },
        h("h2", { style: "flex: 1" }, `${who}: ${why.name}`),
        button("‹", () => this.onDecision(why.number - 1), { class: "icon", disabled: why.number <= 0, "aria-label": "The decision before" }),
        button("›", () => this.onDecision(why.number + 1), { class: "icon", disabled: why.number + 1 >= header.decisions.length, "aria-label": "The next decision" })),
      h("p", { class: "quiet small", style: "margin-bottom: 10px" },
        `Decision ${why.number + 1} at ${(why.tick / header.fps).toFixed(2)} s, ${why.depth} plies ahead. `
        + (why.options.length === 1 ? "It had no choice." : `${why.options.length} options, ${plausible || "none"} of them plausible.`)),
      why.unseen.length ? h("p", { class: "small", style: "margin-bottom: 10px" },
        `It did not see yet that ${why.unseen.map((one) => header.characters[one].name).join(" and ")} was attacking.`) : null,
      this.line(header, why),
      h("h3", { style: "margin: 14px 0 2px" }, "Options"),
      h("p", { class: "quiet small", style: "margin-bottom: 6px" }, "What each counts by itself; the choice looked further ahead."),
      this.legend(shown),
      h("div", { onpointerleave: () => this.onGhost(why.number, null) }, shown.slice(0, SHOWN).map((option) => this.option(why, option, shown))),
      shown.length > SHOWN ? h("p", { class: "quiet small" }, `and ${shown.length - SHOWN} more`) : null,
      this.ruledOut(why));
  }

  private line(header: TakeHeader, why: Why): HTMLElement | null {
    if (why.line.length === 0) return null;
    return h("div", {}, h("h3", { style: "margin-bottom: 4px" }, "It expected"), why.line.map((step) =>
      h("div", { class: "line-step" }, h("span", { class: "quiet" }, `${(step.tick / header.fps).toFixed(2)} s`),
        h("span", {}, header.characters[step.who].name), h("span", {}, step.name))));
  }

  private legend(options: OptionRow[]): HTMLElement {
    const terms = usedTerms(options);
    return h("div", { class: "row small quiet", style: "flex-wrap: wrap; gap: 2px 12px; margin-bottom: 6px" }, terms.map((term) =>
      h("span", { class: "row", style: "gap: 5px", title: this.vocabulary.terms[term] ?? "" },
        h("span", { class: "dot", style: `background: ${termColour(term)}` }), term)));
  }

  private option(why: Why, option: OptionRow, all: OptionRow[]): HTMLElement {
    // damage counts 10⁵, a step 1: lengths of bars are logarithms
    const size = (value: number): number => Math.log1p(Math.abs(value));
    const largest = Math.max(...all.map((one) => Object.values(one.terms).reduce((sum, term) => sum + size(term), 0)), 1e-9);
    const terms = Object.entries(option.terms).filter(([, value]) => value !== 0);
    const ghost = (): void => { if (why.ghosts) this.onGhost(why.number, option.action); };
    return h("div", { class: `option${option.chosen ? " chosen" : ""}`, onpointerenter: ghost, onfocusin: ghost, "data-action": option.action },
      h("span", { class: "name" }, h("span", { class: "dot", style: `background: ${colourOf(option.kind).edge}`, title: option.kind }), option.name),
      h("span", { class: "total small" }, number(option.total)),
      option.chosen ? h("span", { class: "small quiet" }, "taken")
        : button("Take", () => this.onPin(why.number, option), { title: "Take this instead: what came before stays, what follows is planned anew" }),
      h("div", { class: "bars" }, terms.map(([term, value]) =>
        h("span", { style: `width: ${(100 * size(value)) / largest}%; background: ${termColour(term)}`, title: `${term} ${number(value)}` }))),
      h("div", { class: "terms" }, terms.map(([term, value]) => `${term} ${number(value)}`).join(" · ") || "counts nothing by itself"),
      option.rule ? h("div", { class: "terms" }, `breaks a rule (${option.rule}); nothing better was left`) : null);
  }

  private ruledOut(why: Why): HTMLElement | null {
    const rules = Object.entries(why.ruled_out);
    if (rules.length === 0) return null;
    return h("div", {}, h("h3", { style: "margin: 16px 0 6px" }, "Ruled out"), rules.map(([rule, count]) =>
      h("details", { class: "subgroup" }, h("summary", {}, `${count} · ${rule}`),
        h("p", { class: "small quiet" }, why.options.filter((option) => option.rule === rule).map((option) => option.name).join(", ")))));
  }
}

function usedTerms(options: OptionRow[]): string[] {
  const names = new Set<string>();
  for (const option of options) for (const [term, value] of Object.entries(option.terms)) if (value !== 0) names.add(term);
  return [...names];
}

const termOrder: string[] = [];
function termColour(term: string): string {
  if (!termOrder.includes(term)) termOrder.push(term);
  return TERM_COLOURS[termOrder.indexOf(term) % TERM_COLOURS.length];
}

function number(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1000 ? value.toLocaleString("en", { maximumSignificantDigits: 3 }) : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return text.replace("-", "−");
}
