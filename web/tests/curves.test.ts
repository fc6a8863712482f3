import { describe, expect, it } from "vitest";
import type { TakeHeader } from "../src/messages";
import { fromRelative, toRelative } from "../src/panels/fields";
import { Player } from "../src/take/player";
import type { Motion } from "../src/take/pose";
import { curvesOf, damage, distances } from "../src/timeline/curves";

const header = {
  frames: 7, fps: 30, characters: [{ team: 0 }, { team: 1 }],
  events: [{ kind: "hit", who: 0, whom: 1, tick: 3, strength: 4 }, { kind: "hit", who: 1, whom: 0, tick: 6, strength: 2 }, { kind: "block", who: 0, whom: 1, tick: 0, strength: 9 }],
} as unknown as TakeHeader;
const still = (x: number): Motion => ({ roots: Float32Array.from({ length: 21 }, (_, i) => (i % 3 === 0 ? x : 0)), turns: new Int16Array(), frames: 7, joints: 0 });

describe("curves", () => {
  it("show how far opponents are apart, and the damage so far", () => {
    expect(distances(header, [still(0), still(3)])).toEqual([3, 3, 3]);
    expect(damage(header, 0)).toEqual([0, 4, 4]);
    expect(damage(header, 1)).toEqual([0, 0, 2]);
    expect(curvesOf({ ...header, characters: [{ team: 0 }, { team: 0 }] } as unknown as TakeHeader, [still(0), still(3)])).toEqual([]);
  });
});

describe("a range", () => {
  it("is played over and over, in both directions", () => {
    const player = new Player(10, 30);
    player.seek(2);
    player.mark("in");
    player.seek(4);
    player.mark("out");
    expect(player.range).toEqual([2, 4]);
    player.run(false);
    player.advance(0.5);
    expect(player.time).toBeCloseTo(2.5);
    player.run(true);
    player.advance(1);
    expect(player.time).toBeCloseTo(3.5);
    player.clearRange();
    player.seek(9.5);
    player.run(false);
    player.advance(1);
    expect(player.time).toBeCloseTo(0.5);
  });

  it("stops at its ends without a loop", () => {
    const player = new Player(10, 30);
    player.setLoop(false);
    player.seek(1);
    player.run(true);
    player.advance(2);
    expect([player.time, player.playing]).toEqual([0, false]);
  });
});

describe("weights from 0 to 100", () => {
  it("have the style's own in the middle", () => {
    expect(toRelative(1e5, 1e5)).toBe(50);
    expect(toRelative(1e6, 1e5)).toBe(75);
    expect(toRelative(0, 1e5)).toBe(0);
    expect(fromRelative(50, 123)).toBe(123);
    expect(fromRelative(75, 10)).toBe(100);
    expect(fromRelative(0, 10)).toBe(0);
  });
});
