import { describe, expect, it } from "vitest";
import { duplicatePiece, movePiece, PALETTE, piecesOf, removePieces, turnPiece } from "../src/document/pieces";
import type { SceneValues } from "../src/document/values";
import type { Vocabulary } from "../src/messages";
import { summary } from "../src/library/summary";
import { sourceEdits, sourceOf } from "../src/panels/motions";
import { nextStep } from "../src/panels/next_step";
import { barLength, byName, course, expected, number, whatItTakes } from "../src/panels/reasons";
import { pinOf, pinWords, unmet } from "../src/timeline/pins";

const vocabulary = { outfits: [{ name: "red", colours: [] }, { name: "blue", colours: [] }, { name: "green", colours: [] }], styles: { boxer: { path_weight: 0 }, "boxer-on-path": { path_weight: 10 } } } as unknown as Vocabulary;
const member = (name: string, more = {}): SceneValues["cast"][number] => ({ name, controller: "duel", style: "boxer", outfit: name.toLowerCase(), team: 0, weights: {}, ...more });
const scene = (more: Partial<SceneValues> = {}): SceneValues => ({
  title: "x", seconds: 5, cast: [], path: [], combination: [], motions: {}, rules: {}, pins: [], ...more,
} as SceneValues);
const offer = (title: string): (typeof PALETTE)[number] => PALETTE.find((one) => one.title === title)!;

describe("pieces", () => {
  it("are moved whole, or by one end", () => {
    const values = scene({ walls: [{ start: [0, 0], stop: [2, 0] }] });
    const [wall] = piecesOf(values, []);
    expect(movePiece(wall, values, 1, 1)).toEqual([
      { do: "set", at: ["walls", 0, "start"], value: [1, 1] }, { do: "set", at: ["walls", 0, "stop"], value: [3, 1] }]);
    expect(movePiece(wall, values, 1, 1, 1)).toEqual([{ do: "set", at: ["walls", 0, "stop"], value: [3, 1] }]);
  });

  it("turn about themselves, and stay between half turns", () => {
    const values = scene({ cast: [member("Red")] });
    const [red] = piecesOf(values, [[1, 2, 170]]);
    expect(turnPiece(red, 15)).toEqual([{ do: "set", at: ["cast", 0, "place"], value: [1, 2, -175] }]);
    const [wall] = piecesOf(scene({ walls: [{ start: [0, 0], stop: [2, 0] }] }), []);
    expect(turnPiece(wall, 90).map((edit) => edit.value)).toEqual([[1, 1], [1, -1]]);
  });

  it("are doubled under a free name, and removed from the end on", () => {
    const values = scene({ cast: [member("Red"), member("Red 2")] });
    const [red] = piecesOf(values, [[0, 0, 0], [1, 0, 0]]);
    expect(duplicatePiece(red, values)[0].value).toMatchObject({ name: "Red 3", place: [1, 0, 0] });
    expect(removePieces(piecesOf(values, [[0, 0, 0], [1, 0, 0]])).map((edit) => edit.at)).toEqual([["cast", 1], ["cast", 0]]);
  });
});

describe("the palette", () => {
  it("brings motions with the first fighter, and an opponent next", () => {
    const first = offer("Boxer").make(scene(), [0, 0], vocabulary, { time: 0, target: [0, 1, 0] });
    expect(first.map((edit) => edit.at[0])).toEqual(["motions", "cast"]);
    expect(first[1].value).toMatchObject({ name: "Red", team: 0 });
    const values = scene({ cast: [member("Red", { place: [0, 0, 0] })], motions: { boxing: { perform: ["boxing", "reactions"] } } });
    expect(offer("Boxer").make(values, [0, 2], vocabulary, { time: 0, target: [0, 1, 0] })).toEqual([
      { do: "set", at: ["cast", 0, "place"], value: [0, 0, 0] },
      { do: "insert", at: ["cast", -1], value: { name: "Blue", style: "boxer", team: 1, outfit: "blue", place: [0, 2, 180] } }]);
    expect(first[1].value).toMatchObject({ place: [0, 0, 0] });
    const aside = offer("Boxer").make(values, [2, 0], vocabulary, { time: 0, target: [0, 1, 0] });
    expect(aside[0].value).toEqual([0, 0, 90]); // the first one turns to its opponent
  });

  it("names the motions of everybody once there are two kinds", () => {
    const values = scene({ cast: [member("Red")], motions: { boxing: { perform: ["boxing", "reactions"] } } });
    const edits = offer("Swordsman").make(values, [0, 2], vocabulary, { time: 0, target: [0, 1, 0] });
    expect(edits.map((edit) => edit.at)).toEqual([["motions", "sword"], ["cast", 0, "motions"], ["cast", -1]]);
    expect(edits[2].value).toMatchObject({ motions: "sword" });
  });

  it("makes fighters follow the first checkpoint", () => {
    const edits = offer("Checkpoint").make(scene({ cast: [member("Red")] }), [1, 1], vocabulary, { time: 0, target: [0, 1, 0] });
    expect(edits[0]).toEqual({ do: "set", at: ["cast", 0, "style"], value: "boxer-on-path" });
  });
});

describe("motions", () => {
  it("have one source: choosing another takes the first away", () => {
    const motion = { perform: ["boxing"], files: [], library: null };
    expect(sourceOf(motion)).toBe("perform");
    expect(sourceEdits("ring", motion, "files", ["recordings/a.bvh"])).toEqual([
      { do: "set", at: ["motions", "ring", "files"], value: ["recordings/a.bvh"] }, { do: "delete", at: ["motions", "ring", "perform"], value: null }]);
  });
});

describe("why", () => {
  it("tells options of one name apart, and folds them together", () => {
    expect(course({ seconds: 0.72, ahead: 0.61, left: -0.02, turn: 3 })).toBe("0.7 s, 0.6 m ahead");
    expect(course({ seconds: 1, ahead: -0.3, left: -0.2, turn: -45 })).toBe("1.0 s, 0.3 m back, 0.2 m to the right, turns 45° right");
    expect(course({ seconds: 0.5, ahead: 0, left: 0.05, turn: 0 })).toBe("0.5 s, in place");
    const option = (name: string): never => ({ name }) as never;
    expect(byName([option("jab"), option("step"), option("jab")]).map((group) => group.length)).toEqual([2, 1]);
    expect([number(-1_370_000), number(189_000), number(-0.001), number(1250)]).toEqual(["−1.37M", "189K", "0.00", "1,250"]);
  });

  it("finds the pin of a decision by its character and its time", () => {
    const pins = [{ who: "Red", at: 2, action: "jab" }, { who: "Blue", at: 5.2, action: "duck" }, { who: "Red", at: 5.2, action: "hook" }];
    const characters = [{ name: "Red", blocks: [{ cause: "pinned", start: 52 }, { cause: "chosen", start: 22 }] }] as never;
    expect(unmet(pins, { characters, fps: 10 })).toEqual([0, 1]); // at 2 s Red did as it liked; there is no Blue
    expect(pinWords(pins[2])).toBe("Red · hook · 5.2 s");
    expect([pinOf(pins, "Red", 5.42), pinOf(pins, "Blue", 5.2), pinOf(pins, "Red", 4), pinOf(pins, "Red", 1.5)]).toEqual([2, 1, -1, -1]);
  });
});

describe("words", () => {
  it("say what a scene that is only begun still needs", () => {
    const values = (...controllers: string[]): never => ({ cast: controllers.map((controller) => ({ name: "Red", controller })) }) as never;
    expect(nextStep(values())).toContain("The stage is empty");
    expect(nextStep(values("duel"))).toContain("Red has no opponent yet");
    expect([nextStep(values("duel", "duel")), nextStep(values("policy"))]).toEqual(["", ""]);
  });

  it("sum up what was found", () => {
    const action = (kind: string, technique = ""): object => ({ kind, technique });
    expect(summary({ actions: [action("attack"), action("attack"), action("defence"), action("transition", "stand")] } as never))
      .toBe("Found 2 attacks and 1 defence.");
  });

  it("tell the best options apart by their bars, however bad the worst is", () => {
    const values = [-84, -85, -90, ...Array.from({ length: 40 }, (_, i) => -100 - i), -900_000];
    const lengths = values.map((value) => barLength(value, values));
    expect(lengths[0]).toBe(100);
    expect(lengths[2]).toBeLessThan(90);
    expect(Math.min(...lengths)).toBe(lengths.at(-1));
    expect(lengths.every((length) => length > 0 && length <= 100)).toBe(true);
    expect([barLength(3, [3, 3]), barLength(3, [3])]).toEqual([100, 100]);
  });

  it("tell what was expected, and what another option would take", () => {
    const header = { characters: [{ name: "Red" }, { name: "Blue" }], fps: 30 } as never;
    expect(expected(header, [{ who: 0, action: 1, name: "right jab", kind: "attack", tick: 30 }, { who: 1, action: 2, name: "duck", kind: "defence", tick: 45 }]))
      .toBe("Red attacks with a right jab at 1.0 s, then Blue answers with a duck at 1.5 s.");
    const option = (action: number, stance: number): never => ({ action, terms: { stance }, total: stance }) as never;
    expect(whatItTakes(option(1, 3), option(2, 1), new Map([[1, { value: 4 }], [2, { value: 10 }]]))).toContain("4.0 times as much");
    expect(whatItTakes(option(1, 1), option(2, 3), new Map([[1, { value: 4 }], [2, { value: 10 }]]))).toContain("No weight speaks for it");
  });
});
