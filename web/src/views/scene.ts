/** A scene: the stage, its timeline, and everything that can be asked and changed. */

import * as THREE from "three";
import { set } from "../document/edits";
import { SceneFile } from "../document/scene_file";
import { type Progress, Simulation } from "../document/simulation";
import { valuesOf } from "../document/values";
import { sendLive } from "../live/pending";
import type { OptionRow, TakeHeader, Vocabulary } from "../messages";
import { api, Refusal } from "../page/api";
import { CameraBar } from "../page/camera_bar";
import { askName, confirmed } from "../page/dialogs";
import { button, fill, h } from "../page/dom";
import { remaining } from "../page/remaining";
import { complain, tell } from "../page/toasts";
import { Transport } from "../page/transport";
import { addressOf, type View } from "../page/view";
import { Handover, slug } from "../panels/handover";
import { Inspector } from "../panels/inspector";
import { Tabs } from "../panels/tabs";
import { WhyPanel } from "../panels/why";
import { Ghost } from "../stage/ghost";
import { clear, formation, type Point, trail } from "../stage/marks";
import { type Drag, Stage } from "../stage/stage";
import type { Take } from "../take/buffer";
import { Player } from "../take/player";
import { goodDirection, TakeShow } from "../take/show";
import { TimelineLanes } from "../timeline/lanes";
import { neighbour, RULER } from "../timeline/layout";

const LANE = 36, LOWEST = 118, TALLEST = 300; // pixels of the timeline
const GRAB = 0.4; // metres around somebody's start within which it is taken

export class SceneView implements View {
  readonly element = h("div", { class: "editor" });
  readonly player = new Player();
  readonly stage: Stage;
  readonly show: TakeShow;
  private readonly timeline = new TimelineLanes(this.player);
  private readonly transport = new Transport(this.player);
  private readonly stageBox = h("div", { class: "stage" });
  private readonly lower = h("div", { class: "lower" }, grip(), this.timeline.element);
  private readonly bar = h("div", { class: "bar" });
  private readonly workText = h("span", { class: "small quiet", role: "status" });
  private readonly workBar = h("progress", { max: 1, value: 0, "aria-label": "Simulation" });
  private readonly work = h("div", { class: "row", hidden: true }, this.workText, this.workBar, button("Cancel", () => { void this.simulation.cancel(); }));
  private readonly veil = h("div", { class: "veil" }, h("div", { class: "box" }, "Opening…"));
  private readonly note = h("div", { class: "message", hidden: true, role: "status" });
  private readonly simulation = new Simulation();
  private readonly ghost: Ghost;
  private readonly cameras: CameraBar;
  private file: SceneFile | null = null;
  private inspector: Inspector | null = null;
  private why: WhyPanel | null = null;
  private handover: Handover | null = null;
  private progress: Progress = { doing: "", share: 0 };
  private loading = 0;
  private readonly begun = performance.now();
  private readonly left = h("span", { class: "quiet small" }); // how long it still takes
  private decision = -1; // that is chosen
  private ghostAsked: AbortController | null = null;
  private formationShown = false;
  private trailsShown = false;
  private lastFrame = performance.now();

  constructor(words: URLSearchParams) {
    const key = words.get("file") || words.get("gallery") || words.get("take") || "scene";
    this.stage = new Stage(this.stageBox, `randori.cameras.${key}`);
    this.show = new TakeShow(this.stage, this.player, () => this.afterFrame());
    this.ghost = new Ghost(this.stage);
    this.cameras = new CameraBar(this.stage, [
      { title: "Names", help: "Names above people", on: true, change: (on) => this.stage.showNames(on) },
      { title: "Trails", help: "Where everybody goes", on: false, change: (on) => { this.trailsShown = on; this.show.showTrails(on); } },
      { title: "Formation", help: "Where everybody starts; drag to move", on: false, change: (on) => { this.formationShown = on; this.drawFormation(); } },
    ]);
    this.stageBox.append(this.cameras.element, this.note, this.veil);
    this.stage.onSelect = (who) => this.select(who, -1);
    this.stage.onDragCheckpoint = (number, place, done) => { if (done) this.inspector?.dragCheckpoint(number, place); };
    this.stage.onGrab = (event) => this.grabStart(event);
    this.timeline.onSelect = (who, decision) => this.select(who, decision);
    this.simulation.onTake = (take) => { void this.loadTake(take); };
    this.simulation.onProgress = (progress) => { this.progress = progress; this.drawProgress(); };
    this.simulation.onProblem = (error) => { this.veil.hidden = this.show.take !== null; complain(error); };
    fill(this.element, this.bar, h("div", { class: "side left" }),
      h("div", { class: "middle" }, this.stageBox, this.transport.element), h("div", { class: "side right" }), this.lower);
    this.open(words).catch((error: unknown) => { this.veilText("It could not be opened."); complain(error); });
  }

  key(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (command && letter !== "s" && event.target instanceof HTMLTextAreaElement) return; // has an undo of its own
    if (command && letter === "z") (event.shiftKey ? this.redo() : this.undo());
    else if (command && letter === "y") this.redo();
    else if (command && letter === "s") void this.save();
    else if (this.transport.key(event) || this.cameras.key(event)) return;
    else if (event.key === "[" || event.key === "]") this.stepDecision(event.key === "]" ? 1 : -1);
    else if (event.key === "Escape") this.select(-1, -1);
    else return;
    event.preventDefault();
  }

  get unsaved(): boolean {
    return this.file?.unsaved ?? false;
  }

  close(): void {
    void this.simulation.cancel();
    this.stage.dispose();
  }

  // ---- opening

  private async open(words: URLSearchParams): Promise<void> {
    const take = words.get("take");
    if (take) {
      this.element.classList.add("alone");
      this.furnish(await api.vocabulary());
      this.drawBar();
      await this.loadTake(take);
      return;
    }
    const opening = SceneFile.open(words.get("gallery") ?? "", words.get("file") ?? "");
    const [file, vocabulary] = await Promise.all([opening, api.vocabulary()]);
    this.file = file;
    this.furnish(vocabulary);
    this.file.onChange(() => this.changed());
    this.drawBar();
    if (!this.file.document.take && !this.file.document.draft) this.veilText("Simulating the first seconds…");
    await this.simulation.follow(this.file.document);
  }

  /** The panels on both sides. */
  private furnish(vocabulary: Vocabulary): void {
    this.why = new WhyPanel(vocabulary);
    this.why.onPin = (decision, option) => this.pin(decision, option);
    this.why.onGhost = (decision, action) => { void this.showGhost(decision, action); };
    this.why.onDecision = (number) => this.selectDecision(number);
    this.handover = new Handover(vocabulary.formats, () => this.stage.still());
    const tabs = new Tabs([{ title: "Why", content: this.why.element }, { title: "Quality and export", content: this.handover.element }], "About the take");
    this.element.querySelector(".side.right")!.replaceWith(h("div", { class: "side right" }, tabs.element));
    if (!this.file) return;
    this.inspector = new Inspector(this.file, vocabulary);
    this.inspector.onSelect = (who) => this.select(who, -1);
    this.element.querySelector(".side.left")!.replaceWith(this.inspector.element);
  }

  private async loadTake(name: string): Promise<void> {
    const turn = ++this.loading;
    try {
      const take = await api.take(name);
      if (turn === this.loading) this.showTake(take);
    } catch (error) {
      complain(error);
    }
  }

  private showTake(take: Take): void {
    const first = this.show.take === null;
    const selected = this.stage.selected, decision = this.stillMade(take.header);
    this.ghost.show(null);
    this.show.load(take);
    this.timeline.show(take.header);
    this.why?.setTake(take.header);
    this.handover?.setTake(take.header);
    if (first) this.lower.style.height = `${timelineHeight(take.header.characters.length)}px`;
    this.show.showTrails(this.trailsShown);
    this.drawFloor();
    this.markPins(take);
    this.veil.hidden = true;
    this.note.hidden = !take.header.draft || !this.file;
    this.note.textContent = "Draft: the first seconds. The whole take follows.";
    if (first) {
      this.stage.resize(); // the timeline has taken some of its room
      this.stage.cameras.look(this.stage.cameras.framing(this.stage.bounds(), goodDirection(take)));
      this.cameras.setFollowing(-1);
      this.player.play();
    } else if (selected >= 0 && selected < take.header.characters.length) {
      this.choose(selected, decision);
    }
    this.drawBar();
  }

  /** The chosen decision, if somebody makes it in another take, too: whatever they choose there. */
  private stillMade(header: TakeHeader): number {
    const old = this.show.take?.header.decisions[this.decision], now = header.decisions[this.decision];
    return old && now && old.tick === now.tick && old.who === now.who ? this.decision : -1;
  }

  private veilText(text: string): void {
    this.veil.hidden = false;
    fill(this.veil, h("div", { class: "box" }, h("span", {}, text), h("progress", { max: 1, value: this.progress.share, "aria-label": text }), this.left));
  }

  // ---- what is chosen

  private choose(who: number, decision: number): void {
    this.decision = decision;
    this.stage.select(who);
    this.inspector?.select(who);
    this.timeline.select(who, decision);
    // a camera that stays with all keeps them all in view, whoever is chosen
    if ((this.stage.cameras.following ?? -1) >= 0) this.cameras.setFollowing(who);
    this.ghost.show(null);
    if (decision >= 0) void this.why?.show(decision);
  }

  private select(who: number, decision: number): void {
    this.choose(who, decision);
    const mark = this.show.take?.header.decisions[decision];
    if (!mark || !this.show.take) return;
    this.player.pause();
    this.player.seek(mark.tick / this.show.take.fps);
  }

  private selectDecision(number: number): void {
    const mark = this.show.take?.header.decisions[number];
    if (mark) this.select(mark.who, number);
  }

  private stepDecision(direction: 1 | -1): void {
    const header = this.show.take?.header;
    const number = header && neighbour(header, this.player.time, this.stage.selected, direction);
    if (number !== null && number !== undefined) this.selectDecision(number);
  }

  private async showGhost(decision: number, action: number | null): Promise<void> {
    this.ghostAsked?.abort();
    const take = this.show.take;
    if (action === null || !take) {
      this.ghost.show(null);
      return;
    }
    this.ghostAsked = new AbortController();
    try {
      this.ghost.show(await api.ghost(take.header.take, decision, action, this.ghostAsked.signal));
    } catch (error) {
      complain(error);
    }
  }

  private afterFrame(): void {
    const now = performance.now();
    this.ghost.advance(Math.min((now - this.lastFrame) / 1000, 0.1));
    this.lastFrame = now;
    this.timeline.follow();
    this.transport.follow();
  }

  // ---- changes

  private changed(): void {
    this.drawBar();
    this.drawFloor();
    if (this.file) void this.simulation.follow(this.file.document);
  }

  private pin(decision: number, option: OptionRow): void {
    const take = this.show.take;
    if (!take || !this.file) return;
    this.file.pin(`Take ${option.name}`, take.header.take, decision, option.action).catch(complain);
  }

  private undo(): void {
    this.file?.undo().catch(complain);
  }

  private redo(): void {
    this.file?.redo().catch(complain);
  }

  private async save(): Promise<void> {
    const file = this.file;
    if (!file) return;
    let name = file.document.file;
    let overwrite = name !== "";
    if (!name) {
      const asked = await askName("Save the scene", `${slug(file.document.name)}.toml`, "A file in the project's folder.");
      if (!asked) return;
      name = asked.endsWith(".toml") ? asked : `${asked}.toml`;
    }
    for (;;) {
      try {
        await file.save(name, overwrite);
        tell(`Saved as ${file.document.file}.`);
        return;
      } catch (error) {
        const exists = error instanceof Refusal && /exist/.test(error.message) && !overwrite;
        if (!exists) return complain(error);
        if (!(await confirmed("Replace it?", `${name} exists already.`, "Replace"))) return;
        overwrite = true;
      }
    }
  }

  /** A take without a scene file, as live sessions give it, is kept as a file of its own. */
  private async saveTake(): Promise<void> {
    const header = this.show.take?.header;
    const name = header && await askName("Save the take", slug(header.title), "A file in the project's folder takes/.");
    if (!header || !name) return;
    try {
      tell(`Saved as ${(await api.saveTake(header.take, { file: name })).file}.`);
    } catch (error) {
      complain(error);
    }
  }

  // ---- what is drawn besides people

  private drawBar(): void {
    const file = this.file, title = file ? String(file.document.scene?.title ?? file.document.name) : this.show.take?.header.title ?? "";
    fill(this.bar,
      h("span", { class: "title", title }, title), file?.unsaved ? h("span", { class: "quiet small" }, "changed") : null,
      file ? [
        button("↶ Undo", () => this.undo(), { disabled: !file.undoable, title: file.undoable ? `Undo: ${file.undoable} (Ctrl+Z)` : "Nothing to undo" }),
        button("↷ Redo", () => this.redo(), { disabled: !file.redoable, title: file.redoable ? `Redo: ${file.redoable} (Ctrl+Y)` : "Nothing to redo" }),
        button("Save", () => { void this.save(); }, { disabled: !file.unsaved && file.document.file !== "", title: "Save the scene file (Ctrl+S)" }),
        button("Another take", () => this.reseed(), { title: "The same scene with another seed" }),
        button("Play live", () => this.playLive(), { disabled: !file.document.scene, title: "The fight goes on without end, and answers" }),
      ] : [button("Save the take", () => { void this.saveTake(); }, { title: "Into the project's folder takes/" })],
      h("span", { class: "spread" }), this.work);
    this.drawProgress();
  }

  /** Only that: whoever has come to a button by keyboard stays there. */
  private drawProgress(): void {
    const { doing, share } = this.progress;
    this.work.hidden = doing === "";
    this.workText.textContent = `${doing} ${Math.round(100 * share)} %`;
    this.workBar.value = share;
    const bar = this.veil.hidden ? null : this.veil.querySelector("progress");
    if (!bar) return;
    bar.value = share;
    this.left.textContent = remaining(performance.now() - this.begun, share);
  }

  private reseed(): void {
    const seed = Number(valuesOf(this.file!.document)?.seed ?? 0);
    this.file!.edit("Another take", [set(["seed"], seed + 1)]).catch(complain);
  }

  private playLive(): void {
    const { text, file, gallery } = this.file!.document;
    sendLive({ text, file, gallery });
    location.hash = addressOf("live", { session: "boxing" });
  }

  private drawFloor(): void {
    const values = this.file && valuesOf(this.file.document);
    if (values) this.stage.path.show(values.path);
    this.drawFormation();
    this.stage.refresh();
  }

  private drawFormation(): void {
    clear(this.stage.formation);
    const take = this.show.take;
    if (this.formationShown && this.file && take) {
      const colours = take.header.characters.map(({ outfit }) =>
        new THREE.Color().setRGB(...take.header.outfits[outfit % take.header.outfits.length].colours[1], THREE.SRGBColorSpace).getHex());
      this.stage.formation.add(formation(this.starts(take), colours));
      for (const way of this.file.document.ways) this.stage.formation.add(trail(Float32Array.from(way.flat()), 0xf2b84b));
    }
    this.stage.refresh();
  }

  /** Where everybody starts: of a formation the file names only the first pair, the take shows them all. */
  private starts(take: Take): Point[] {
    const { places } = this.file!.document;
    if (places.length >= take.motions.length) return places;
    return take.motions.map(({ roots, turns }) => {
      const [x, y, z, w] = turns.subarray(0, 4);
      return [roots[0], roots[2], THREE.MathUtils.radToDeg(Math.atan2(2 * (x * z + w * y), w * w + z * z - x * x - y * y))];
    });
  }

  /** Starts are dragged while the formation is shown. */
  private grabStart(start: PointerEvent): Drag | null {
    const places = this.file?.document.places, floor = this.stage.floorAt(start);
    if (!this.formationShown || !places || !floor) return null;
    const [x, z] = floor;
    const number = places.findIndex((place) => Math.hypot(place[0] - x, place[1] - z) < GRAB);
    const arrow = this.stage.formation.children[0]?.children[number];
    if (number < 0 || !arrow) return null;
    return (event, done) => {
      const [nx, nz] = this.stage.floorAt(event) ?? floor;
      arrow.position.set(nx, arrow.position.y, nz);
      this.stage.refresh();
      const place = [nx, nz, places[number][2]].map((value) => Math.round(value * 100) / 100);
      const name = valuesOf(this.file!.document)?.cast[number]?.name ?? "";
      if (done) this.file!.edit(`Start of ${name}`, [set(["cast", number, "place"], place)]).catch(complain);
    };
  }

  private markPins(take: Take): void {
    const pins = this.file ? valuesOf(this.file.document)?.pins ?? [] : [];
    const last = Math.max(...pins.map((pin) => pin.decision), 0);
    this.timeline.markPin(take.header.decisions[last - 1]?.tick ?? -1);
  }
}

/** As many lanes as there is room for beside the stage. */
function timelineHeight(characters: number): number {
  return Math.min(Math.max(RULER + LANE * characters + 10, LOWEST), TALLEST);
}

/** Makes the timeline taller or lower. */
function grip(): HTMLElement {
  const handle = h("div", { class: "grip" });
  handle.addEventListener("pointerdown", (start) => {
    const lower = handle.parentElement!, height = lower.clientHeight;
    handle.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent): void => {
      lower.style.height = `${Math.min(Math.max(height + start.clientY - event.clientY, 90), window.innerHeight * 0.6)}px`;
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), { once: true });
  });
  return handle;
}
