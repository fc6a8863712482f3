import { describe, expect, it } from "vitest";
import { spread } from "../src/stage/labels";

const at = (x: number, y: number) => ({ x, y, width: 2, height: 1 });

describe("names above people", () => {
  it("stay where they are when none covers another", () => {
    expect(spread([at(0, 0), at(3, 0), at(0, 2)])).toEqual([0, 0, 0]);
  });

  it("move above all that they would cover", () => {
    expect(spread([at(0, 0), at(0.5, 0.2), at(0.5, 0.9)])).toEqual([0, 0.8, 1.1]);
  });
});
