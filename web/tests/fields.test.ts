import { expect, test } from "vitest";
import type { Control } from "../src/messages";
import { fromSlider, toSlider } from "../src/panels/fields";
import { addedFigure } from "../src/panels/lists";
import { wishEdits } from "../src/panels/tables";

const control = (words: Partial<Control>): Control => ({ key: "k", title: "K", help: "", kind: "number", ...words }) as Control;

test("a logarithmic slider reaches nothing, little and much", () => {
  const weight = control({ minimum: 0, maximum: 1e6, logarithmic: true });
  expect(fromSlider(weight, 0)).toBe(0);
  expect(fromSlider(weight, 1)).toBe(1e6);
  for (const value of [1, 10, 450, 1e5]) expect(fromSlider(weight, toSlider(weight, value))).toBeCloseTo(value, 6);
  expect(toSlider(weight, 1e-9)).toBeGreaterThan(0);
});

test("a plain slider keeps to its steps and its ends", () => {
  const distance = control({ minimum: 0, maximum: 5, step: 0.05 });
  expect(fromSlider(distance, toSlider(distance, 0.8))).toBe(0.8);
  expect(fromSlider(distance, 1)).toBe(5);
  const depth = control({ kind: "whole", minimum: 1, maximum: 8 });
  expect(fromSlider(depth, 0.49)).toBe(4);
});

test("wishes of one leave those of others, and the last one takes its table along", () => {
  const at = ["path", 0, "required"];
  expect(wishEdits(at, "Red", ["hook"], { Blue: ["duck"] })).toEqual([{ do: "set", at, value: { Blue: ["duck"], Red: ["hook"] } }]);
  expect(wishEdits(at, "Red", [], { Red: ["hook"] })).toEqual([{ do: "delete", at, value: null }]);
  expect(wishEdits(at, "Red", [], {})).toEqual([]);
});

test("a number for all becomes a number for each", () => {
  expect([addedFigure(null, 60), addedFigure(60, 60), addedFigure([], 1.75), addedFigure([1.6], 1.75)]).toEqual([60, [60, 60], [1.75], [1.6, 1.6]]);
});
