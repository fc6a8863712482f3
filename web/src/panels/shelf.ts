/** Takes of a scene side by side on a shelf: other seeds, made in the background, compared and chosen. */

import type { SceneFile } from "../document/scene_file";
import { keepShelf, shelfOf, type ShelvedTake } from "../document/shelves";
import { valuesOf } from "../document/values";
import { api, jobs } from "../page/api";
import { button, fill, h } from "../page/dom";
import { complain } from "../page/toasts";
import { snapshot } from "../stage/snapshot";
import type { Take } from "../take/buffer";

const MORE = 8; // takes at once

export class Shelf {
  readonly element = h("div");
  /** Show a take beside the one on the stage. */
  onCompare: (take: Take) => void = () => {};
  private entries: ShelvedTake[]; // in the order in which they came
  private waiting = 0;
  private turn = 0;
  /** One button for all drawings: a click must not miss because a take has just come in. */
  private readonly stop = button("Stop", () => { this.turn++; this.waiting = 0; this.draw(); }, { class: "small" });

  constructor(private readonly file: SceneFile, private readonly seedTo: (seed: number) => void) {
    this.entries = shelfOf(file.key);
    file.onChange(() => this.draw());
    this.draw();
  }

  /** No more of them; what is being made is left. */
  close(): void {
    this.turn++;
  }

  /** A take that was made: it is kept here with the text that made it, at first without a picture. */
  add(take: Take): void {
    const { header } = take;
    if (header.draft || this.entries.some((one) => one.take === header.take)) return;
    this.entries.push({
      seed: header.seed, take: header.take, text: withoutSeed(this.file.document.text), name: `Seed ${header.seed}`, picture: "",
      hits: header.events.filter((event) => event.kind === "hit").length, warnings: header.quality?.sentences.filter((line) => !line.fine).length ?? 0,
    });
    this.changed();
  }

  /** Show what a take looks like: a picture of the stage, or one that is drawn for it. */
  async illustrate(take: Take, picture = ""): Promise<void> {
    const entry = this.entries.find((one) => one.take === take.header.take);
    if (!entry || entry.picture) return;
    entry.picture = picture || await snapshot(take);
    this.changed();
  }

  private remove(entry: ShelvedTake): void {
    this.entries = this.entries.filter((one) => one !== entry);
    this.changed();
  }

  /** Shown, and kept for the next visit. */
  private changed(): void {
    keepShelf(this.file.key, this.entries);
    this.draw();
  }

  private draw(): void {
    const text = withoutSeed(this.file.document.text), seed = Number(valuesOf(this.file.document)?.seed ?? 1);
    fill(this.element,
      h("div", { class: "row", style: "margin-bottom: 10px" },
        button("Eight more takes", () => { void this.more(); }, { class: "main", disabled: !this.file.document.scene || this.waiting > 0, "data-more": "" }),
        this.waiting ? [h("span", { class: "small quiet", role: "status" }, `${this.waiting} still to come`), this.stop] : []),
      this.entries.length ? null : h("p", { class: "quiet small" }, "The same scene with other seeds, made in the background."),
      h("div", { class: "shelf" }, this.entries.toSorted((a, b) => a.seed - b.seed).map((one) => this.card(one, one.text !== text, one.seed === seed && one.text === text))));
  }

  private card(one: ShelvedTake, stale: boolean, shown: boolean): HTMLElement {
    const name = h("input", { type: "text", value: one.name, "aria-label": "Name of the take", maxLength: 60, oninput: () => { one.name = name.value; keepShelf(this.file.key, this.entries); } });
    return h("div", { class: `take${shown ? " on" : ""}${stale ? " old" : ""}`, "data-take": one.take, "data-seed": one.seed },
      one.picture ? h("img", { src: one.picture, alt: "" }) : null, name,
      h("span", { class: "small quiet" }, `seed ${one.seed} · ${one.hits} ${one.hits === 1 ? "hit" : "hits"} · ${one.warnings === 0 ? "quality fine" : `${one.warnings} to look at`}${stale ? " · made with other settings" : ""}`),
      h("div", { class: "row" },
        shown ? h("span", { class: "small" }, "on the stage") : button("Use", () => this.seedTo(one.seed), { disabled: stale, title: stale ? "Undo your changes to use it: it was made with other settings" : "Make this the scene's take" }),
        shown ? null : [button("Compare", () => { void this.compare(one); }),
          button("×", () => this.remove(one), { class: "plain icon", "aria-label": `Take ${one.name} off the shelf`, title: "Take it off the shelf" })]));
  }

  private async compare(one: ShelvedTake): Promise<void> {
    try {
      this.onCompare(await api.take(one.take));
    } catch (error) {
      complain(error);
      this.remove(one); // it was cleared away, or made by another version
    }
  }

  private async more(): Promise<void> {
    const { text, file, gallery } = this.file.document, turn = ++this.turn;
    const from = Math.max(Number(valuesOf(this.file.document)?.seed ?? 1), ...this.entries.map((one) => one.seed));
    this.waiting = MORE;
    this.draw();
    try {
      for (let seed = from + 1; seed <= from + MORE && turn === this.turn; seed++) {
        const done = await jobs.finish(await api.simulate({ text, file, gallery, seed, background: true }));
        if (turn !== this.turn) return;
        if (done.take) {
          const take = await api.take(done.take.take);
          this.add(take);
          await this.illustrate(take);
        }
        this.waiting--;
        this.draw();
      }
    } catch (error) {
      complain(error);
    } finally {
      if (turn === this.turn) {
        this.waiting = 0;
        this.draw();
      }
    }
  }
}

/** A scene's text as it is for all seeds. */
export function withoutSeed(text: string): string {
  return text.replace(/^seed\s*=.*\n?/m, "");
}
