import { expect, test } from "vitest";
import type { TakeEvent } from "../src/messages";
import { blockAt, findAt, fitting, laneAt, lanesFor, laneTop, neighbour, RULER } from "../src/timeline/layout";
import { fit, pan, reveal, rulerStep, stretch, timeAt, xOf, zoom } from "../src/timeline/scale";
import { moments, snapped } from "../src/timeline/snapping";
import { block, header } from "./samples";

test("zooming keeps what is under the pointer, and never shows more than the take", () => {
  const whole = fit(30, 900);
  const near = zoom(whole, 4, 300, 30, 900);
  expect(timeAt(near, 300)).toBeCloseTo(timeAt(whole, 300));
  expect(zoom(near, 0.0001, 300, 30, 900)).toEqual(whole);
  expect(900 / zoom(near, 1e9, 300, 30, 900).perSecond).toBeCloseTo(0.5);
});

test("a stretch fills the timeline, and stays inside the take", () => {
  const near = stretch(10, 12, 30, 900);
  expect([timeAt(near, 0), timeAt(near, 900)].map((time) => Math.round(10 * time) / 10)).toEqual([9.9, 12.1]);
  expect(stretch(-5, 100, 30, 900)).toEqual(fit(30, 900));
  expect(stretch(0, 0, 30, 900).start).toBe(0);
});

test("what is dragged keeps to actions, and is free a few pixels away", () => {
  const take = header(20, 1);
  expect(moments(take)).toEqual([0, 1.9, 0.4, 0.9]);
  const scale = { start: 0, perSecond: 100 };
  expect([snapped(1.04, [1, 2], scale), snapped(1.07, [1, 2], scale), snapped(1.98, [1, 2], scale)]).toEqual([1, 1.07, 2]);
});

test("panning stops at both ends", () => {
  const near = zoom(fit(30, 900), 10, 0, 30, 900);
  expect(pan(near, -500, 30, 900).start).toBe(0);
  const end = pan(near, 1e6, 30, 900);
  expect(timeAt(end, 900)).toBeCloseTo(30 * 1.02);
});

test("the page turns when the playhead leaves it", () => {
  const near = zoom(fit(30, 900), 10, 0, 30, 900);
  expect(reveal(near, 1, 30, 900)).toBe(near);
  const turned = reveal(near, 10, 30, 900);
  expect(xOf(turned, 10)).toBeGreaterThanOrEqual(0);
  expect(xOf(turned, 10)).toBeLessThan(200);
});

test("the ruler's marks are round numbers, far enough apart", () => {
  for (const perSecond of [3, 12.7, 100, 999]) {
    const step = rulerStep({ start: 0, perSecond });
    expect(step * perSecond).toBeGreaterThanOrEqual(70);
    expect(["1", "2", "5"]).toContain(step.toExponential(6)[0]);
  }
});

test("two hundred lanes scroll, two are as tall as can be", () => {
  expect(lanesFor(2, 200, 50)).toEqual({ height: 36, first: 0 });
  const many = lanesFor(200, 200, 1e9);
  expect(laneTop(many, 199) + many.height).toBeCloseTo(200);
  expect(laneAt(many, 199, 200)).toBe(199);
  expect(laneAt(many, RULER - 1, 200)).toBe(-1);
});

test("blocks are found by their ticks", () => {
  const blocks = [block(0, 4), block(4, 9), block(9, 30)];
  expect([0, 3, 4, 8, 29, 30].map((tick) => blockAt(blocks, tick)?.start ?? null)).toEqual([0, 0, 4, 4, 9, null]);
});

test("marks lie over blocks, and a hit stands where it is felt", () => {
  const hit: TakeEvent = { tick: 5, kind: "hit", who: 0, whom: 1, what: "left_hand", part: "head", strength: 8, point: null, words: "" };
  const words = { ...header(10, 2), events: [hit] };
  const scale = fit(1, 1020), lanes = lanesFor(2, 96, 0);
  expect(findAt(words, scale, lanes, 502, RULER + 41)).toMatchObject({ who: 1, event: hit, block: { name: "duck" } });
  expect(findAt(words, scale, lanes, 502, RULER + 5)).toMatchObject({ who: 0, event: null });
  expect(findAt(words, scale, lanes, 502, 5)).toBeNull();
});

test("the next decision and the one before, of one or of all", () => {
  const decisions = [[0, 0], [3, 1], [3, 0], [8, 1]].map(([tick, who], number) => ({
    number, tick, who, action: 0, name: "", options: 1, plausible: 1,
  }));
  const words = { ...header(10, 2), decisions };
  expect(neighbour(words, 0.3, -1, 1)).toBe(3);
  expect(neighbour(words, 0.3, 0, 1)).toBeNull();
  expect(neighbour(words, 0.8, 1, -1)).toBe(1);
});

test("a name that is too long for its block is shortened, and says nothing rather than a letter or two", () => {
  const widthOf = (text: string): number => 10 * text.length;
  expect(fitting("left jab", 80, widthOf)).toBe("left jab");
  expect(fitting("left jab", 70, widthOf)).toBe("L jab");
  expect(fitting("left jab", 40, widthOf)).toBe("L j…");
  expect(fitting("left jab", 30, widthOf)).toBe("");
});
