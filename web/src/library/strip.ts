/** A recording from end to end: how much it moves, and what it was cut into. Boundaries are dragged. */

import type { Segment, Strip } from "../messages";
import { h } from "../page/dom";
import { colourOf } from "../timeline/colours";
import { fitting } from "../timeline/layout";
import { fit, pan, type Scale, timeAt, xOf, zoom } from "../timeline/scale";
import { boundaryNear, moveBoundary, segmentAt } from "./segments";

const GRAB = 6; // pixels beside a boundary
const ZOOM = 1.0018; // per pixel of the wheel
const LABELS = 20; // pixels at the top for names

export class StripView {
  readonly element = h("canvas", { class: "strip", tabIndex: 0, role: "img", "aria-label": "Segments of the recording. Drag a boundary to move it; scroll to zoom." });
  onSelect: (number: number, time: number) => void = () => {};
  onChange: (segments: Segment[]) => void = () => {};
  private strip: Strip | null = null;
  private segments: Segment[] = [];
  private scale: Scale = { start: 0, perSecond: 10 };
  private selected = -1;
  private cursor = -1; // seconds

  constructor() {
    new ResizeObserver(() => { if (this.selected < 0) this.fitAll(); else this.select(this.selected); }).observe(this.element);
    this.element.addEventListener("pointerdown", (event) => this.press(event));
    this.element.addEventListener("pointermove", (event) => {
      this.element.style.cursor = this.editable && boundaryNear(this.segments, this.time(event), GRAB / this.scale.perSecond) >= 0 ? "ew-resize" : "pointer";
    });
    this.element.addEventListener("wheel", (event) => {
      if (!this.strip) return;
      event.preventDefault();
      const width = this.element.clientWidth;
      this.scale = event.shiftKey
        ? pan(this.scale, event.deltaY, this.strip.seconds, width)
        : zoom(this.scale, ZOOM ** -event.deltaY, event.offsetX, this.strip.seconds, width);
      this.draw();
    }, { passive: false });
  }

  get editable(): boolean {
    return Boolean(this.strip?.file);
  }

  show(strip: Strip, segments: Segment[]): void {
    const same = this.strip?.file === strip.file && this.strip.seconds === strip.seconds;
    this.strip = strip;
    this.segments = segments;
    if (!same) this.fitAll();
    this.draw();
  }

  /** Show a segment close by. */
  select(number: number): void {
    this.selected = number;
    const one = this.segments[number];
    if (one && this.strip) {
      const width = this.element.clientWidth || 300;
      this.scale = pan({ start: one.start - 2, perSecond: Math.max(width / 6, this.scale.perSecond) }, 0, this.strip.seconds, width);
    }
    this.draw();
  }

  private time(event: PointerEvent): number {
    return timeAt(this.scale, event.offsetX);
  }

  private press(start: PointerEvent): void {
    if (!this.strip) return;
    const seconds = this.strip.seconds, time = this.time(start);
    const boundary = this.editable ? boundaryNear(this.segments, time, GRAB / this.scale.perSecond) : -1;
    if (boundary < 0) {
      this.selected = segmentAt(this.segments, time);
      this.cursor = time;
      this.draw();
      this.onSelect(this.selected, time);
      return;
    }
    this.element.setPointerCapture(start.pointerId);
    let moved = this.segments;
    const move = (event: PointerEvent): void => {
      moved = moveBoundary(this.segments, boundary, this.time(event), seconds);
      this.draw(moved);
    };
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("pointerup", () => {
      this.element.removeEventListener("pointermove", move);
      if (moved !== this.segments) this.onChange(moved);
    }, { once: true });
  }

  private fitAll(): void {
    if (this.strip) this.scale = fit(this.strip.seconds, this.element.clientWidth || 300);
    this.draw();
  }

  private draw(segments = this.segments): void {
    const canvas = this.element, context = canvas.getContext("2d");
    if (!context || !this.strip || canvas.clientWidth === 0) return;
    const ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    segments.forEach((one, i) => {
      const left = xOf(this.scale, one.start), right = xOf(this.scale, segments[i + 1]?.start ?? this.strip!.seconds);
      if (right < 0 || left > width) return;
      const { fill, edge } = colourOf(one.kind);
      context.fillStyle = fill;
      context.fillRect(left, 0, right - left, height);
      context.fillStyle = edge;
      context.fillRect(left, 0, 1.5, height);
      if (one.edited) context.fillRect(left, 0, right - left, 2.5);
      if (i === this.selected) {
        context.strokeStyle = "#fff";
        context.lineWidth = 2;
        context.strokeRect(left + 1, 1, right - left - 2, height - 2);
      }
      const name = [one.side, one.technique || one.kind].filter(Boolean).join(" "), begin = Math.max(left, 0) + 5;
      context.fillStyle = "#f3f1ec";
      context.fillText(fitting(name, Math.min(right, width) - begin - 2, (text) => context.measureText(text).width), begin, LABELS / 2 + 1);
    });
    this.drawActivity(context, width, height);
    if (this.cursor >= 0) {
      context.fillStyle = "#fff";
      context.fillRect(xOf(this.scale, this.cursor), 0, 1, height);
    }
  }

  private drawActivity(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { activity, seconds } = this.strip!;
    if (activity.length < 2) return;
    context.beginPath();
    for (let x = 0; x <= width; x += 2) {
      const at = (timeAt(this.scale, x) / seconds) * (activity.length - 1);
      const value = activity[Math.min(Math.max(Math.round(at), 0), activity.length - 1)];
      context.lineTo(x, height - 3 - value * (height - LABELS - 8));
    }
    context.strokeStyle = "rgba(255, 255, 255, 0.75)";
    context.lineWidth = 1.2;
    context.stroke();
  }
}
