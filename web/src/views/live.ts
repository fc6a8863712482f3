/** Live: sessions that run on and on, and answer. */

import * as THREE from "three";
import { LiveClock, LiveFrameStore } from "../live/frames";
import { remaining } from "../page/remaining";
import { takePending } from "../live/pending";
import { bitmapField, numberField, order, toward } from "../live/controls";
import { firstPad, LETTERS, newlyPressed, type PadState, readPad, RESTING } from "../live/gamepad";
import { COSTUME_MAGIC, type DecisionMark, type LiveAnswer, type LiveControl, type LiveEntry, type LiveOpened, type LiveRequest, type Prop, type SceneText, type TakeEvent } from "../messages";
import { api, inWords, socket } from "../page/api";
import { CameraBar } from "../page/camera_bar";
import { button, fill, h } from "../page/dom";
import { complain } from "../page/toasts";
import { addressOf, type View } from "../page/view";
import { clear, footRing } from "../stage/marks";
import { around, type Drag, type Flash, Stage } from "../stage/stage";
import { makeThing, placeThing } from "../stage/things";
import { loadCostume, Worn } from "../stage/worn";
import { decodeFrames, magicOf } from "../take/buffer";
import { placeJoints } from "../take/pose";
import { type Rig, rigOf } from "../take/rig";

const GO_ON_EVERY = 20; // milliseconds between ticks of the clock
const LONGEST_GAP = 0.25; // seconds: a hidden page does not jump when it is back
const DRAG_EVERY = 50; // milliseconds between places of what is dragged
const WALK_EVERY = 120; // milliseconds between goals while an arrow key is held
const STRIDE = 2.2; // metres ahead that an arrow key sends a character
const NEAR_PIXELS = 36; // around a thing within which it is taken
const AROUND = 1.6; // metres around a followed character that are seen at first
const SMALL = 0.06; // metres: a thing that needs a ring to be seen
const MOST_EVENTS = 5;
const STRONG = 12; // damage whose flash is the largest
const COSTUME_HEAD = 16; // bytes before its file
const PAD_EVERY = 33; // milliseconds between questions to the gamepad
const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
};

interface Undecided { tick: number; sent: number; shown: number; took: number }

/** Milliseconds from an input to a decision that knew of it, and the unavoidable part of them. */
interface Decided {
  total: number;
  waited: number; // until the first action ended after which a character could decide
  took: number; // computing: searches, and what happens before them
}

export class LiveView implements View {
  readonly element = h("div", { class: "live" });
  readonly stage: Stage;
  private readonly stageBox = h("div", { class: "stage" });
  private readonly list = h("div", { class: "list" });
  private readonly panel = h("div", { class: "panel" });
  private readonly feed = h("div", { class: "feed", role: "log", "aria-label": "Events" });
  private readonly answer = h("span", { class: "quiet small" });
  private readonly veil = h("div", { class: "veil", hidden: true });
  private readonly veilText = h("span", { role: "status" });
  private readonly veilBar = h("progress", { max: 1, value: 0, "aria-label": "Preparing" });
  private readonly veilLeft = h("span", { class: "quiet small" });
  private readonly veilStop = button("Stop", () => this.stop());
  private begun = 0; // when the session was asked for
  private readonly cameras: CameraBar;
  private socket: WebSocket | null = null;
  private opened: LiveOpened | null = null;
  private rigs: Rig[] = []; // of each character
  private store: LiveFrameStore | null = null;
  private clock: LiveClock | null = null;
  private moving: THREE.Mesh[] = [];
  private flashes: Flash[] = [];
  private entries: LiveEntry[] = [];
  private session = "";
  private scene: SceneText | null = null; // the user's own, instead of the session's
  private told = -1; // the playhead that the server knows of
  private went = performance.now(); // when the clock went on
  // by a timer, not with the pictures: a slow picture must not hold up what is decided next
  private readonly going = window.setInterval(() => this.goOn(), GO_ON_EVERY);
  private asked: { sent: number; shown: number }[] = []; // inputs that have not taken effect yet, and the tick on the stage
  private awaited: { tick: number; sent: number }[] = []; // inputs that took effect, and are not seen yet
  private undecided: Undecided | null = null; // the last input, until a character decides
  decided: Decided[] = []; // how long it took until a character decided with knowledge of an input
  answered: number[] = []; // milliseconds from an input to the picture that shows it
  private readonly held = new Set<string>();
  private pad: PadState = RESTING;
  private padShown = false; // whether the panel says what the gamepad does
  private readonly asking = window.setInterval(() => this.askPad(), PAD_EVERY);
  private walking = 0;
  private framed = false;
  private painted: string[] = [];
  private readonly goal = footRing(0xf2b84b); // where a character was sent
  private readonly leadBox = h("div", { class: "column", style: "margin: 10px 0" });
  private chosen = -1; // the character that was clicked
  private led = -1; // the character that the person has taken over
  private readonly release = (event: KeyboardEvent): void => this.letGo(event);

  constructor(words: URLSearchParams) {
    this.stage = new Stage(this.stageBox, "randori.live");
    this.cameras = new CameraBar(this.stage, [
      { title: "Names", help: "Names above people", on: true, change: (on) => this.stage.showNames(on) }]);
    this.stageBox.append(this.cameras.element, this.feed, this.veil);
    this.goal.visible = false;
    this.stage.scene.add(this.goal);
    this.stage.onFrame = () => this.frame();
    this.stage.onGrab = (event) => this.grab(event);
    this.stage.onFloor = (x, z) => this.clickFloor(x, z);
    this.stage.throughPeople = (event) => event.altKey;
    this.stage.onSelect = (who) => this.choose(who);
    this.stage.canvas.addEventListener("contextmenu", (event) => this.rightClick(event));
    fill(this.element,
      h("div", { class: "side left" }, h("div", { class: "panel" }, this.list)),
      h("div", { class: "middle" }, this.stageBox), h("div", { class: "side right" }, this.panel));
    window.addEventListener("keyup", this.release);
    fill(this.panel, h("div", { class: "empty" }, "Choose a session."));
    void this.load(words.get("session"));
  }

  close(): void {
    window.clearInterval(this.going);
    window.clearInterval(this.asking);
    window.removeEventListener("keyup", this.release);
    this.leave();
    this.stage.dispose();
  }

  key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS && event.target instanceof HTMLInputElement) return; // moves its slider
    if (event.key in ARROWS && this.ground()) {
      this.held.add(event.key);
      this.walk();
      event.preventDefault();
      return;
    }
    const known = this.opened?.controls.find((control) => control.key && control.key === event.key);
    if (known && !(event.key === " " && event.target instanceof HTMLButtonElement)) {
      if (!event.repeat) this.input(known);
      event.preventDefault();
      return;
    }
    this.cameras.key(event);
  }

  // ---- sessions

  private async load(wanted: string | null): Promise<void> {
    const scene = takePending();
    try {
      const sessions = await this.drawList();
      const first = sessions.find((entry) => entry.name === wanted);
      if (first) this.start(first.name, scene);
    } catch (error) {
      complain(error);
    }
  }

  private async drawList(): Promise<LiveEntry[]> {
    const { sessions } = await api.live();
    this.entries = sessions;
    const groups = new Map<string, LiveEntry[]>();
    for (const entry of sessions) groups.set(entry.group, [...groups.get(entry.group) ?? [], entry]);
    fill(this.list, [...groups].flatMap(([group, entries]) => [h("h3", {}, group), ...entries.map((entry) => this.entry(entry))]));
    return sessions;
  }

  private entry(entry: LiveEntry): HTMLElement {
    return h("button", { type: "button", class: entry.name === this.session ? "on" : "", "data-session": entry.name, onclick: () => this.start(entry.name) },
      h("div", {}, entry.title, entry.ready ? null : h("span", { class: "badge wait", style: "margin-left: 6px" }, "prepares first")),
      h("div", { class: "quiet small" }, entry.description));
  }

  private start(session: string, scene: SceneText | null = null): void {
    this.leave();
    this.session = session;
    this.scene = scene;
    this.painted = [];
    this.answered = [];
    this.asked = [];
    this.decided = [];
    this.undecided = null;
    this.answer.textContent = "";
    for (const one of this.list.querySelectorAll("button")) one.classList.toggle("on", one.dataset.session === session);
    fill(this.panel, this.about(session));
    this.begun = performance.now();
    this.showVeil("Starting…", 0);
    const made = socket("live/session");
    this.socket = made;
    made.onopen = () => this.say({ type: "start", session, seed: 1, scene: this.scene });
    made.onmessage = (event) => { if (this.socket === made) this.hear(event.data as string | ArrayBuffer); };
    made.onclose = () => {
      if (this.socket !== made) return;
      this.socket = null;
      this.showVeil("The session has ended.", null);
    };
  }

  private leave(): void {
    const old = this.socket;
    this.socket = null;
    this.opened = null;
    this.store = null;
    if (old && old.readyState === WebSocket.OPEN) old.send(JSON.stringify({ type: "stop" } satisfies LiveRequest));
    old?.close();
  }

  private say(message: LiveRequest): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private hear(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      if (magicOf(data) === COSTUME_MAGIC) this.dress(data);
      else this.hearFrames(data);
      return;
    }
    const message = JSON.parse(data) as LiveAnswer;
    switch (message.type) {
      case "state":
        this.showVeil(`${message.doing[0].toUpperCase()}${message.doing.slice(1)}…`, message.share);
        break;
      case "opened":
        this.open(message);
        break;
      case "kept":
        this.veil.hidden = true;
        location.hash = addressOf("scene", { take: message.take });
        break;
      case "problem":
        if (!this.opened) this.showVeil(inWords(message), null);
        else this.veil.hidden = true;
        this.asked.shift();
        complain(new Error(inWords(message)));
    }
  }

  private open(opened: LiveOpened): void {
    this.veil.hidden = true;
    this.opened = opened;
    const bodies = opened.bodies.map(rigOf);
    this.rigs = opened.body_of.map((number) => bodies[number]);
    const movingProps = opened.props.filter((prop) => prop.path >= 0);
    this.store = new LiveFrameStore(opened.names.length, Math.max(...bodies.map((rig) => rig.joints)), movingProps.length);
    this.clock = new LiveClock(opened.fps, opened.ahead);
    this.told = -1;
    this.flashes = [];
    this.asked = [];
    this.chosen = this.led = -1;
    this.stage.setHits(this.flashes);
    this.stage.cast(opened.wears.map((outfit, who) => ({ rig: this.rigs[who], outfit: opened.outfits[outfit % opened.outfits.length].colours })), opened.names);
    this.moving = showThings(this.stage.props, opened.props);
    fill(this.feed);
    this.drawPanel(opened);
    this.stage.cameras.look({ position: [3.2, 1.9, 4.2], target: [0, 0.95, 0.6] });
    this.framed = false;
    this.goal.visible = false;
    void this.drawList().catch(complain); // what had to be learned is ready from now on
    this.cameras.setFollowing(opened.follow);
  }

  /** The file of a costume has come: its characters are shown in it from now on. */
  private dress(data: ArrayBuffer): void {
    const { opened } = this, { crowd } = this.stage, number = new DataView(data).getUint32(4, true), costume = opened?.costumes[number];
    if (!opened || !costume) return;
    loadCostume(costume, () => Promise.resolve(data.slice(COSTUME_HEAD))).then((model) => {
      if (this.stage.crowd !== crowd) return; // another session has begun
      opened.costume_of.forEach((worn, who) => { if (worn === number) crowd.wear(who, new Worn(model, costume)); });
      this.stage.refresh();
    }).catch(complain);
  }

  private hearFrames(data: ArrayBuffer): void {
    const { store, opened } = this;
    if (!store || !opened) return;
    const message = decodeFrames(data, store.characters, store.joints, store.propCount);
    if (message.tick <= store.newest) this.withdraw(message.tick, opened.fps);
    store.push(message);
    for (const event of message.words.events) this.happened(event, opened.fps);
    for (const tick of message.words.inputs) {
      const asked = this.asked.shift();
      if (!asked) continue;
      this.awaited.push({ tick: tick + 1, sent: asked.sent });
      this.undecided = { ...asked, tick, took: 0 };
    }
    this.noteDecision(message.words.decisions, message.words.took, opened);
  }

  private noteDecision(decisions: DecisionMark[], took: number, opened: LiveOpened): void {
    const { undecided } = this;
    if (!undecided) return;
    undecided.took += took;
    const made = decisions.find((decision) => decision.tick > undecided.tick);
    if (!made) return;
    const waited = 1000 * Math.max(made.tick - undecided.shown - opened.ahead, 0) / opened.fps;
    this.decided.push({ total: performance.now() - undecided.sent, waited, took: undecided.took });
    this.undecided = null;
  }

  /** Take back the events of ticks from here on: they are planned again. */
  private withdraw(tick: number, fps: number): void {
    this.flashes.splice(0, this.flashes.length, ...this.flashes.filter((flash) => flash.time * fps < tick - 0.5));
    for (const line of [...this.feed.children]) if (Number((line as HTMLElement).dataset.tick) >= tick) line.remove();
  }

  private happened(event: TakeEvent, fps: number): void {
    if (event.kind === "hit" && event.point) {
      this.flashes.push({ time: event.tick / fps, point: event.point, strength: Math.min(Math.max(event.strength / STRONG, 0.2), 1) });
      if (this.flashes.length > 40) this.flashes.splice(0, 20);
    }
    if (!event.words) return;
    this.feed.prepend(h("div", { "data-tick": event.tick }, h("span", { class: "when" }, `${(event.tick / fps).toFixed(1)} s  `), event.words));
    while (this.feed.children.length > MOST_EVENTS) this.feed.lastChild!.remove();
  }

  private showVeil(text: string, share: number | null): void {
    this.veil.hidden = false;
    if (share === null) {
      fill(this.veil, h("div", { class: "box" }, h("span", {}, text), button("Start again", () => this.start(this.session, this.scene), { class: "main" })));
      return;
    }
    const left = remaining(performance.now() - this.begun, share);
    this.veilText.textContent = text;
    this.veilBar.value = share;
    this.veilLeft.textContent = this.opened ? "" : left;
    this.veilStop.hidden = this.opened !== null; // a take that is made of it is waited for
    if (!this.veilBar.isConnected) fill(this.veil, h("div", { class: "box" }, this.veilText, this.veilBar, this.veilLeft, this.veilStop));
  }

  /** For users who do not want to wait. */
  private stop(): void {
    this.leave();
    this.showVeil("Stopped. The preparation so far is not kept.", null);
  }

  // ---- pictures

  /** Move the clock on to now, and tell the session. */
  private goOn(): void {
    const { store, clock } = this, now = performance.now();
    const elapsed = Math.min((now - this.went) / 1000, LONGEST_GAP);
    this.went = now;
    if (!store || !clock || document.hidden) return;
    clock.advance(elapsed, store);
    this.tell(Math.floor(clock.tick));
  }

  private tell(tick: number): void {
    if (tick === this.told) return;
    this.told = tick;
    this.say({ type: "playhead", tick });
  }

  private frame(): number {
    const { store, clock, rigs, opened } = this;
    if (!store || !clock || !opened) return 0;
    this.goOn();
    if (store.oldest === Infinity) return 0;
    const tick = Math.max(Math.floor(clock.tick), store.oldest), share = tick < store.newest ? Math.max(clock.tick - tick, 0) : 0;
    const index = store.indexOf(tick), { crowd } = this.stage;
    for (let who = 0; who < store.characters; who++) placeJoints(rigs[who], store.motions[who], index, share, crowd.joints, crowd.offset(who));
    crowd.update();
    this.moving.forEach((thing, i) => {
      const at = 4 * (index * store.propCount + i);
      placeThing(thing, store.props, at, at + 4 * store.propCount, share);
    });
    if (!this.framed) this.frameOnce();
    this.noteAnswers(clock.tick, performance.now());
    this.stage.refresh();
    return clock.tick / opened.fps;
  }

  private frameOnce(): void {
    this.framed = true;
    this.stage.cameras.look(this.stage.cameras.framing(this.nearby(), new THREE.Vector3(-0.75, 0.42, 0.8)));
  }

  /** All characters and moving things; around a followed character only those near it. */
  private nearby(): THREE.Vector3[] {
    const { following } = this.stage.cameras;
    if (following === null || following < 0) return [...this.stage.bounds(), ...this.moving.map((thing) => thing.position)];
    const { x, z } = this.stage.place(following);
    return around(x, z, AROUND);
  }

  private noteAnswers(tick: number, now: number): void {
    const seen = this.awaited.filter((one) => one.tick <= tick);
    if (seen.length === 0) return;
    this.awaited = this.awaited.filter((one) => one.tick > tick);
    this.answered.push(...seen.map((one) => now - one.sent));
    this.answered = this.answered.slice(-100);
    this.answer.textContent = `seen after ${Math.round(this.answered[this.answered.length - 1])} ms`;
  }

  // ---- inputs

  private control(how: LiveControl["how"]): LiveControl | undefined {
    return this.opened?.controls.find((control) => control.how === how);
  }

  private input(control: LiveControl, value?: unknown): void {
    if (control.how === "ground" && Array.isArray(value)) {
      this.goal.visible = true;
      this.goal.position.set(Number(value[0]), 0.007, Number(value[2]));
    }
    const filled = control.value && value !== undefined ? { [control.value]: value } : {};
    const shown = Math.floor(this.clock?.tick ?? 0);
    if (this.asked.length < 50) this.asked.push({ sent: performance.now(), shown });
    this.tell(shown); // so that nothing is planned again that is seen already
    this.say({ type: "input", what: control.what, values: { ...control.values, ...filled } });
  }

  private grab(start: PointerEvent): Drag | null {
    const drags = this.opened?.controls.filter((control) => control.how === "drag") ?? [];
    for (const control of drags) {
      const thing = this.moving[control.which ?? 0];
      if (!thing) continue;
      const { x, y } = this.stage.onPage(thing.position);
      if (Math.hypot(x - start.clientX, y - start.clientY) > NEAR_PIXELS) continue;
      const at = thing.position.clone();
      return (event, done) => {
        // along the floor at its height; with shift up and down
        if (event.shiftKey) {
          const upright = this.stage.upright(event, at);
          if (upright) at.y = Math.min(Math.max(upright.y, 0.3), 2.3);
        } else {
          const floor = this.stage.floorAt(event, at.y);
          if (floor) at.set(floor[0], at.y, floor[1]);
        }
        if (done || performance.now() - this.walking > DRAG_EVERY) {
          this.walking = performance.now();
          this.input(control, at.toArray().map((value) => Math.round(value * 1000) / 1000));
        }
      };
    }
    return null;
  }

  /** The character that a click on the floor, or an arrow key, sends: the one that was taken over comes first. */
  private ground(): LiveControl | undefined {
    return this.led >= 0 && this.opened ? toward(this.opened.names[this.led]) : this.control("ground");
  }

  private choose(who: number): void {
    this.stage.select(who >= 0 ? who : this.led); // the ring stays with the character that is led
    this.chosen = who;
    this.drawLead();
  }

  /** Take over the character that was clicked, or let it go. */
  private lead(who: number): void {
    const { opened, led } = this;
    if (!opened) return;
    if (led >= 0) this.input(order("let go", opened.names[led]));
    if (led !== who) this.input(order("take over", opened.names[who]));
    this.led = led === who ? -1 : who;
    this.stage.select(this.led);
    this.goal.visible = false;
    this.drawLead();
  }

  private drawLead(): void {
    const { opened, led, chosen } = this;
    const rows = opened ? [...new Set([led, chosen])].filter((who) => who >= 0) : [];
    fill(this.leadBox, h("p", { class: "small quiet" }, "Click a character to take it over: then a click on the floor, or an arrow key, sends it there. Alt+click means the floor behind people."),
      rows.map((who) => h("div", { class: "row" }, button(`${who === led ? "Let go" : "Take over"}: ${opened!.names[who]}`, () => this.lead(who), { "data-lead": opened!.names[who] }))));
  }

  private clickFloor(x: number, z: number): void {
    const control = this.ground();
    if (control) this.input(control, [x, 0, z]);
  }

  private rightClick(event: MouseEvent): void {
    event.preventDefault();
    const launch = this.opened?.controls.find((control) => control.key === " ");
    if (launch) this.input(launch);
  }

  /** Walk where the arrow keys point, as the camera sees it. */
  private walk(): void {
    const control = this.ground();
    const [side, on] = this.pad.way;
    if (!control || (this.held.size === 0 && side === 0 && on === 0) || performance.now() - this.walking < WALK_EVERY) return;
    this.walking = performance.now();
    const ahead = this.stage.cameras.camera.getWorldDirection(new THREE.Vector3()).setY(0).normalize();
    const right = new THREE.Vector3(-ahead.z, 0, ahead.x);
    const way = new THREE.Vector3();
    for (const key of this.held) way.addScaledVector(right, ARROWS[key][0]).addScaledVector(ahead, ARROWS[key][1]);
    way.addScaledVector(right, side).addScaledVector(ahead, on);
    if (way.lengthSq() > 0) way.normalize().multiplyScalar(STRIDE);
    const goal = this.stage.place(Math.max(this.led, 0)).add(way);
    this.input(control, [goal.x, 0, goal.z]);
    setTimeout(() => this.walk(), WALK_EVERY + 10);
  }

  /** Ask the gamepad; browsers tell nothing by themselves. */
  private askPad(): void {
    const found = firstPad(), now = found ? readPad(found) : RESTING, before = this.pad;
    this.pad = now;
    if ((found !== null) !== this.padShown) {
      this.padShown = found !== null;
      if (this.opened) this.drawPanel(this.opened);
    }
    if (!this.opened) return;
    const inputs = padInputs(this.opened.controls);
    for (const button of newlyPressed(before, now)) if (inputs[button]) this.input(inputs[button]);
    const walked = before.way.some((share) => share !== 0), walks = now.way.some((share) => share !== 0);
    if (walks) this.walk();
    else if (walked && this.held.size === 0) this.stand();
  }

  private letGo(event: KeyboardEvent): void {
    if (!this.held.delete(event.key) || this.held.size > 0) return;
    this.stand();
  }

  private stand(): void {
    const control = this.ground(), here = this.stage.place(Math.max(this.led, 0));
    if (control) this.input(control, [here.x, 0, here.z]);
  }

  // ---- the panel

  /** The description of a session. */
  private about(session: string): HTMLElement[] {
    const entry = this.entries.find((one) => one.name === session);
    return entry ? [h("h2", { style: "margin-bottom: 8px" }, entry.title), h("p", { class: "small quiet", style: "margin-bottom: 10px" }, entry.description)] : [];
  }

  private drawPanel(opened: LiveOpened): void {
    const buttons = opened.controls.filter((control) => control.how === "key" || control.how === "button");
    const words = opened.controls.filter((control) => control.how === "drag" || control.how === "ground");
    const others = opened.controls.filter((control) => !buttons.includes(control) && !words.includes(control));
    fill(this.panel,
      this.scene ? h("h2", { style: "margin-bottom: 8px" }, opened.title) : this.about(opened.session),
      h("div", { class: "row", style: "margin-bottom: 12px" },
        button("Keep as a take", () => this.say({ type: "keep" }), { class: "main", title: "To look at, to save and to hand over" }), this.answer),
      words.map((control) => h("p", { class: "small", style: "margin-bottom: 6px" }, control.help)),
      this.leadBox,
      buttons.length ? h("div", { class: "column", style: "margin: 10px 0" }, buttons.map((control) => h("div", { class: "row" },
        button(control.title, () => this.input(control), { "data-what": control.what }),
        control.key ? h("kbd", {}, control.key === " " ? "space" : control.key) : null,
        h("span", { class: "quiet small" }, control.help)))) : null,
      this.padShown ? h("p", { class: "small", "data-pad": "", style: "margin: 10px 0" }, padWords(opened.controls)) : null,
      this.fields(others));
    this.drawLead();
  }

  /** Controls; those of one person together, where there are several. */
  private fields(controls: LiveControl[]): HTMLElement[] {
    const people = new Map<string, LiveControl[]>();
    for (const control of controls) {
      const who = String(control.values?.who ?? "");
      people.set(who, [...people.get(who) ?? [], control]);
    }
    if (people.size < 2) return controls.map((control) => this.field(withoutName(control, "")));
    return [...people].map(([who, own], number) => h("details", { class: "group", open: number === 0 },
      h("summary", {}, own[0].title.includes(":") ? who : own[0].title.split(", ").at(-1)!),
      h("div", { class: "inside" }, own.map((control) => this.field(withoutName(control, who))))));
  }

  private field(control: LiveControl): HTMLElement {
    if (control.how === "bitmap") {
      return bitmapField(control, this.painted, (rows) => {
        this.painted = rows; // the session begins again with it
        this.input(control, rows);
      });
    }
    if (control.how === "choice" || control.how === "member") {
      const select = h("select", { "aria-label": control.title, onchange: () => this.input(control, select.value) },
        (control.choices ?? []).map((word) => h("option", { value: word }, word)));
      return h("div", { class: "field" }, h("label", {}, control.title), select, h("div", { class: "help" }, control.help));
    }
    return numberField(control, (value) => this.input(control, value));
  }
}

function withoutName(control: LiveControl, who: string): LiveControl {
  const title = control.title.replace(`${who}: `, "").replace(/, .*$/, "");
  return { ...control, title: title[0].toUpperCase() + title.slice(1) };
}

function showThings(group: THREE.Group, props: readonly Prop[]): THREE.Mesh[] {
  clear(group);
  const moving: THREE.Mesh[] = [];
  for (const prop of props) {
    const thing = makeThing(prop);
    group.add(thing);
    if (prop.path < 0) continue;
    moving.push(thing);
    if (Math.max(...prop.radii) < SMALL) thing.add(footRing(0xf2b84b)); // it would be hard to find
  }
  return moving;
}

/** The inputs of the first buttons of a gamepad: launching first, then the others in their order. */
export function padInputs(controls: readonly LiveControl[]): LiveControl[] {
  const inputs = controls.filter((control) => control.how === "key" || control.how === "button");
  return [...inputs.filter((control) => control.key === " "), ...inputs.filter((control) => control.key !== " ")].slice(0, LETTERS.length);
}

function padWords(controls: readonly LiveControl[]): string {
  const walks = controls.some((control) => control.how === "ground") ? ["stick: walk"] : [];
  return `Gamepad · ${[...walks, ...padInputs(controls).map((control, button) => `${LETTERS[button]}: ${control.title.toLowerCase()}`)].join(" · ") || "nothing to do in this session"}`;
}
