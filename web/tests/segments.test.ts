import { expect, test } from "vitest";
import { boundaryNear, merge, moveBoundary, segmentAt, split, tag } from "../src/library/segments";
import type { Segment } from "../src/messages";

const made = (...starts: number[]): Segment[] => starts.map((start) => ({
  start, kind: "attack", technique: "jab", side: "left", position: "", direction: "", edited: false,
}));
const starts = (segments: Segment[]): number[] => segments.map((one) => one.start);

test("a boundary moves between its neighbours", () => {
  expect(starts(moveBoundary(made(0, 1, 2), 1, 1.4, 3))).toEqual([0, 1.4, 2]);
  expect(starts(moveBoundary(made(0, 1, 2), 1, 9, 3))).toEqual([0, 1.9, 2]);
  expect(starts(moveBoundary(made(0, 1, 2), 2, 9, 3))).toEqual([0, 1, 2.9]);
  expect(moveBoundary(made(0, 1), 1, 1.2, 3).map((one) => one.edited)).toEqual([false, true]);
});

test("split and merge undo each other", () => {
  const cut = split(made(0, 1, 2), 1.5, 3);
  expect(starts(cut)).toEqual([0, 1, 1.5, 2]);
  expect(starts(merge(cut, 2))).toEqual([0, 1, 2]);
  expect(starts(split(made(0, 1), 1.05, 3))).toEqual([0, 1]);
  expect(starts(merge(made(0, 1), 0))).toEqual([0, 1]);
});

test("found by time", () => {
  expect([0, 0.99, 1, 5].map((time) => segmentAt(made(0, 1, 2), time))).toEqual([0, 0, 1, 2]);
  expect(boundaryNear(made(0, 1, 2), 1.06, 0.1)).toBe(1);
  expect(boundaryNear(made(0, 1, 2), 0.02, 0.1)).toBe(-1);
});

test("a tag is a person's word", () => {
  expect(tag(made(0, 1), 1, { technique: "hook" })[1]).toMatchObject({ technique: "hook", side: "left", edited: true });
});
