import { expect, test } from "vitest";
import { newlyPressed, readPad, RESTING } from "../src/live/gamepad";

const pad = (axes: number[], ...pressed: number[]) => ({ axes, buttons: Array.from({ length: 16 }, (_, button) => ({ pressed: pressed.includes(button) })) });

test("a stick near its middle is at rest, and one pushed up points ahead", () => {
  expect(readPad(pad([0.1, -0.15])).way).toEqual([0, 0]);
  expect(readPad(pad([0, -1])).way).toEqual([0, 1]);
  expect(Math.hypot(...readPad(pad([1, 1])).way)).toBeCloseTo(1); // a corner is no faster
});

test("the cross counts as a stick", () => {
  expect(readPad(pad([0, 0], 14)).way).toEqual([-1, 0]);
});

test("a button counts once, however long it is held", () => {
  const down = readPad(pad([0, 0], 1));
  expect(newlyPressed(RESTING, down)).toEqual([1]);
  expect(newlyPressed(down, down)).toEqual([]);
});
