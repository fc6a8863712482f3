import { describe, expect, it } from "vitest";
import { ADDITIONS, inputEdits, inputValue, ownPatterns, renameMotions } from "../src/document/additions";
import { movePiece, PALETTE, piecesOf, removePieces } from "../src/document/pieces";
import type { SceneValues } from "../src/document/values";
import type { UsualPatterns, Vocabulary } from "../src/messages";

const member = (name: string, more = {}): SceneValues["cast"][number] => ({ name, controller: "duel", style: "boxer", outfit: "red", team: 0, weights: {}, ...more });
const scene = (more: Partial<SceneValues> = {}): SceneValues => ({
  title: "x", seconds: 20, cast: [member("Red"), member("Blue", { team: 1 })], path: [], combination: [], motions: { ring: { perform: ["boxing"] } }, rules: {}, pins: [], shots: [], markers: [], ...more,
});
const addition = (title: string): (typeof ADDITIONS)[number] => ADDITIONS.find((one) => one.title === title)!;

describe("parts without a place on the stage", () => {
  it("are refused with the reason where they would not be valid", () => {
    expect(addition("Finale").lacks(scene({ cast: [member("Red"), member("Mate")] }))).toContain("different teams");
    expect(ADDITIONS.map((one) => one.lacks(scene()))).toEqual(["", "", "", ""]);
  });

  it("take the names and the length of the scene", () => {
    expect(addition("Finale").make(scene())).toEqual([{ do: "set", at: ["finale"], value: { who: ["Red", "Blue"], time: 12 } }]);
    expect(addition("Input").make(scene())[0]).toMatchObject({ do: "insert", at: ["inputs", -1], value: { who: "Red" } });
  });

  it("name the motions of all who used the only ones before", () => {
    expect(addition("Motions").make(scene()).map((edit) => edit.at)).toEqual([["motions", "motions"], ["cast", 0, "motions"], ["cast", 1, "motions"]]);
  });
});

describe("inputs", () => {
  it("have the values of their kind, and no others", () => {
    const keys = { go: ["place"], do: ["action"], "take over": [] };
    expect(inputEdits(0, "do", { what: "go", place: [1, 2] }, keys)).toEqual([
      { do: "set", at: ["inputs", 0, "what"], value: "do" }, { do: "delete", at: ["inputs", 0, "place"], value: null },
      { do: "set", at: ["inputs", 0, "action"], value: "left jab" }]);
    expect(inputEdits(0, "take over", { what: "go", place: [1, 2] }, keys)).toHaveLength(2);
  });

  it("are numbers where numbers are typed", () => {
    expect([inputValue("1,6"), inputValue(" 3 "), inputValue("guard"), inputValue("")]).toEqual([1.6, 3, "guard", ""]);
  });
});

describe("motions", () => {
  it("keep their users when they get another name", () => {
    const values = scene({ motions: { ring: { perform: ["boxing"], files: [], library: null } }, cast: [member("Red", { motions: "ring" }), member("Blue")], group: [{ kind: "ring", motions: "ring" }] });
    expect(renameMotions(values, "ring", "fists")).toEqual([
      { do: "set", at: ["motions", "fists"], value: { perform: ["boxing"] } }, { do: "delete", at: ["motions", "ring"], value: null },
      { do: "set", at: ["cast", 0, "motions"], value: "fists" }, { do: "set", at: ["group", 0, "motions"], value: "fists" }]);
    expect(renameMotions(values, "ring", "ring")).toEqual([]);
  });
});

describe("patterns of a group", () => {
  const usual: UsualPatterns = { name: "mouse", motions: { perform: ["crowd"] }, annotation: { away: {} }, pattern: [{ moves: ["1 mouse", "2 away"] }] };

  it("are copied with their motions, or for those that the group has", () => {
    const copied = ownPatterns(scene({ cast: [], motions: {}, group: [{ kind: "panic" }] }), 0, usual);
    expect(copied.map((edit) => edit.at)).toEqual([["motions", "mouse"], ["group", 0, "motions"], ["group", 0, "annotation"], ["group", 0, "pattern"]]);
    const own = ownPatterns(scene({ group: [{ kind: "panic", motions: "ring", patterns: "mouse" }] }), 0, usual);
    expect(own.map((edit) => edit.at)).toEqual([["group", 0, "patterns"], ["group", 0, "annotation"], ["group", 0, "pattern"]]);
  });
});

describe("a formation on the stage", () => {
  const offer = PALETTE.find((one) => one.title === "Formation")!;

  it("needs two opponents, and there is one at most", () => {
    expect(offer.lacks!(scene({ cast: [member("Red")] }))).toContain("two fighters");
    expect(offer.lacks!(scene({ formation: {} }))).toContain("already");
    const [edit] = offer.make(scene(), [3, 1], {} as Vocabulary, { time: 0, target: [0, 1, 0] });
    expect(edit).toMatchObject({ at: ["formation"], value: { centre: [3, 1], time: [0, 20] } });
  });

  it("is moved by its centre, and deleted", () => {
    const values = scene({ formation: { shape: "line", centre: [1, 2] } }), piece = piecesOf(values, []).find((one) => one.list === "formation")!;
    expect(movePiece(piece, values, 1, 0)).toEqual([{ do: "set", at: ["formation", "centre"], value: [2, 2] }]);
    expect(removePieces([piece])).toEqual([{ do: "delete", at: ["formation"], value: null }]);
  });
});

describe("cameras on the stage", () => {
  it("are placed at the playhead, in the order of time, and moved at their height", () => {
    const values = scene({ shots: [{ time: 5, position: [0, 2, 4], target: [0, 1, 0] }] });
    const [edit] = PALETTE.find((one) => one.title === "Camera")!.make(values, [3, -1], {} as Vocabulary, { time: 2, target: [0, 1, 0] });
    expect((edit.value as { time: number }[]).map((shot) => shot.time)).toEqual([2, 5]);
    const camera = piecesOf(values, []).find((piece) => piece.list === "shots")!;
    expect(camera.spots.map((spot) => spot.place)).toEqual([[0, 4], [0, 0]]);
    expect(movePiece(camera, values, 1, 1, 0)).toEqual([{ do: "set", at: ["shots", 0, "position"], value: [1, 2, 5] }]);
  });
});
