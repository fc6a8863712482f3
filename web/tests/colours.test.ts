import { expect, test } from "vitest";
import { DARK, LIGHT, type Palette } from "../src/timeline/colours";

const READABLE = 4.5, VISIBLE = 3; // contrasts of words and of lines

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test.each([["dark", DARK], ["light", LIGHT]] as [string, Palette][])("the %s timeline can be read", (_, palette) => {
  for (const { fill, edge } of [...Object.values(palette.kinds), palette.other]) {
    expect(contrast(palette.words, fill)).toBeGreaterThan(READABLE);
    expect(contrast(edge, palette.ground)).toBeGreaterThan(VISIBLE);
  }
  for (const shot of palette.shots) expect(contrast(palette.words, shot)).toBeGreaterThan(READABLE);
  for (const ground of [palette.ground, palette.lane, palette.chosen]) expect(contrast(palette.text, ground)).toBeGreaterThan(READABLE);
  expect(contrast(palette.quiet, palette.ground)).toBeGreaterThan(READABLE);
  for (const curve of Object.values(palette.curves)) expect(contrast(curve, palette.low)).toBeGreaterThan(READABLE);
  for (const mark of [palette.accent, palette.warning, palette.marker]) expect(contrast(mark, palette.ground)).toBeGreaterThan(VISIBLE);
});
