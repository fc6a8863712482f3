/** A scene: the stage, its timeline, and everything that can be asked and changed. */

import * as THREE from "three";
import { draftOf, newKey } from "../document/drafts";
import { remove, set } from "../document/edits";
import { duplicatePiece, movePiece, type Moment, type Offer, PALETTE, type Piece, piecesOf, removePieces, turnPiece } from "../document/pieces";
import { SceneFile } from "../document/scene_file";
import { type Progress, Simulation } from "../document/simulation";
import { keepPicture, pictureOf } from "../document/thumbnails";
import { type SceneValues, valuesOf } from "../document/values";
import { acceptDrops } from "../library/dropped";
import { sendLive } from "../live/pending";
import type { Edit, OptionRow, Sentence, TakeHeader, Vocabulary } from "../messages";
import { api, jobs, Refusal, STARTED_ANEW } from "../page/api";
import { CameraBar } from "../page/camera_bar";
import { askName, confirmed } from "../page/dialogs";
import { button, fill, h } from "../page/dom";
import { remaining } from "../page/remaining";
import { complain, tell, unwarn, warn } from "../page/toasts";
import { Transport } from "../page/transport";
import { sideGrip } from "../page/side_panels";
import { SharedScene } from "../page/tabs_apart";
import { addressOf, replaceAddress, type View } from "../page/view";
import { Handover, slug } from "../panels/handover";
import { Inspector } from "../panels/inspector";
import { Shelf } from "../panels/shelf";
import { Tabs } from "../panels/tabs";
import { WhyPanel } from "../panels/why";
import { Comparison } from "../stage/compare";
import { Ghost } from "../stage/ghost";
import { clear, trail } from "../stage/marks";
import { type Drag, Stage } from "../stage/stage";
import { meshesOf } from "../stage/worn";
import type { Take } from "../take/buffer";
import { Player } from "../take/player";
import { goodDirection, TakeShow } from "../take/show";
import { curvesOf } from "../timeline/curves";
import { type Flag, TimelineLanes } from "../timeline/lanes";
import { type Cut, cutAt, cutsOf, movedCut, shotsOf, withCut } from "../timeline/cuts";
import { markerAt, withMarker } from "../timeline/markers";
import { pinOf, pinWords, unmet } from "../timeline/pins";
import { neighbour, RULER } from "../timeline/layout";

const LANE = 36, CURVES = 42, LOWEST = 118, TALLEST = 260; // pixels of the timeline
const FILM_WIDTH = 1280, FILM_HEIGHT = 720, FILM_FPS = 30; // of films of the stage
const PICTURE_AFTER = 2500; // milliseconds, so that the stage has been drawn
const COMPANY = "This scene is open in another tab, too. The tab that saves last is asked before anything is replaced.";
const ZOOMED = 1.5; // seconds around an action that are seen, too
const EMPTY = 'title = "New scene"\nseconds = 20.0\nseed = 1\n';

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
  private readonly work = h("div", { class: "row", hidden: true }, this.workText, this.workBar, button("Cancel", () => { void this.stopSimulation(); }));
  private readonly veil = h("div", { class: "veil" }, h("div", { class: "box" }, "Opening…"));
  private readonly note = h("div", { class: "message", hidden: true, role: "status" });
  private readonly simulation = new Simulation();
  private readonly ghost: Ghost;
  private readonly cameras: CameraBar;
  private readonly shared = new SharedScene();
  private readonly arranger = h("div", { class: "arranger", role: "group", "aria-label": "Selection on the stage", hidden: true });
  private readonly banner = h("div", { class: "banner", role: "status", hidden: true });
  private file: SceneFile | null = null;
  private vocabulary: Vocabulary | null = null;
  private placing: Offer | null = null;
  private pieces: Piece[] = [];
  private readonly taken = new Set<number>(); // pieces that are chosen
  private inspector: Inspector | null = null;
  private why: WhyPanel | null = null;
  private handover: Handover | null = null;
  private shelf: Shelf | null = null;
  private comparison: Comparison | null = null;
  private progress: Progress = { doing: "", share: 0 };
  private stopped = false; // the user has stopped the simulation of the text as it is now
  private newest = ""; // the take of the text as it is now
  private followed = ""; // what was simulated last
  private loading = 0;
  private begun = 0; // when the work moved for the first time
  private readonly left = h("span", { class: "quiet small" }); // how long it still takes
  private decision = -1; // that is chosen
  private warned: readonly Sentence[] = []; // lines of the report that are about a moment
  private ghostAsked: AbortController | null = null;
  private arranging = false;
  private trailsShown = false;
  private lastFrame = performance.now();

  constructor(words: URLSearchParams) {
    const key = words.get("file") || words.get("gallery") || words.get("take") || "scene";
    this.stage = new Stage(this.stageBox, `randori.cameras.${key}`);
    this.show = new TakeShow(this.stage, this.player, () => this.afterFrame());
    this.ghost = new Ghost(this.stage);
    this.cameras = new CameraBar(this.stage, [
      { title: "Names", help: "Names above people", on: true, change: (on) => this.stage.showNames(on) },
      { title: "Trails", help: "The ways of all characters", on: false, change: (on) => { this.trailsShown = on; this.show.showTrails(on); } },
      { title: "Cuts", help: "Camera cuts: C cuts to this view at the playhead; they play and are filmed while this is on", on: true, change: (on) => { this.cutsOn = on; this.cutShown = -1; } },
      { title: "Arrange", help: "Place, move, turn and delete things on the stage (A)", on: false, change: (on) => this.arrange(on) },
    ]);
    this.stageBox.append(this.cameras.element, this.note, this.banner, this.arranger, this.veil);
    acceptDrops(this.stageBox, (files, event) => { // onto the character under the pointer, or the chosen one
      const under = this.stage.pick(event);
      this.inspector?.dropCharacter(under >= 0 ? under : Math.max(this.stage.selected, 0), files);
    });
    this.stage.onFloor = (x, z) => this.place(x, z);
    this.stage.throughPeople = () => this.placing !== null;
    this.shared.onCompany = () => warn(COMPANY);
    this.shared.onAlone = () => unwarn(COMPANY);
    this.shared.onSaved = (text) => this.savedElsewhere(text);
    this.stage.onSelect = (who) => this.select(who, -1);
    this.stage.onDragCheckpoint = (number, place, done) => { if (done) this.inspector?.dragCheckpoint(number, place); };
    this.stage.onGrab = (event) => this.grabStart(event);
    this.timeline.onFlag = (number, time, done) => this.moveFlag(number, time, done);
    this.timeline.onWarning = (number) => { const line = this.warned[number]; this.jump(line.tick, line.who); };
    this.timeline.onCut = (number, time, done) => this.moveCut(number, time, done);
    this.timeline.onSelect = (who, decision) => this.select(who, decision);
    this.simulation.onTake = (take) => { this.newest = take; void this.loadTake(take); };
    this.simulation.onProgress = (progress) => { this.progress = progress; this.drawProgress(); };
    this.simulation.onProblem = (error) => {
      this.veil.hidden = true;
      this.drawStale();
      if (error instanceof Refusal && (error.message === STARTED_ANEW || error.status === 0)) void jobs.connected().then(() => this.follow());
      else complain(error);
    };
    fill(this.element, this.bar, h("div", { class: "side left" }),
      h("div", { class: "middle" }, h("div", { class: "stages" }, this.stageBox), this.transport.element, sideGrip(this.element, "left", 312), sideGrip(this.element, "right", 340)),
      h("div", { class: "side right" }), this.lower);
    this.open(words).catch((error: unknown) => { this.veilText("It could not be opened."); complain(error); });
  }

  key(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (command && letter !== "s" && event.target instanceof HTMLTextAreaElement) return; // has an undo of its own
    if (command && letter === "z") (event.shiftKey ? this.redo() : this.undo());
    else if (command && letter === "y") this.redo();
    else if (command && letter === "s") void this.save();
    else if (command && letter === "d" && this.taken.size) this.duplicate();
    else if (command) return;
    else if ((event.key === "Delete" || event.key === "Backspace") && this.taken.size) this.removeTaken();
    else if (letter === "m") void this.addMarker();
    else if (letter === "c") this.addCut();
    else if (letter === "z") this.zoomTimeline();
    else if (letter === "a") this.cameras.toggle("Arrange");
    else if (event.key === "Escape" && (this.placing || this.taken.size)) { this.placing = null; this.taken.clear(); this.drawFormation(); }
    else if (this.transport.key(event) || this.cameras.key(event)) return;
    else if (event.key === "[" || event.key === "]") this.stepDecision(event.key === "]" ? 1 : -1);
    else if (event.key === "Escape") this.select(-1, -1);
    else return;
    event.preventDefault();
  }

  /** Two takes side by side, with one playhead. */
  private compareWith(take: Take | null): void {
    this.comparison?.close();
    this.comparison = take && new Comparison(take, this.stage, () => this.compareWith(null));
    this.stageBox.parentElement!.classList.toggle("two", take !== null);
    if (this.comparison) this.stageBox.after(this.comparison.element);
    this.stage.resize();
  }

  close(): void {
    this.shared.close();
    this.shelf?.close();
    this.comparison?.close();
    void this.simulation.cancel();
    this.stage.dispose();
  }

  // ---- opening

  private async open(words: URLSearchParams): Promise<void> {
    const take = words.get("take");
    this.vocabulary = await api.vocabulary();
    if (take) {
      this.element.classList.add("alone");
      this.furnish(this.vocabulary);
      this.drawBar();
      await this.loadTake(take);
      return;
    }
    this.begin(words.has("new") ? await this.openNew(words.get("new")!) : await SceneFile.open(words.get("gallery") ?? "", words.get("file") ?? ""));
    await this.follow();
  }

  /** A scene from nothing; its draft has a number, so that it is found again. */
  private async openNew(number: string): Promise<SceneFile> {
    const key = draftOf(`new=${number}`) ? `new=${number}` : newKey();
    replaceAddress(`#/scene?${key}`);
    return SceneFile.from(await api.check({ text: EMPTY }), key);
  }

  /** From now on this scene is edited here. */
  private begin(file: SceneFile): void {
    this.file = file;
    this.element.classList.remove("alone");
    this.furnish(this.vocabulary!);
    file.onChange(() => this.changed());
    this.shared.open(file.key);
    this.drawBar();
    if (!file.document.take && !file.document.draft && file.document.scene) this.veilText("Simulating the first seconds…");
    else this.veil.hidden = true;
    if (!file.document.scene) this.arrange(true);
    this.drawFloor();
  }

  /** All of a scene that decides about its take: cuts and markers only say how it is looked at. */
  private simulated(file: SceneFile): string {
    const { scene, problems } = file.document;
    return JSON.stringify([{ ...scene, shots: null, markers: null }, problems]);
  }

  /** The user does not want to wait; it can be taken up again. */
  private async stopSimulation(): Promise<void> {
    await this.simulation.cancel();
    this.stopped = true;
    this.drawStale();
    if (this.show.take) this.drawNote(this.show.take);
    else fill(this.veil, h("div", { class: "box" }, h("span", {}, "Stopped."), this.again()));
  }

  private again(): HTMLElement {
    return button("Simulate", () => { void this.follow(); }, { class: "main small" });
  }

  private async follow(): Promise<void> {
    this.stopped = false;
    if (this.show.take) this.drawNote(this.show.take);
    if (!this.show.take && !this.veil.hidden) this.veilText("Simulating the first seconds…");
    this.followed = this.simulated(this.file!);
    this.drawStale();
    await this.simulation.follow(this.file!.document);
  }

  /** The panels on both sides. */
  private furnish(vocabulary: Vocabulary): void {
    this.why = new WhyPanel(vocabulary);
    this.why.onPin = (decision, option) => this.pin(decision, option);
    this.why.onUnpin = (decision) => this.unpin(decision);
    this.why.onGhost = (decision, action) => { void this.showGhost(decision, action); };
    this.why.onDecision = (number) => this.selectDecision(number);
    this.handover = new Handover(vocabulary.formats, () => this.stage.still());
    this.handover.onJump = (tick, who) => this.jump(tick, who);
    this.handover.film = (progress, signal) => this.film(progress, signal);
    this.shelf?.close();
    this.shelf = this.file ? new Shelf(this.file, (seed) => { this.file!.edit(`Take of seed ${seed}`, [set(["seed"], seed)]).catch(complain); }) : null;
    if (this.shelf) this.shelf.onCompare = (take) => this.compareWith(take);
    const tabs = new Tabs([{ title: "Why", content: this.why.element },
      ...(this.shelf ? [{ title: "Takes", content: this.shelf.element }] : []),
      { title: "Quality and export", content: this.handover.element }], "About the take");
    this.element.querySelector(".side.right")!.replaceWith(h("div", { class: "side right" }, tabs.element));
    if (!this.file) return;
    this.inspector = new Inspector(this.file, vocabulary);
    this.inspector.meshes = (who) => { const worn = this.stage.crowd.wornBy(who); return worn ? meshesOf(worn.root) : []; };
    this.inspector.onSelect = (who) => this.select(who, -1);
    this.stageBox.querySelector(".palette")?.remove();
    this.stageBox.append(this.palette(vocabulary));
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
    this.timeline.setCurves(curvesOf(take.header, take.motions));
    this.drawNotes();
    this.warned = (take.header.quality?.sentences ?? []).filter((line) => !line.fine && line.tick >= 0);
    this.timeline.setWarnings(this.warned.map((line) => line.tick / take.fps));
    this.why?.setTake(take.header);
    this.handover?.setTake(take.header);
    if (first) this.lower.style.height = `${timelineHeight(take.header.characters.length)}px`;
    this.show.showTrails(this.trailsShown);
    this.drawFloor();
    this.markPins(take);
    this.veil.hidden = true;
    this.drawStale();
    this.drawNote(take);
    if (!take.header.draft && this.file) {
      const shelf = this.shelf;
      shelf?.add(take);
      setTimeout(() => {
        if (!this.stage.canvas.isConnected) return;
        const shown = this.show.take === take;
        if (shown) keepPicture(this.file?.key ?? "", this.stage.canvas);
        shelf?.illustrate(take, shown ? pictureOf(this.file?.key ?? "") : "").catch(complain);
      }, PICTURE_AFTER);
    }
    if (first) {
      this.stage.resize(); // the timeline has taken some of its room
      this.stage.cameras.look(this.stage.cameras.framing(this.stage.bounds(), goodDirection(take)));
      this.cameras.setFollowing(-1);
      if (!this.arranging) this.player.play();
    } else if (selected >= 0 && selected < take.header.characters.length) {
      this.choose(selected, decision);
    }
    this.drawBar();
  }

  /** The chosen decision, if a character makes it in another take, too, with any choice. */
  private stillMade(header: TakeHeader): number {
    const old = this.show.take?.header.decisions[this.decision], now = header.decisions[this.decision];
    return old && now && old.tick === now.tick && old.who === now.who ? this.decision : -1;
  }

  private veilText(text: string): void {
    this.veil.hidden = false;
    fill(this.veil, h("div", { class: "box" }, h("span", {}, text), h("progress", { max: 1, value: this.progress.share, "aria-label": text }), this.left));
  }

  // ---- the selection

  private choose(who: number, decision: number): void {
    this.decision = decision;
    this.stage.select(who);
    this.inspector?.select(who);
    this.timeline.select(who, decision);
    // a camera that stays with all keeps them all in view, independent of the choice
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

  /** To the chosen action, or from in to out; then back to the whole take. */
  private zoomTimeline(): void {
    const take = this.show.take, { range, time } = this.player;
    if (!take) return;
    const block = take.header.characters[this.stage.selected]?.blocks.find((one) => one.decision >= 0 && one.decision === this.decision);
    if (block) this.timeline.zoomTo(block.start / take.fps - ZOOMED, block.stop / take.fps + ZOOMED);
    else this.timeline.zoomTo(range ? range[0] : time - ZOOMED, range ? range[1] : time + ZOOMED);
  }

  /** A checkpoint is not left before another time. */
  private moveFlag(number: number, time: number, done: boolean): void {
    const wanted = Math.round(10 * Math.max(time, 0)) / 10;
    this.timeline.setFlags(this.flags.map((flag) => (flag.number === number ? { number, time: wanted } : flag)));
    if (done) this.file!.edit(`Time of checkpoint ${number + 1}`, [set(["path", number, "time"], wanted)]).catch(complain).finally(() => this.timeline.setFlags(this.flags));
  }

  private get flags(): Flag[] {
    const path = (this.file && valuesOf(this.file.document))?.path ?? [];
    return path.flatMap((mark, number) => (mark.time === null || mark.time === undefined ? [] : [{ number, time: mark.time }]));
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
    this.applyCut();
    this.timeline.follow();
    this.transport.follow();
    this.comparison?.follow(this.player.time);
  }

  // ---- changes

  private changed(): void {
    this.drawBar();
    this.drawFloor();
    this.drawNotes();
    if (!this.file || this.simulated(this.file) === this.followed) return;
    this.newest = "";
    void this.follow();
  }

  private pin(decision: number, option: OptionRow): void {
    const take = this.show.take;
    if (take) void this.editable().then((file) => file.pin(`Take ${option.name}`, take.header.take, decision, option.action)).catch(complain);
  }

  /** Take the pin of a decision out of the scene: the nearest one of its character before or at it. */
  private unpin(decision: number): void {
    const header = this.show.take?.header, mark = header?.decisions[decision], values = this.file && valuesOf(this.file.document);
    if (!header || !mark || !values) return;
    const number = pinOf(values.pins, header.characters[mark.who].name, mark.tick / header.fps);
    if (number < 0) return complain("The scene has no pin there any more.");
    this.file!.edit(`Unpin ${values.pins[number].action} of ${values.pins[number].who}`, [remove(["pins", number])]).catch(complain);
  }

  /** The scene at hand; of a take that was opened by itself: the scene that gives it, with what was done live. */
  private async editable(): Promise<SceneFile> {
    if (this.file) return this.file;
    const key = newKey(), file = await SceneFile.from(await api.sceneOf(this.show.take!.header.take), key);
    replaceAddress(`#/scene?${key}`);
    this.begin(file);
    this.why?.setTake(this.show.take!.header);
    this.handover?.setTake(this.show.take!.header);
    return file;
  }

  /** Whether the take on the stage is that of the text: what is older is marked, and not handed over. */
  private drawStale(): void {
    const { file } = this, header = this.show.take?.header;
    const made = file ? [file.document.take, file.document.draft, this.newest] : [];
    const stale = Boolean(file && header && !made.includes(header.take));
    const problems = file?.document.problems.length ?? 0;
    this.stageBox.classList.toggle("stale", stale);
    this.banner.hidden = !stale;
    fill(this.banner, problems ? "The scene has a mistake. This take was made before it." : "This take was made before your last change.",
      stale && this.stopped && !problems ? this.again() : null);
    this.handover?.setStale(stale);
  }

  /** Notes about the take: that it is a draft, or that it ends early. */
  private drawNote(take: Take): void {
    const wanted = this.file ? Number(valuesOf(this.file.document)?.seconds ?? 0) : 0;
    const early = !take.header.draft && wanted - take.seconds > 0.5;
    const pins = !take.header.draft && this.file ? valuesOf(this.file.document)?.pins ?? [] : [];
    const loose = unmet(pins, take.header);
    this.note.hidden = !(take.header.draft && this.file) && !early && loose.length === 0;
    if (loose.length) {
      fill(this.note, `${loose.map((number) => pinWords(pins[number])).join(", ")}: no decision of this take allows ${loose.length === 1 ? "this pin" : "these pins"}. `,
        button(loose.length === 1 ? "Release it" : "Release them", () => {
          this.file!.edit("Release pins", [...loose].reverse().map((number) => remove(["pins", number]))).catch(complain);
        }, { class: "small" }));
      return;
    }
    if (take.header.draft && this.stopped) return fill(this.note, "Draft: the first seconds. ", this.again());
    this.note.textContent = take.header.draft ? "Draft: the first seconds. The whole take follows."
      : `The take ends after ${take.seconds.toFixed(1)} of ${wanted.toFixed(0)} s: no character goes on from there.`;
  }

  private savedElsewhere(text: string): void {
    const file = this.file;
    if (!file || text === file.document.text) return;
    if (!file.unsaved) void file.takeOver(text).then(() => tell("Another tab has saved this scene; its changes are here now.")).catch(complain);
    else tell("Another tab has saved this scene. Yours has changes of its own.", { title: "Use the other one", do: () => { void file.takeOver(text).catch(complain); } });
  }

  // ---- arranging

  private arrange(on: boolean): void {
    this.arranging = on; // cuts do not move the camera meanwhile
    this.placing = null;
    if (on) { // bodies stand where their handles are
      this.player.pause();
      this.player.seek(0);
    }
    this.taken.clear();
    this.cameras.set("Arrange", on);
    this.stageBox.classList.toggle("arranging", on);
    this.drawFormation();
  }

  private palette(vocabulary: Vocabulary): HTMLElement {
    const groups = [...new Set(PALETTE.map((offer) => offer.group))];
    return h("div", { class: "palette", role: "group", "aria-label": "Add to the stage" }, groups.map((group) => h("div", {}, h("h3", {}, group),
      PALETTE.filter((offer) => offer.group === group).map((offer) => button(offer.title, () => this.choosePlacing(offer), { title: offer.help, "data-offer": offer.title })))),
    h("p", { class: "small quiet" }, vocabulary.version ? "Choose one, then click on the floor." : ""));
  }

  private choosePlacing(offer: Offer): void {
    const values = this.file && valuesOf(this.file.document);
    const lacks = values ? offer.lacks?.(values) ?? "" : "The text has a mistake: change it under Text, or undo.";
    if (lacks) complain(lacks);
    else this.placing = this.placing === offer ? null : offer;
    this.drawArranger();
  }

  private place(x: number, z: number): void {
    const values = this.file && valuesOf(this.file.document), offer = this.placing;
    if (!offer || !values || !this.vocabulary) {
      if (this.arranging && this.taken.size) { this.taken.clear(); this.drawFormation(); }
      return;
    }
    this.placing = null;
    this.file!.edit(`Add ${offer.title.toLowerCase()}`, offer.make(values, [x, z], this.vocabulary, this.moment)).catch(complain);
  }

  private get moment(): Moment {
    const { x, y, z } = this.stage.cameras.controls.target;
    return { time: this.player.time, target: [x, y, z] };
  }

  private get chosenPieces(): Piece[] {
    return [...this.taken].map((number) => this.pieces[number]).filter(Boolean);
  }

  private change(what: string, edit: (piece: Piece) => Edit[]): void {
    const edits = this.chosenPieces.flatMap(edit);
    this.file!.edit(`${what} ${this.chosenPieces.map((piece) => piece.name).join(", ")}`, edits).catch(complain);
  }

  private duplicate(): void {
    const values = valuesOf(this.file!.document)!;
    this.change("Duplicate", (piece) => duplicatePiece(piece, values));
  }

  private removeTaken(): void {
    const pieces = this.chosenPieces;
    this.taken.clear();
    this.file!.edit(`Delete ${pieces.map((piece) => piece.name).join(", ")}`, removePieces(pieces)).catch(complain);
  }

  private drawArranger(): void {
    this.arranger.hidden = !this.arranging || (!this.placing && this.taken.size === 0);
    this.stageBox.classList.toggle("placing", this.placing !== null);
    for (const one of this.stageBox.querySelectorAll<HTMLElement>("[data-offer]")) one.classList.toggle("on", one.dataset.offer === this.placing?.title);
    fill(this.arranger, this.placing ? [h("span", {}, `Click on the floor to place: ${this.placing.title}`),
      button("Cancel", () => { this.placing = null; this.drawArranger(); }, { title: "Escape" })] : [
      h("span", {}, this.chosenPieces.map((piece) => piece.name).join(", ")),
      button("⟲ 15°", () => this.change("Turn", (piece) => turnPiece(piece, -15)), { title: "Turn to the left" }),
      button("⟳ 15°", () => this.change("Turn", (piece) => turnPiece(piece, 15)), { title: "Turn to the right" }),
      button("Duplicate", () => this.duplicate(), { title: "Ctrl+D" }),
      button("Delete", () => this.removeTaken(), { title: "Delete" })]);
  }

  private undo(): void {
    this.file?.undo().catch(complain);
  }

  private redo(): void {
    this.file?.redo().catch(complain);
  }

  private async save(as = false): Promise<void> {
    const file = this.file;
    if (!file) return;
    let name = as ? "" : file.document.file;
    let overwrite = false;
    if (!name) {
      const asked = await askName("Save the scene", `${slug(String(file.document.values?.title ?? file.document.name))}.toml`, "A file in the project's folder.");
      if (!asked) return;
      name = asked.endsWith(".toml") ? asked : `${asked}.toml`;
    }
    for (;;) {
      try {
        await file.save(name, overwrite);
        replaceAddress(addressOf("scene", { file: name }));
        this.shared.open(file.key);
        this.shared.saved(file.document.text);
        tell(`Saved as ${file.document.file}.`);
        return;
      } catch (error) {
        const replaceable = error instanceof Refusal && /exists already|changed elsewhere/.test(error.message) && !overwrite;
        if (!replaceable) return complain(error);
        if (!(await confirmed("Replace it?", `${error.message}.`, "Replace"))) return;
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

  /** A note at the playhead; an empty one takes the marker away. */
  private async addMarker(): Promise<void> {
    const values = this.notable(), { time } = this.player;
    if (!values) return;
    const there = markerAt(values.markers, time);
    const note = await askName("Note at this moment", there?.note ?? "", "Markers are kept with the scene. An empty note deletes it.", "Keep", false);
    if (note !== null) this.keepList("markers", note ? "Marker" : "Delete marker", withMarker(this.notable()!.markers, time, note));
  }

  // ---- camera cuts and films

  private cuts: Cut[] = [];
  private cutsOn = true;
  private cutShown = -1; // the cut that the camera has gone to
  private keeping = 0; // changes of these lists that the server has not answered yet

  /** The values of the scene that keeps cuts and markers; a take that was opened by itself has none. */
  private notable(): SceneValues | null {
    const values = this.file && valuesOf(this.file.document);
    if (!values) tell(this.file ? "The text has a mistake: change it under Text, or undo." : "Choose Edit its scene first: camera cuts and markers are kept with a scene.");
    return values;
  }

  private keepList(list: "shots" | "markers", what: string, rows: readonly unknown[]): void {
    this.keeping++;
    this.file!.edit(what, [rows.length ? set([list], rows) : remove([list])]).catch(complain)
      .finally(() => { if (--this.keeping === 0) this.drawNotes(); });
  }

  /** The cuts and the markers of the scene. */
  private drawNotes(): void {
    if (this.keeping) return; // an answer to an earlier change would take back a later one
    const values = this.file && valuesOf(this.file.document);
    this.timeline.setMarkers(values?.markers ?? []);
    this.setCuts(cutsOf(values?.shots ?? [], this.names));
  }

  private get names(): string[] {
    return this.show.take?.header.characters.map((one) => one.name) ?? [];
  }

  private setCuts(cuts: Cut[]): void {
    this.cuts = cuts;
    this.timeline.setCuts(cuts);
  }

  /** From the playhead on the take is seen as it is seen now. */
  private addCut(): void {
    if (!this.show.take || !this.notable()) return;
    const { cameras } = this.stage;
    this.setCuts(withCut(this.cuts, { time: this.player.time, view: cameras.view(), following: cameras.following }));
    this.keepList("shots", "Camera cut", shotsOf(this.cuts, this.names));
    this.cutShown = cutAt(this.cuts, this.player.time);
    if (this.cuts.length === 1) tell("Go to another moment and view, and press C again: the camera cuts there.");
  }

  private moveCut(number: number, time: number | null, done: boolean): void {
    this.setCuts(time === null ? this.cuts.filter((_, place) => place !== number) : movedCut(this.cuts, number, Math.min(time, this.player.seconds)));
    this.cutShown = -1;
    if (done) this.keepList("shots", time === null ? "Delete camera cut" : "Move camera cut", shotsOf(this.cuts, this.names));
  }

  /** Go to the view of the shot that the playhead is in, when it comes into another one. */
  private applyCut(): void {
    const number = this.cutsOn && !this.arranging ? cutAt(this.cuts, this.player.time) : -1;
    if (number === this.cutShown) return;
    this.cutShown = number;
    const cut = this.cuts[number];
    if (!cut) return;
    this.stage.cameras.look(cut.view);
    this.cameras.setFollowing(cut.following);
    this.stage.refresh();
  }

  /** The frames from in to out, as they are seen on the stage. */
  private async film(progress: (share: number) => void, signal: AbortSignal): Promise<{ frames: Blob; fps: number } | null> {
    const take = this.show.take;
    if (!take) return null;
    const fps = Math.min(take.fps, FILM_FPS), before = this.player.time, view = this.stage.cameras.view(), { following } = this.stage.cameras;
    const count = Math.floor((this.player.end - this.player.start) * fps) + 1, frames: Blob[] = [];
    this.player.pause();
    this.stage.beginFilm(FILM_WIDTH, FILM_HEIGHT);
    this.cutShown = -1;
    try {
      for (let number = 0; number < count && !signal.aborted; number++) {
        this.player.time = this.player.start + number / fps;
        this.applyCut();
        this.show.pose();
        const frame = await this.stage.filmFrame(this.player.time, number ? 1 / fps : 0);
        if (frame) frames.push(frame);
        progress((number + 1) / count);
      }
    } finally {
      this.stage.endFilm();
      this.stage.cameras.look(view);
      this.cameras.setFollowing(following);
      this.player.seek(before);
    }
    return signal.aborted ? null : { frames: new Blob(frames), fps };
  }

  /** The moment that a line of the quality report is about, with its character in the middle. */
  private jump(tick: number, who: number): void {
    const take = this.show.take;
    if (!take) return;
    this.choose(who, -1);
    this.player.pause();
    this.player.seek(tick / take.fps);
    this.show.pose();
    const { cameras } = this.stage;
    cameras.fly(cameras.framing(who >= 0 ? this.stage.boundsOf([who]) : this.stage.bounds()));
  }

  // ---- what is drawn besides people

  private drawBar(): void {
    const file = this.file, title = file ? String(file.document.values?.title ?? file.document.scene?.title ?? file.document.name) : this.show.take?.header.title ?? "";
    fill(this.bar,
      h("span", { class: "title", title }, title),
      file ? h("span", { class: "quiet small", "data-file": "" }, `${file.document.file || "not saved yet"}${file.unsaved && file.document.file ? " · changed" : ""}`) : null,
      file ? [
        button("↶ Undo", () => this.undo(), { disabled: !file.undoable, title: file.undoable ? `Undo: ${file.undoable} (Ctrl+Z)` : "Nothing to undo" }),
        button("↷ Redo", () => this.redo(), { disabled: !file.redoable, title: file.redoable ? `Redo: ${file.redoable} (Ctrl+Y)` : "Nothing to redo" }),
        button("Save", () => { void this.save(); }, { disabled: !file.unsaved && file.document.file !== "", title: "Save the scene file (Ctrl+S)" }),
        button("Save as", () => { void this.save(true); }, { title: "Save under another name" }),
        button("Another take", () => this.reseed(), { title: "The same scene with another seed" }),
        button("Play live", () => this.playLive(), { disabled: !file.document.scene, title: "The fight goes on without end, and answers" }),
      ] : [button("Save the take", () => { void this.saveTake(); }, { title: "Into the project's folder takes/" }),
        button("Edit its scene", () => { void this.editable().catch(complain); }, { title: "The scene that gives this take, with everything that was done live" })],
      h("span", { class: "spread" }), this.work);
    this.drawProgress();
  }

  /** Only that: a user who has come to a button by keyboard stays there. */
  private drawProgress(): void {
    const { doing, share } = this.progress;
    this.work.hidden = doing === "";
    this.workText.textContent = `${doing} ${Math.round(100 * share)} %`;
    this.workBar.value = share;
    const bar = this.veil.hidden ? null : this.veil.querySelector("progress");
    if (!bar) return;
    bar.value = share;
    const [, compiling] = /(compiling .*)/.exec(doing) ?? []; // it has an estimate of its own
    if (share > 0) this.begun ||= performance.now();
    const left = compiling ? "" : remaining(performance.now() - this.begun, share);
    this.left.textContent = [sentence(compiling ?? doing.replace(/^Draft: /, "")), left].filter(Boolean).join(" · ");
  }

  private reseed(): void {
    const seed = Number(valuesOf(this.file!.document)?.seed ?? 0);
    this.file!.edit("Another take", [set(["seed"], seed + 1)]).catch(complain);
  }

  private playLive(): void {
    const { text, file, gallery } = this.file!.document; // what is not saved stays as a draft
    sendLive({ text, file, gallery });
    location.hash = addressOf("live", { session: "boxing" });
  }

  private drawFloor(): void {
    const values = this.file && valuesOf(this.file.document);
    if (values) this.stage.path.show(values.path);
    this.timeline.setFlags(this.flags);
    this.drawFormation();
    this.stage.refresh();
  }

  /** Handles for everything that can be arranged, and the ways of a formation. */
  private drawFormation(): void {
    clear(this.stage.formation);
    const values = this.arranging && this.file ? valuesOf(this.file.document) : null;
    this.pieces = values ? piecesOf(values, this.file!.document.places) : [];
    for (const number of [...this.taken]) if (number >= this.pieces.length) this.taken.delete(number);
    this.stage.pieces.show(this.pieces, this.pieces.map((piece) => this.colourOf(piece)), this.taken);
    if (values) for (const way of this.file!.document.ways) this.stage.formation.add(trail(Float32Array.from(way.flat()), 0xf2b84b));
    this.drawArranger();
    this.stage.refresh();
  }

  private colourOf(piece: Piece): number {
    if (piece.list !== "cast") return 0xd8d2c4;
    const member = valuesOf(this.file!.document)!.cast[piece.number], { outfits } = this.vocabulary!;
    const outfit = outfits.find((one) => one.name === member.outfit) ?? outfits[piece.number % outfits.length];
    return new THREE.Color().setRGB(...outfit.colours[1], THREE.SRGBColorSpace).getHex();
  }

  /** Handles are taken while the stage is arranged; with shift several are chosen. */
  private grabStart(start: PointerEvent): Drag | null {
    const floor = this.stage.floorAt(start);
    if (!this.arranging || !floor || this.placing) return null;
    const grabbed = this.stage.pieces.at(...floor), values = this.file && valuesOf(this.file.document);
    if (!grabbed || !values) return null;
    const piece = this.pieces[grabbed.piece];
    if (start.shiftKey) {
      if (!this.taken.delete(grabbed.piece)) this.taken.add(grabbed.piece);
    } else if (!this.taken.has(grabbed.piece)) {
      this.taken.clear();
      this.taken.add(grabbed.piece);
    }
    if (piece.list === "cast") this.choose(piece.number, -1);
    this.drawFormation();
    const moved = piece.spots.length > 1 && this.taken.size === 1 ? grabbed.spot : null;
    return (event, done) => {
      const [nx, nz] = this.stage.floorAt(event) ?? floor, [dx, dz] = [nx - floor[0], nz - floor[1]];
      const shifted = (one: Piece): Piece => ({ ...one, spots: one.spots.map((spot, number) => (moved !== null && number !== moved ? spot
        : { ...spot, place: [spot.place[0] + dx, spot.place[1] + dz] })) });
      this.stage.pieces.show(this.pieces.map((one, number) => (this.taken.has(number) ? shifted(one) : one)), this.pieces.map((one) => this.colourOf(one)), this.taken);
      this.stage.refresh();
      if (done && Math.hypot(dx, dz) > 0.02) {
        const edits = this.chosenPieces.flatMap((one) => movePiece(one, values, dx, dz, moved));
        this.file!.edit(`Move ${this.chosenPieces.map((one) => one.name).join(", ")}`, edits).catch(complain);
      }
    };
  }

  private markPins(take: Take): void {
    const pins = this.file ? valuesOf(this.file.document)?.pins ?? [] : [];
    const last = Math.max(...pins.map((pin) => Math.round(pin.at * take.header.fps)), -1);
    this.timeline.markPin(last);
  }
}

/** Words that begin with a capital letter. */
function sentence(words: string): string {
  return words ? `${words[0].toUpperCase()}${words.slice(1)}` : "";
}

/** As many lanes as there is room for beside the stage. */
function timelineHeight(characters: number): number {
  return Math.min(Math.max(RULER + LANE * characters + CURVES + 6, LOWEST), TALLEST);
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
