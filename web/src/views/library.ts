/** The library: recordings come in, actions are found, looked at and put right. */

import { makeThemFight } from "../library/fighting";
import { matching } from "../library/filter";
import { ACCEPTED, acceptDrops, upload } from "../library/dropped";
import { AsideList, deleteRecording } from "../library/aside";
import { merge, segmentAt, split, tag } from "../library/segments";
import { StripView } from "../library/strip";
import type { Action, Library, LibraryEntry, LibraryList, Recording, Segment, Strip, Vocabulary } from "../messages";
import { api, jobs } from "../page/api";
import { button, bytes, fill, h } from "../page/dom";
import { complain, tell } from "../page/toasts";
import type { View } from "../page/view";
import { Stage } from "../stage/stage";
import { Player } from "../take/player";
import { TakeShow } from "../take/show";
import { colourOf } from "../timeline/colours";

const SHOWN = 400; // actions at once

export class LibraryView implements View {
  readonly element = h("div", { class: "library" });
  private readonly sources = h("div", { class: "column" });
  private readonly results = h("div", { style: "overflow-y: auto; min-height: 0; height: 100%" });
  private readonly grid = h("div", { class: "actions" });
  private readonly count = h("span", { class: "quiet small" });
  private readonly details = h("div", { class: "panel" });
  private readonly stage: Stage;
  private readonly show: TakeShow;
  private readonly strip = new StripView();
  private readonly asideList = new AsideList((left) => this.drawSources(left));
  private readonly drop: HTMLElement;
  private readonly search = h("input", { type: "search", placeholder: "Search: left jab head…", "aria-label": "Search actions", style: "flex: 1", oninput: () => this.drawGrid() });
  private readonly kind = h("select", { "aria-label": "Kind", onchange: () => this.drawGrid() });
  private vocabulary: Vocabulary | null = null;
  private library: Library | null = null;
  private entry: LibraryEntry | null = null;
  private action: Action | null = null;
  private recording = -1; // whose strip is shown
  private stripShown: Strip | null = null;
  private segments: Segment[] = [];
  private past: Segment[][] = [];
  private segment = -1;
  private cursor = 0;
  private preview: AbortController | null = null;

  /** `words` may name a set, or a recording, that is opened at once. */
  constructor(words: URLSearchParams) {
    const chooser = h("input", { type: "file", multiple: true, accept: ACCEPTED, hidden: true, onchange: () => { void this.import([...chooser.files ?? []]); } });
    this.drop = h("div", { class: "drop" }, h("p", { style: "margin-bottom: 8px" }, "Drop recordings here"),
      button("Choose files", () => chooser.click()), chooser);
    const previewBox = h("div", { class: "stage" });
    fill(this.element,
      h("div", { class: "side left" }, h("div", { class: "panel column" }, this.drop, this.sources)),
      this.results,
      h("div", { class: "side right" }, h("div", { class: "preview" }, previewBox), this.details));
    acceptDrops(this.element, (files) => { void this.import(files); });
    this.stage = new Stage(previewBox, "randori.preview");
    this.stage.showNames(false);
    this.show = new TakeShow(this.stage, new Player());
    this.strip.onSelect = (number, time) => { this.segment = number; this.cursor = time; this.drawDetails(); this.previewSegment(); };
    this.strip.onChange = (segments) => this.edit(segments);
    fill(this.results, h("div", { class: "empty" }, "Choose a set of the built-in performer, or drop recordings of your own."));
    fill(this.details, h("div", { class: "empty" }, "Choose an action to see it move."));
    void this.load().then((list) => {
      const set = words.get("set"), file = words.get("recording");
      const wanted = set ? list.libraries.find((one) => one.source.set === set) : file ? recordingEntry([file]) : undefined;
      if (wanted) void this.open(wanted);
    }).catch(complain);
  }

  close(): void {
    this.stage.dispose();
  }

  key(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
    } else if (event.key === "/") {
      event.preventDefault();
      this.search.focus();
    }
  }

  // ---- what there is

  private async load(): Promise<LibraryList> {
    this.vocabulary ??= await api.vocabulary();
    const list = await api.library();
    this.drawSources(list);
    return list;
  }

  private drawSources(list: LibraryList): void {
    const entry = (one: LibraryEntry): HTMLElement => h("button", { type: "button", onclick: () => { void this.open(one); }, "data-library": one.source.set || one.title },
      h("div", {}, one.title), h("div", { class: "quiet small" }, one.description));
    const recording = (one: Recording): HTMLElement => h("div", { class: "row", style: "gap: 2px" }, recordingButton(one),
      button("×", () => { deleteRecording(one.file, false).then((left) => left && this.drawSources(left)).catch(complain); },
        { class: "plain icon", "aria-label": `Delete ${one.file}`, title: "Delete this recording" }));
    const recordingButton = (one: Recording): HTMLElement => h("button", { type: "button", style: "flex: 1", disabled: one.needs !== "", "data-recording": one.file,
      onclick: () => { void this.open(recordingEntry([one.file])); } },
    h("div", { class: "one-line", title: one.file }, one.file), h("div", { class: "quiet small" }, one.needs ? `needs ${one.needs}` : bytes(one.size)));
    this.asideList.show(list.aside);
    fill(this.sources,
      list.recordings.length ? [h("h3", {}, "Your recordings"), h("div", { class: "list" }, list.recordings.map(recording))] : [],
      list.aside.length ? [h("h3", {}, "Set aside"), this.asideList.element] : [],
      h("h3", {}, "Libraries"), h("div", { class: "list" }, list.libraries.map(entry)));
  }

  private async import(files: File[]): Promise<void> {
    const taken: string[] = [];
    for (const file of files) {
      try {
        const { file: name, problem } = await upload(file);
        if (problem) complain(`${name} was set aside. ${problem}`);
        else taken.push(name);
      } catch (error) {
        complain(error);
      }
    }
    if (files.length > 0) await this.load().catch(complain);
    const usable = taken.filter((name) => !name.toLowerCase().endsWith(".asf"));
    if (usable.length > 0) await this.open(recordingEntry(usable));
  }

  private async open(entry: LibraryEntry): Promise<void> {
    this.entry = entry;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Opening" }), doing = h("span", {}, `Opening ${entry.title}…`);
    const cancel = button("Cancel", () => { if (job) api.cancel(job).catch(complain); });
    let job = "";
    fill(this.results, h("div", { class: "empty" }, h("div", { class: "column", style: "align-items: center" }, doing, bar, cancel)));
    try {
      const started = await api.openLibrary(entry.source);
      job = started.job;
      const done = await jobs.finish(started, (state) => {
        bar.value = state.share;
        if (state.doing) doing.textContent = `Opening ${entry.title}: ${state.doing}…`;
      });
      if (this.entry !== entry) return;
      if (done.state !== "done") {
        fill(this.results, h("div", { class: "empty" }, "Cancelled."));
        return;
      }
      this.showLibrary(await api.libraryOf(done.library));
    } catch (error) {
      if (this.entry !== entry) return;
      fill(this.results, h("div", { class: "panel" }, h("div", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error))));
    }
  }

  // ---- actions

  private showLibrary(library: Library): void {
    this.library = library;
    this.recording = -1;
    this.past = [];
    const kinds = [...new Set(library.actions.map((action) => action.kind))].sort();
    fill(this.kind, h("option", { value: "" }, "All kinds"), kinds.map((kind) => h("option", { value: kind }, kind)));
    const graph = h("details", { class: "group", style: "margin: 12px 14px" }, h("summary", {}, "How actions follow on each other"),
      h("div", { class: "inside" }, h("img", { class: "graph", src: api.graph(library.library), alt: "The graph of the library's actions", loading: "lazy" }),
        h("ul", { class: "small quiet" }, library.words.map((word) => h("li", {}, word)))));
    const list = (title: string, lines: string[]): HTMLElement[] => lines.length ? [h("h3", {}, title), h("ul", { class: "small" }, lines.map((line) => h("li", {}, line)))] : [];
    const useful = h("details", { class: "group useful", style: "margin: 12px 14px", open: true }, h("summary", {}, "Possible scenes"),
      h("div", { class: "inside" },
        h("ul", { class: "uses small" }, library.uses.map((use) => h("li", { class: use.able }, h("span", { class: "able" }, use.able), h("span", {}, use.name), h("span", { class: "quiet" }, use.why)))),
        list("Missing", library.missing), list("Record next", library.record)));
    const problems = library.recordings.flatMap((one) => one.problems.map((problem) => `${one.name}: ${problem}`));
    const own = this.entry?.source.recordings?.length ? library.recordings.map((one) => one.file).filter(Boolean) : [];
    fill(this.results,
      h("div", { class: "tools" }, h("h2", {}, library.title), this.count, this.search, this.kind, own.length ? makeThemFight(own, library) : null),
      problems.length ? h("div", { class: "problem", style: "margin: 12px 14px 0" }, problems.join("\n")) : null,
      useful, graph, this.grid);
    this.drawGrid();
    if (library.actions.length > 0) this.choose(library.actions.find((action) => action.kind === "attack") ?? library.actions[0]);
  }

  private drawGrid(): void {
    if (!this.library) return;
    const found = matching(this.library.actions, this.search.value, this.kind.value);
    this.count.textContent = `${found.length} of ${this.library.actions.length} actions, ${this.library.seconds.toFixed(0)} s`;
    fill(this.grid, found.slice(0, SHOWN).map((action) => h("button", {
      type: "button", class: "action", style: `border-left-color: ${colourOf(action.kind).edge}`, "data-number": action.number,
      "aria-pressed": String(action.number === this.action?.number),
      onclick: () => this.choose(action), onpointerenter: () => this.peek(action),
    }, h("span", { class: "name" }, action.name),
    h("span", { class: "quiet small" }, `${(action.stop - action.start).toFixed(2)} s${action.position ? ` · ${action.position}` : ""}${action.kept ? "" : " · not in the graph"}${action.edited ? " · edited" : ""}`))),
    found.length > SHOWN ? h("p", { class: "quiet" }, `and ${found.length - SHOWN} more: search for less`) : null);
  }

  private choose(action: Action): void {
    this.action = action;
    for (const card of this.grid.children) card.setAttribute("aria-pressed", String((card as HTMLElement).dataset.number === String(action.number)));
    this.peek(action);
    void this.loadStrip(action);
  }

  /** Show an action moving. */
  private peek(action: Action): void {
    const library = this.library;
    if (!library) return;
    this.preview?.abort();
    this.preview = new AbortController();
    api.action(library.library, action.number, this.preview.signal).then((take) => {
      const first = this.show.take === null;
      this.show.load(take);
      this.show.player.seek(0);
      this.show.player.play();
      if (first) this.stage.cameras.look({ position: [-1.5, 1.45, 2.7], target: [0, 0.92, 0.1] });
      this.stage.cameras.following = 0;
    }).catch(complain);
  }

  // ---- tags and boundaries

  private async loadStrip(action: Action): Promise<void> {
    const library = this.library!;
    if (this.recording !== action.recording) {
      this.recording = action.recording;
      try {
        this.stripShown = await api.strip(library.library, action.recording);
      } catch (error) {
        complain(error);
        return;
      }
      this.segments = this.stripShown.segments;
      this.past = [];
    }
    if (!this.stripShown) return;
    this.segment = segmentAt(this.segments, (action.start + action.stop) / 2);
    this.cursor = (action.start + action.stop) / 2;
    this.drawDetails();
    this.strip.show(this.stripShown, this.segments);
    this.strip.select(this.segment);
  }

  private previewSegment(): void {
    const one = this.segments[this.segment];
    const action = one && this.library?.actions.find((row) => row.recording === this.recording && row.start <= this.cursor && this.cursor < row.stop);
    if (action) this.peek(action);
  }

  private drawDetails(): void {
    const vocabulary = this.vocabulary!, strip = this.stripShown, one = this.segments[this.segment];
    if (!strip || !this.library) return;
    const recording = this.library.recordings[this.recording];
    const words = (key: "kind" | "side" | "position" | "direction", choices: string[]): HTMLElement => {
      const select = h("select", { "aria-label": key, disabled: !strip.file, onchange: () => this.edit(tag(this.segments, this.segment, { [key]: select.value })) },
        [...new Set(["", ...choices, one?.[key] ?? ""])].map((word) => h("option", { value: word, selected: word === (one?.[key] ?? "") }, word || "—")));
      return h("div", { class: "field" }, h("label", {}, key[0].toUpperCase() + key.slice(1)), select);
    };
    const technique = h("input", { type: "text", value: one?.technique ?? "", disabled: !strip.file, "aria-label": "technique",
      onchange: () => this.edit(tag(this.segments, this.segment, { technique: technique.value.trim() })) });
    fill(this.details,
      h("h2", {}, this.action?.name ?? ""), h("p", { class: "quiet small", style: "margin-bottom: 8px" },
        `${recording?.name ?? ""} · ${[recording?.licence, recording?.credit].filter(Boolean).join(" · ") || "no licence given"}`),
      this.strip.element,
      h("div", { class: "row", style: "margin: 8px 0" },
        button("Split here", () => this.edit(split(this.segments, this.cursor, strip.seconds)), { disabled: !strip.file }),
        button("Join", () => this.edit(merge(this.segments, this.segment)), { disabled: !strip.file || this.segment < 1, title: "With the segment before" }),
        button("Undo", () => this.undo(), { disabled: this.past.length === 0 })),
      strip.file ? null : h("p", { class: "quiet small" }, "The built-in performer tags its own actions; recordings of yours can be edited here."),
      one ? [words("kind", vocabulary.kinds), h("div", { class: "field" }, h("label", {}, "Technique"), technique),
        words("side", vocabulary.sides), words("position", vocabulary.positions), words("direction", vocabulary.directions)] : [],
      strip.file && this.past.length ? h("div", { class: "row", style: "margin-top: 10px" },
        button("Use the edits", () => { void this.open(this.entry!); }, { class: "main" }), h("span", { class: "quiet small" }, "makes the library again")) : null);
  }

  private edit(segments: Segment[]): void {
    this.past.push(this.segments);
    this.write(segments);
  }

  private undo(): void {
    const before = this.past.pop();
    if (before) this.write(before);
  }

  private write(segments: Segment[]): void {
    const strip = this.stripShown!;
    this.segments = segments;
    this.strip.show(strip, segments);
    this.drawDetails();
    api.editSegments({ file: strip.file, segments }).then((written) => {
      this.segments = written.segments;
      this.strip.show(strip, this.segments);
      tell(`Written beside ${written.file}.`);
    }).catch(complain);
  }
}

/** Some recordings of the project as a library. */
function recordingEntry(files: string[]): LibraryEntry {
  return { source: { recordings: files, set: "", motions: "", scene: null }, title: files.join(", "), description: "" };
}
