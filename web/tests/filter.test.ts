import { expect, test } from "vitest";
import { matching } from "../src/library/filter";
import type { Action } from "../src/messages";

const action = (number: number, name: string, kind: string): Action => ({
  number, name, kind, recording: 0, start: 0, stop: 1, technique: name.split(" ").at(-1)!, side: name.split(" ")[0],
  position: kind === "attack" ? "head" : "", direction: "", confidence: 1, edited: false, strikes: 0, kept: true,
});
const all = [action(0, "left jab", "attack"), action(1, "right hook", "attack"), action(2, "left slip", "defence")];
const numbers = (words: string, kind = ""): number[] => matching(all, words, kind).map((one) => one.number);

test("every word has to fit, in any order and in any field", () => {
  expect(numbers("")).toEqual([0, 1, 2]);
  expect(numbers("LEFT")).toEqual([0, 2]);
  expect(numbers("head left")).toEqual([0]);
  expect(numbers("left", "defence")).toEqual([2]);
  expect(numbers("nothing")).toEqual([]);
});
