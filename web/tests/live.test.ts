import { expect, test } from "vitest";
import { order, toward } from "../src/live/controls";
import { pressed } from "../src/page/board";
import { freeSide } from "../src/stage/sides";
import { LiveClock, LiveFrameStore } from "../src/live/frames";
import { remaining } from "../src/page/remaining";
import type { FramesMessage } from "../src/take/buffer";

function message(tick: number, frames: number): FramesMessage {
  const numbers = Array.from({ length: frames }, (_, f) => tick + f);
  return {
    tick, frames, words: { events: [], inputs: [], decisions: [], took: 0 },
    roots: Float32Array.from(numbers.flatMap((n) => [n, 0, 0, -n, 0, 0])), // two characters
    props: Float32Array.from(numbers.flatMap((n) => [0, n, 0, 0])),
    turns: Int16Array.from(numbers.flatMap((n) => [n, 0, 0, 1, -n, 0, 0, 1])), // of one joint each
  };
}

test("frames are found by their tick, also after coming round, and their neighbours stand beside them", () => {
  const store = new LiveFrameStore(2, 1, 1);
  for (let tick = 1; tick < 1200; tick += 3) store.push(message(tick, 3));
  expect(store.newest).toBe(1200);
  for (const tick of [1200, 1100, 1023, 1024, 700]) {
    const index = store.indexOf(tick);
    expect(store.motions[0].roots[3 * index]).toBe(tick);
    expect(store.motions[1].turns[4 * index]).toBe(-tick);
    expect(store.props[4 * index + 1]).toBe(tick);
    if (tick < 1200) expect(store.motions[0].roots[3 * (index + 1)]).toBe(tick + 1);
  }
  expect(store.oldest).toBeGreaterThan(600);
});

test("the clock waits for a start, goes evenly, and stops where nothing has arrived", () => {
  const clock = new LiveClock(60, 12), store = new LiveFrameStore(2, 1, 1);
  clock.advance(1, store);
  expect(clock.tick).toBe(0);
  store.push(message(1, 12));
  clock.advance(0.05, store);
  expect(clock.tick).toBeCloseTo(3, 0);
  for (let i = 0; i < 20; i++) clock.advance(0.1, store);
  expect(clock.tick).toBe(12);
  expect(clock.waiting).toBe(true);
});

test("frames that come anew replace what was planned; what was shown is not shown again", () => {
  const clock = new LiveClock(60, 12), store = new LiveFrameStore(2, 1, 1);
  store.push(message(1, 12));
  clock.advance(0.1, store);
  expect(clock.tick).toBeCloseTo(6, 5);
  store.push(message(4, 2)); // from tick 4 on everything is planned anew
  expect(store.newest).toBe(5);
  clock.advance(0.02, store);
  expect(clock.tick).toBeCloseTo(6, 5);
  store.push(message(6, 8));
  clock.advance(0.05, store);
  expect(clock.tick).toBeCloseTo(9, 5);
});

test("what is left is told as soon as it can be, and no more exactly than it is known", () => {
  expect(remaining(1_000, 0.5)).toBe("");
  expect(remaining(60_000, 0.001)).toBe("");
  expect(remaining(10_000, 0.9)).toBe("a few seconds left");
  expect(remaining(20_000, 0.4)).toBe("about 30 seconds left");
  expect(remaining(60_000, 0.25)).toMatch(/^about 3 minutes left/);
});

test("arrow keys go over the squares of a picture and stop at its edges", () => {
  expect(pressed("ArrowRight", 0)).toBe(1);
  expect(pressed("ArrowLeft", 0)).toBe(0);
  expect(pressed("ArrowUp", 5)).toBe(5);
  expect(pressed("ArrowDown", 5)).toBe(17);
  expect(pressed("a", 5)).toBeNull();
});

test("an order names the character, and a click on the floor sends it to a place", () => {
  expect(order("take over", "Red")).toMatchObject({ what: "take over", values: { who: "Red" } });
  expect(toward("Red")).toMatchObject({ what: "go", how: "ground", value: "place", values: { who: "Red" } });
});

test("a ghost stands on the side where nobody else is", () => {
  expect([freeSide([]), freeSide([0.5]), freeSide([-0.9]), freeSide([0.8, -0.2])]).toEqual([0.75, -0.75, 0.75, -0.75]);
});
