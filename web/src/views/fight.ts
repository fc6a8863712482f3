/** A fight from recordings: drop them, see what was found in them, make them fight. */

import { AsideList } from "../library/aside";
import { ACCEPTED, acceptDrops, inOrder, takeFiles, upload } from "../library/dropped";
import { makeThemFight } from "../library/fighting";
import { summary } from "../library/summary";
import type { Library, LibraryList, Recording } from "../messages";
import { api, jobs } from "../page/api";
import { button, bytes, fill, h } from "../page/dom";
import { remaining } from "../page/remaining";
import { complain } from "../page/toasts";
import type { View } from "../page/view";

export class FightView implements View {
  readonly element = h("div", { class: "fight" });
  private readonly files = h("div", { class: "column" });
  private readonly asideList = new AsideList((left) => { this.show(left); void this.analyse(); });
  private readonly aside = h("div", { class: "column", hidden: true }, h("h2", {}, "Set aside"), this.asideList.element);
  private readonly found = h("div", { class: "column found", role: "status" });
  private readonly chosen = new Set<string>();
  private recordings: Recording[] = [];
  private job = "";
  private asked = 0;

  constructor() {
    const chooser = h("input", { type: "file", multiple: true, accept: ACCEPTED, hidden: true, onchange: () => { void this.import([...chooser.files ?? []]); } });
    fill(this.element,
      h("div", { class: "inner" },
        h("h1", {}, "Make a fight from recordings"),
        h("p", { class: "quiet" }, "Each recording shows one person: attacks, defences, steps. Randori finds the actions and lets two characters fight with them."),
        h("div", { class: "drop" }, h("p", { style: "margin-bottom: 8px" }, "Drop recordings anywhere on this page: BVH, FBX, GLB, AMC with ASF, USD, C3D, TRC"),
          button("Choose files", () => chooser.click()), chooser),
        h("div", { class: "columns" }, h("section", { class: "column" }, h("h2", {}, "Recordings"), this.files, this.aside),
          h("section", { class: "column" }, h("h2", {}, "Possible scenes"), this.found))));
    acceptDrops(this.element, (files) => { void this.import(files); });
    void this.begin().catch(complain);
  }

  close(): void {
    this.asked++;
    if (this.job) api.cancel(this.job).catch(() => {}); // it may have ended by itself
  }

  private async begin(): Promise<void> {
    const files = takeFiles();
    this.show(await api.library());
    if (files.length > 0) return this.import(files);
    for (const one of this.usable) this.chosen.add(one.file);
    this.draw();
    await this.analyse();
  }

  private get usable(): Recording[] {
    return this.recordings.filter((one) => !one.needs);
  }

  private show(list: LibraryList): void {
    const before = new Set(this.recordings.map((one) => one.file));
    this.recordings = list.recordings;
    for (const name of [...this.chosen]) if (!list.recordings.some((one) => one.file === name)) this.chosen.delete(name);
    // a recording that has just been repaired is wanted
    if (before.size > 0) for (const one of this.usable) if (!before.has(one.file)) this.chosen.add(one.file);
    this.asideList.show(list.aside);
    this.aside.hidden = list.aside.length === 0;
    this.draw();
  }

  private draw(): void {
    const row = (one: Recording): HTMLElement => {
      const box = h("input", { type: "checkbox", checked: this.chosen.has(one.file), disabled: one.needs !== "", onchange: () => {
        if (box.checked) this.chosen.add(one.file);
        else this.chosen.delete(one.file);
        void this.analyse();
      } });
      return h("label", { class: "row", "data-recording": one.file }, box, h("span", { style: "flex: 1" }, one.file),
        h("span", { class: "quiet small" }, one.needs ? `needs ${one.needs}` : bytes(one.size)));
    };
    fill(this.files, this.recordings.length ? this.recordings.map(row) : h("p", { class: "quiet" }, "None yet."));
    if (this.chosen.size === 0) fill(this.found, h("p", { class: "quiet" }, "Drop or choose recordings first."));
  }

  private async import(files: File[]): Promise<void> {
    const refused: string[] = [];
    const bar = h("progress", { max: files.length, value: 0, "aria-label": "Copying" }), doing = h("span", {});
    for (const [number, file] of inOrder(files).entries()) {
      doing.textContent = `Copying ${file.name}, ${number + 1} of ${files.length}`;
      bar.value = number;
      fill(this.found, doing, bar);
      try {
        const one = await upload(file);
        if (!one.problem && !one.file.toLowerCase().endsWith(".asf")) this.chosen.add(one.file);
      } catch (error) {
        if (error instanceof Error && error.name !== "AbortError") refused.push(error.message);
      }
    }
    this.show(await api.library());
    for (const one of this.recordings) if (one.needs) this.chosen.delete(one.file);
    await this.analyse(refused);
  }

  /** Find what the chosen recordings are good for; another choice makes it begin again. */
  private async analyse(refused: readonly string[] = []): Promise<void> {
    const asked = ++this.asked, begun = performance.now();
    const problems = refused.map((problem) => h("div", { class: "problem", role: "alert" }, problem));
    if (this.job) await api.cancel(this.job).catch(() => {});
    this.job = "";
    const recordings = this.usable.map((one) => one.file).filter((file) => this.chosen.has(file));
    if (recordings.length === 0) {
      fill(this.found, problems, h("p", { class: "quiet" }, "Drop or choose recordings first."));
      return;
    }
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Looking for actions" });
    const doing = h("span", {}, "Looking for actions"), left = h("span", { class: "quiet small" });
    fill(this.found, problems, doing, bar, left);
    try {
      const started = await api.openLibrary({ recordings });
      this.job = started.job;
      const done = await jobs.finish(started, (state) => {
        bar.value = state.share;
        doing.textContent = state.state === "waiting" ? "Waiting for other work to end" : `Looking for actions: ${Math.round(100 * state.share)} %`;
        left.textContent = remaining(performance.now() - begun, state.share);
      });
      if (asked !== this.asked || done.state !== "done") return;
      this.job = "";
      const library = await api.libraryOf(done.library);
      this.show(await api.library()); // what turned out to be unusable was set aside
      this.showFound(library, problems);
    } catch (error) {
      if (asked !== this.asked) return;
      this.show(await api.library());
      fill(this.found, problems, h("div", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  private showFound(library: Library, problems: HTMLElement[]): void {
    const files = library.recordings.map((one) => one.file).filter(Boolean);
    const fights = library.uses.filter((use) => /duel/.test(use.name) && use.able !== "no");
    const tips = library.record.map((line) => h("li", {}, line));
    fill(this.found, problems,
      h("p", { class: "lead", "data-summary": "" }, summary(library)),
      library.missing.length ? h("ul", { class: "small", "aria-label": "What is missing" }, library.missing.map((line) => h("li", {}, `${line[0].toUpperCase()}${line.slice(1)}`))) : null,
      fights.length ? h("div", { class: "row" }, makeThemFight(files, library)) : h("div", { class: "problem" },
        `They cannot fight yet: ${library.uses.filter((use) => /duel/.test(use.name)).map((use) => use.why).join("; ")}.`),
      tips.length ? [h("h3", {}, "Recording this would help most"), h("ul", { class: "small" }, tips)] : []);
  }
}
