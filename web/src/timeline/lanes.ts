/** The timeline: one lane per character, drawn once per change; only the playhead moves while playing. */

import type { TakeHeader } from "../messages";
import { h } from "../page/dom";
import { isLight, onTheme } from "../page/theme";
import type { Player } from "../take/player";
import { colourOf, DARK, LIGHT, markColour, type Palette } from "./colours";
import type { Curve } from "./curves";
import type { Cut } from "./cuts";
import type { Marker } from "./markers";
import { findAt, fitting, type Found, isMark, laneAt, laneOf, type Lanes, lanesFor, laneTop, RULER } from "./layout";
import { fit, pan, reveal, rulerStep, type Scale, stretch, timeAt, xOf, zoom } from "./scale";
import { moments, snapped } from "./snapping";

const GUTTER = 118; // pixels for the names
const FONT = "11.5px system-ui, sans-serif";
const ZOOM = 1.0018; // per pixel of the wheel
const CLICK = 4; // pixels that a click may move
const CUTS = 18; // pixels of the lane of camera cuts
const FLAG = 13; // pixels that the flag of a checkpoint is wide
const WARNING = 6; // pixels beside a warning that still hit it
const CURVES = 42, ENOUGH = 100; // pixels of the curves, and of a timeline that has room for them

/** A checkpoint's time on the ruler. */
export interface Flag {
  readonly number: number; // of the path
  readonly time: number;
}

export class TimelineLanes {
  readonly element: HTMLElement;
  onSelect: (who: number, decision: number, time: number) => void = () => {};
  private readonly canvas = h("canvas", {
    tabIndex: 0, role: "application",
    "aria-label": "Timeline. Arrow keys left and right go to decisions, up and down to other characters, plus and minus zoom.",
  });
  private readonly head = h("div", { class: "playhead" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private header: TakeHeader | null = null;
  private scale: Scale = { start: 0, perSecond: 50 };
  private scrolled = 0;
  private who = -1;
  private decision = -1;
  private pinTick = -1;
  private curves: readonly Curve[] = [];
  private markers: readonly Marker[] = [];
  private cuts: readonly Cut[] = [];
  private warnings: readonly number[] = []; // seconds
  private flags: readonly Flag[] = [];
  private moments: readonly number[] = []; // seconds of everything that happens
  /** The flag of a checkpoint is dragged to another time, or let go there (done). */
  onFlag: (number: number, time: number, done: boolean) => void = () => {};
  /** A warning on the ruler was clicked. */
  onWarning: (number: number) => void = () => {};
  /** A camera cut is dragged to another time, let go (done), or taken away (null). */
  onCut: (number: number, time: number | null, done: boolean) => void = () => {};

  constructor(private readonly player: Player) {
    this.element = h("div", { class: "timeline" }, this.canvas, this.head, this.tip);
    new ResizeObserver(() => this.resize()).observe(this.element);
    onTheme(this.element, () => this.draw());
    player.onChange(() => this.draw()); // in and out may have moved
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  show(header: TakeHeader): void {
    const same = this.header?.frames === header.frames && this.header.fps === header.fps;
    this.header = header;
    this.moments = moments(header);
    this.decision = -1;
    if (!same) this.fitAll();
    this.draw();
  }

  /** The selection: a character, a decision, or none (-1). */
  select(who: number, decision: number): void {
    this.who = who;
    this.decision = decision;
    this.draw();
  }

  /** From here on everything is planned again. */
  markPin(tick: number): void {
    this.pinTick = tick;
    this.draw();
  }

  fitAll(): void {
    this.scale = fit(this.player.seconds, this.width);
    this.draw();
  }

  /** Move the playhead; called with every picture. */
  follow(): void {
    if (this.player.playing) {
      const turned = reveal(this.scale, this.player.time, this.player.seconds, this.width);
      if (turned !== this.scale) {
        this.scale = turned;
        this.draw();
      }
    }
    const x = xOf(this.scale, this.player.time);
    this.head.style.transform = `translateX(${GUTTER + x}px)`;
    this.head.hidden = x < -1 || x > this.width + 1;
  }

  private get colours(): Palette {
    return isLight() ? LIGHT : DARK;
  }

  private get width(): number {
    return Math.max(this.element.clientWidth - GUTTER, 50);
  }

  private get lanes(): Lanes {
    return lanesFor(this.header?.characters.length ?? 0, this.element.clientHeight - this.curvesHeight - this.cutsHeight, this.scrolled);
  }

  private get cutsHeight(): number {
    return this.cuts.length > 0 ? CUTS : 0;
  }

  private get cutsTop(): number {
    return this.element.clientHeight - this.curvesHeight - this.cutsHeight;
  }

  private get curvesHeight(): number {
    return this.curves.length > 0 && this.element.clientHeight > ENOUGH ? CURVES : 0;
  }

  /** Lines under the lanes: the distance of the opponents, and the damage that each side has done. */
  setCurves(curves: readonly Curve[]): void {
    this.curves = curves;
    this.draw();
  }

  /** Checkpoints that are not left before a time. */
  setFlags(flags: readonly Flag[]): void {
    this.flags = flags;
    this.draw();
  }

  /** Show a stretch from edge to edge; if it is shown already, the whole take. */
  zoomTo(from: number, until: number): void {
    const wanted = stretch(from, until, this.player.seconds, this.width);
    const shown = Math.abs(wanted.start - this.scale.start) < 1e-6 && Math.abs(wanted.perSecond - this.scale.perSecond) < 1e-6;
    this.scale = shown ? fit(this.player.seconds, this.width) : wanted;
    this.draw();
  }

  /** A time on the timeline that keeps to what happens; with Alt it is free. */
  private timeUnder(event: PointerEvent): number {
    const time = timeAt(this.scale, this.at(event).x);
    return event.altKey ? time : snapped(time, [...this.moments, this.player.time, ...this.markers.map((one) => one.time)], this.scale);
  }

  /** The flag under a pointer, by its place in the list, or -1. */
  private flagUnder(x: number, y: number): number {
    if (x < 0 || y > RULER) return -1;
    return this.flags.findLastIndex(({ time }) => x >= xOf(this.scale, time) - 3 && x <= xOf(this.scale, time) + FLAG);
  }

  private warningUnder(x: number, y: number): number {
    if (x < 0 || y > RULER || y < RULER - 10) return -1;
    return this.warnings.findIndex((time) => Math.abs(xOf(this.scale, time) - x) <= WARNING);
  }

  /** Places with a note. */
  setMarkers(markers: readonly Marker[]): void {
    this.markers = markers;
    this.draw();
  }

  /** The moments of quality lines that should be looked at: red marks on the ruler. */
  setWarnings(seconds: readonly number[]): void {
    this.warnings = seconds;
    this.draw();
  }

  /** The lane of camera cuts; without cuts there is none. */
  setCuts(cuts: readonly Cut[]): void {
    this.cuts = cuts;
    this.draw();
  }

  /** The camera cut whose beginning is under a pointer, or -1; `within`: whose shot is. */
  private cutUnder(x: number, y: number, within = false): number {
    if (x < 0 || y < this.cutsTop || y > this.cutsTop + this.cutsHeight) return -1;
    if (within) return this.cuts.findLastIndex((cut) => cut.time <= timeAt(this.scale, x));
    return this.cuts.findIndex((cut) => Math.abs(xOf(this.scale, cut.time) - x) <= 6);
  }

  private resize(): void {
    const ratio = window.devicePixelRatio, before = Math.max(this.canvas.width / ratio - GUTTER, this.width);
    const wide = this.scale.perSecond * this.player.seconds <= before * 1.01; // all of it was seen: so it stays
    this.canvas.width = Math.round(this.element.clientWidth * ratio);
    this.canvas.height = Math.round(this.element.clientHeight * ratio);
    if (wide) this.fitAll();
    else this.draw();
  }

  // ---- the mouse and the keyboard

  private at(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left - GUTTER, y: event.clientY - box.top };
  }

  private press(start: PointerEvent): void {
    if (start.button !== 0 || !this.header) return;
    const { x, y } = this.at(start);
    this.canvas.setPointerCapture(start.pointerId);
    const cut = this.cutUnder(x, y), flag = this.flags[this.flagUnder(x, y)], scrubbing = y < RULER && !flag;
    if (scrubbing) this.player.seek(timeAt(this.scale, x));
    let last = start.clientX;
    const move = (event: PointerEvent): void => {
      if (cut >= 0) {
        if (Math.abs(event.clientX - start.clientX) > CLICK) this.onCut(cut, this.timeUnder(event), false);
      } else if (flag) {
        if (Math.abs(event.clientX - start.clientX) > CLICK) this.onFlag(flag.number, this.timeUnder(event), false);
      } else if (scrubbing) {
        this.player.seek(timeAt(this.scale, this.at(event).x));
      } else if (Math.abs(event.clientX - start.clientX) > CLICK) {
        this.scale = pan(this.scale, last - event.clientX, this.player.seconds, this.width);
        this.draw();
      }
      last = event.clientX;
    };
    const stop = (event: PointerEvent): void => {
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", stop);
      const clicked = Math.abs(event.clientX - start.clientX) <= CLICK;
      const warning = this.warningUnder(x, y);
      if (cut >= 0 && !clicked) this.onCut(cut, this.timeUnder(event), true);
      else if (flag && clicked) this.player.seek(flag.time);
      else if (flag) this.onFlag(flag.number, this.timeUnder(event), true);
      else if (clicked && warning >= 0) this.onWarning(warning);
      else if (!scrubbing && clicked && start.altKey && this.cutUnder(x, y, true) >= 0) this.onCut(this.cutUnder(x, y, true), null, true);
      else if (!scrubbing && clicked && this.cutUnder(x, y, true) >= 0) this.player.seek(this.cuts[this.cutUnder(x, y, true)].time);
      else if (!scrubbing && clicked) this.click(x, y);
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", stop);
  }

  private click(x: number, y: number): void {
    if (!this.header) return;
    if (x < 0) {
      const who = laneAt(this.lanes, y, this.header.characters.length);
      if (who >= 0) this.onSelect(who, -1, this.player.time);
      return;
    }
    const found = findAt(this.header, this.scale, this.lanes, x, y);
    if (!found) return;
    if (found.event) this.player.seek(found.event.tick / this.header.fps);
    const block = found.event ? null : found.block;
    this.onSelect(found.who, block?.decision ?? -1, found.event ? this.player.time : found.time);
  }

  private hover(event: PointerEvent): void {
    const { x, y } = this.at(event);
    const found = this.header && x >= 0 ? findAt(this.header, this.scale, this.lanes, x, y) : null;
    const shot = this.cutUnder(x, y, true), flag = this.flags[this.flagUnder(x, y)];
    const text = flag ? `Checkpoint ${flag.number + 1} · not left before ${flag.time.toFixed(1)} s · drag it` : this.warningUnder(x, y) >= 0 ? "A line of the quality report is about this moment" : shot >= 0 ? `Shot ${shot + 1} from ${this.cuts[shot].time.toFixed(2)} s · drag its beginning · Alt+click deletes it` : found && this.describe(found);
    this.tip.hidden = !text;
    this.canvas.style.cursor = y < RULER ? "ew-resize" : text ? "pointer" : "default";
    if (!text) return;
    this.tip.textContent = text;
    this.tip.style.left = `${Math.min(x + GUTTER + 12, this.element.clientWidth - 260)}px`;
    this.tip.style.top = `${Math.max(y - 30, 2)}px`;
  }

  private describe(found: Found): string {
    const fps = this.header!.fps;
    if (found.event) return `${(found.event.tick / fps).toFixed(2)} s · ${found.event.words}`;
    if (!found.block) return "";
    const { name, kind, start, stop, cause } = found.block;
    const why = cause === "forced" ? ", a response" : cause === "pinned" ? ", pinned by you" : "";
    return `${name} · ${kind}${why} · ${(start / fps).toFixed(2)}–${(stop / fps).toFixed(2)} s`;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x } = this.at(event);
    if (x < 0) {
      this.scrolled = lanesFor(this.header?.characters.length ?? 0, this.element.clientHeight, this.scrolled + event.deltaY).first;
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.scale = pan(this.scale, event.deltaX || event.deltaY, this.player.seconds, this.width);
    } else {
      this.scale = zoom(this.scale, ZOOM ** -event.deltaY, x, this.player.seconds, this.width);
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (!this.header) return;
    const middle = xOf(this.scale, this.player.time);
    switch (event.key) {
      case "+": case "=":
        this.scale = zoom(this.scale, 1.5, middle, this.player.seconds, this.width);
        break;
      case "-":
        this.scale = zoom(this.scale, 1 / 1.5, middle, this.player.seconds, this.width);
        break;
      case "ArrowUp": case "ArrowDown": {
        const count = this.header.characters.length;
        const who = (this.who + (event.key === "ArrowDown" ? 1 : -1) + count) % count;
        this.onSelect(who, -1, this.player.time);
        break;
      }
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.draw();
  }

  // ---- drawing

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context || this.canvas.width === 0) return;
    const ratio = window.devicePixelRatio, height = this.element.clientHeight;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, this.element.clientWidth, height);
    if (!this.header) return;
    const lanes = this.lanes;
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.width, height);
    context.clip();
    context.translate(GUTTER, 0);
    this.drawLanes(context, this.header, lanes);
    this.drawCuts(context);
    this.drawCurves(context, this.header, height);
    this.drawRuler(context, height);
    this.drawRange(context, height);
    context.restore();
    this.drawNames(context, this.header, lanes);
  }

  private drawLanes(context: CanvasRenderingContext2D, header: TakeHeader, lanes: Lanes): void {
    const { colours } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    header.characters.forEach((character, who) => {
      const top = laneTop(lanes, who), height = lanes.height - 3;
      if (top > this.element.clientHeight || top + lanes.height < RULER) return;
      context.fillStyle = who === this.who ? colours.chosen : colours.lane;
      context.fillRect(0, top, this.width, height);
      for (const block of character.blocks) {
        const left = xOf(this.scale, block.start / header.fps), right = xOf(this.scale, block.stop / header.fps);
        if (right < 0 || left > this.width) continue;
        const width = Math.max(right - left - 1, 1);
        const { fill, edge } = colourOf(block.kind, colours);
        context.fillStyle = fill;
        context.fillRect(left, top, width, height);
        context.fillStyle = edge;
        context.fillRect(left, top, Math.min(2, width), height);
        if (block.cause === "forced") this.hatch(context, left, top, width, height);
        if (block.cause === "pinned") this.pin(context, left, top, width);
        if (block.decision >= 0 && block.decision === this.decision) {
          context.strokeStyle = colours.strong;
          context.lineWidth = 2;
          context.strokeRect(left + 1, top + 1, width - 2, height - 2);
        }
        if (width > 34 && height > 11) this.label(context, block.name, Math.max(left, 0) + 6, right - 4, top, height);
      }
    });
    for (const event of header.events) this.drawMark(context, header, lanes, event.tick, laneOf(event), event.kind, isMark(event));
    if (this.pinTick >= 0) {
      const x = xOf(this.scale, this.pinTick / header.fps);
      context.fillStyle = colours.accent;
      context.fillRect(x - 0.5, RULER, 1.5, this.element.clientHeight);
    }
  }

  private label(context: CanvasRenderingContext2D, text: string, left: number, right: number, top: number, height: number): void {
    const shown = fitting(text, right - left, (some) => context.measureText(some).width);
    context.fillStyle = this.colours.words;
    context.fillText(shown, left, top + height / 2 + 0.5);
  }

  private hatch(context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number): void {
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.strokeStyle = this.colours.hatch;
    context.lineWidth = 2;
    context.beginPath();
    for (let x = left - height; x < left + width; x += 7) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.restore();
  }

  private pin(context: CanvasRenderingContext2D, left: number, top: number, width: number): void {
    context.fillStyle = this.colours.accent;
    context.fillRect(left, top, width, 3);
  }

  private drawMark(
    context: CanvasRenderingContext2D, header: TakeHeader, lanes: Lanes, tick: number, who: number, kind: string, shown: boolean,
  ): void {
    if (!shown) return;
    const x = xOf(this.scale, tick / header.fps), y = laneTop(lanes, who) + lanes.height - 5;
    if (x < -6 || x > this.width + 6 || y < RULER) return;
    const size = Math.min(5, lanes.height / 3.2);
    context.fillStyle = markColour(kind);
    context.strokeStyle = this.colours.outline;
    context.lineWidth = 1.5;
    context.beginPath();
    if (kind === "hit") {
      context.moveTo(x, y - 2 * size);
      context.lineTo(x + size, y - size);
      context.lineTo(x, y);
      context.lineTo(x - size, y - size);
    } else if (kind === "block") {
      context.rect(x - size + 1, y - 2 * size + 1, 2 * size - 2, 2 * size - 2);
    } else {
      context.arc(x, y - size, size - 1, 0, 2 * Math.PI);
    }
    context.closePath();
    context.stroke();
    context.fill();
  }

  private drawRuler(context: CanvasRenderingContext2D, height: number): void {
    const { colours } = this;
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, this.width, RULER);
    const step = rulerStep(this.scale);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    context.font = FONT;
    context.textBaseline = "middle";
    for (let n = Math.floor(this.scale.start / step); ; n++) {
      const x = xOf(this.scale, n * step);
      if (x > this.width || n * step > this.player.seconds + 1e-6) break;
      context.fillStyle = colours.grid;
      context.fillRect(x, RULER, 1, height);
      context.fillStyle = colours.quiet;
      context.fillRect(x, RULER - 6, 1, 6);
      const label = `${(n * step).toFixed(digits)} s`, room = context.measureText(label).width + 4;
      context.fillText(label, x + room > this.width ? x - room : x + 4, RULER / 2);
    }
    const end = xOf(this.scale, this.player.seconds);
    context.fillStyle = colours.beyond;
    context.fillRect(end, RULER, Math.max(this.width - end, 0), height);
  }

  private drawCuts(context: CanvasRenderingContext2D): void {
    if (!this.cutsHeight) return;
    const top = this.cutsTop;
    this.cuts.forEach((cut, number) => {
      const left = number === 0 ? xOf(this.scale, 0) : xOf(this.scale, cut.time), right = xOf(this.scale, this.cuts[number + 1]?.time ?? this.player.seconds);
      context.fillStyle = this.colours.shots[number % 2];
      context.fillRect(left, top, right - left - 1, CUTS - 2);
      context.fillStyle = this.colours.shotEdge;
      context.fillRect(xOf(this.scale, cut.time), top, 2, CUTS - 2);
      this.label(context, `shot ${number + 1}${cut.following === null ? "" : " · follows"}`, Math.max(left, 0) + 6, right - 4, top, CUTS - 2);
    });
  }

  private drawCurves(context: CanvasRenderingContext2D, header: TakeHeader, height: number): void {
    const tall = this.curvesHeight, top = height - tall;
    if (!tall) return;
    context.fillStyle = this.colours.low;
    context.fillRect(0, top, this.width, tall);
    for (const curve of this.curves) {
      context.strokeStyle = this.colours.curves[curve.side];
      context.lineWidth = 1.5;
      context.beginPath();
      curve.values.forEach((value, i) => {
        const x = xOf(this.scale, (i * curve.step) / header.fps), y = top + tall - 3 - (tall - 8) * Math.min(value / curve.most, 1);
        if (i === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      });
      context.stroke();
    }
  }

  /** Times outside of in and out are darkened; markers stand on the ruler. */
  private drawRange(context: CanvasRenderingContext2D, height: number): void {
    const { range } = this.player, { colours } = this;
    if (range) {
      const [left, right] = range.map((time) => xOf(this.scale, time));
      context.fillStyle = colours.outside;
      context.fillRect(0, 0, Math.max(left, 0), height);
      context.fillRect(right, 0, Math.max(this.width - right, 0), height);
      context.fillStyle = colours.accent;
      for (const x of [left, right]) context.fillRect(x - 1, 0, 2, RULER);
    }
    context.fillStyle = colours.warning;
    for (const time of this.warnings) {
      const x = xOf(this.scale, time);
      context.beginPath();
      context.moveTo(x - 4, RULER);
      context.lineTo(x + 4, RULER);
      context.lineTo(x, RULER - 8);
      context.fill();
    }
    for (const { number, time } of this.flags) {
      const x = xOf(this.scale, time);
      context.fillStyle = colours.accent;
      context.fillRect(x - 1, 3, 2, RULER - 3);
      context.fillRect(x, 3, FLAG, 12);
      context.fillStyle = colours.ground;
      context.fillText(String(number + 1), x + 4, 9, FLAG - 5);
    }
    for (const { time, note } of this.markers) {
      const x = xOf(this.scale, time);
      context.fillStyle = colours.marker;
      context.beginPath();
      context.moveTo(x - 5, 0);
      context.lineTo(x + 5, 0);
      context.lineTo(x, 9);
      context.fill();
      context.fillStyle = colours.ground; // so that the ruler does not run through the note
      context.fillRect(x + 5, 0, context.measureText(note).width + 5, RULER - 7);
      context.fillStyle = colours.marker;
      context.fillText(note, x + 7, 6);
    }
  }

  private drawNames(context: CanvasRenderingContext2D, header: TakeHeader, lanes: Lanes): void {
    const { colours } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    header.characters.forEach((character, who) => {
      const top = laneTop(lanes, who);
      if (top + lanes.height < RULER || top > this.element.clientHeight) return;
      const [red, green, blue] = header.outfits[character.outfit % header.outfits.length]?.colours[1] ?? [0.6, 0.6, 0.6];
      context.fillStyle = who === this.who ? colours.chosen : colours.ground;
      context.fillRect(0, top, GUTTER - 2, lanes.height - 3);
      context.fillStyle = `rgb(${255 * red} ${255 * green} ${255 * blue})`;
      context.fillRect(8, top + lanes.height / 2 - 6, 9, 9);
      context.fillStyle = who === this.who ? colours.strong : colours.text;
      context.fillText(character.name, 24, top + lanes.height / 2 - 1, GUTTER - 30);
    });
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, GUTTER, RULER);
    if (this.cutsHeight) {
      context.fillRect(0, this.cutsTop, GUTTER, CUTS);
      context.fillStyle = colours.quiet;
      context.fillText("camera", 24, this.cutsTop + CUTS / 2 - 1);
      context.fillStyle = colours.ground;
    }
    const bottom = this.element.clientHeight - this.curvesHeight;
    if (!this.curvesHeight) return;
    context.fillRect(0, bottom, GUTTER, this.curvesHeight);
    this.curves.forEach((curve, number) => {
      context.fillStyle = colours.curves[curve.side];
      context.fillText(curve.title, 8, bottom + 8 + 13 * number, GUTTER - 12);
    });
  }
}
