import { expect, test } from "vitest";
import { moveCheckpoint, put, setRow, setWeight } from "../src/document/edits";
import { History } from "../src/document/history";

test("undo gives back each text, redo goes forward again, a new change ends the future", () => {
  const history = new History({ text: "a", what: "" });
  history.push("b", "one");
  history.push("c", "two");
  expect(history.undoable).toBe("two");
  expect(history.undo()).toBe("b");
  expect(history.redoable).toBe("two");
  expect(history.undo()).toBe("a");
  expect(history.undo()).toBeNull();
  expect(history.redo()).toBe("b");
  history.push("d", "three");
  expect(history.redo()).toBeNull();
  expect(history.undo()).toBe("b");
});

test("a drag is one step, and nothing is no step", () => {
  const history = new History({ text: "a", what: "" });
  for (const text of ["b", "c", "d"]) history.push(text, "Checkpoint 1", true);
  history.push("d", "nothing");
  expect(history.undo()).toBe("a");
});

test("saved is the text that was saved, also after undo", () => {
  const history = new History({ text: "a", what: "" });
  expect(history.unsaved).toBe(false);
  history.push("b", "one");
  history.markSaved();
  expect(history.unsaved).toBe(false);
  history.undo();
  expect(history.unsaved).toBe(true);
});

test("nothing takes a value out of the file, where there is one", () => {
  expect(put(["seed"], 5, 1)).toEqual([{ do: "set", at: ["seed"], value: 5 }]);
  expect(put(["seed"], null, 5)).toEqual([{ do: "delete", at: ["seed"], value: null }]);
  expect(put(["seed"], null, null)).toEqual([]);
});

test("a weight that is the style's own leaves the file, the last one takes its table along", () => {
  const style = { distance: 0.8, taken: 1e5 };
  expect(setWeight(1, "distance", 0.5, style, {})).toEqual([{ do: "set", at: ["cast", 1, "weights", "distance"], value: 0.5 }]);
  expect(setWeight(1, "distance", 0.8, style, { distance: 0.5, taken: 2 })[0].at).toEqual(["cast", 1, "weights", "distance"]);
  expect(setWeight(1, "distance", 0.8, style, { distance: 0.5 })[0].at).toEqual(["cast", 1, "weights"]);
  expect(setWeight(1, "distance", 0.8, style, {})).toEqual([]);
});

test("a row of the table is amended where it stands, else added", () => {
  const rows = [{ defence: "duck", attack: "jab", position: "", suitability: 0.5 }];
  expect(setRow(rows, { ...rows[0], suitability: 1 })).toEqual({ do: "set", at: ["combination", 0, "suitability"], value: 1 });
  expect(setRow(rows, { ...rows[0], position: "head" })).toMatchObject({ do: "insert", at: ["combination", -1], value: { position: "head" } });
  expect(setRow([], rows[0]).value).toEqual({ defence: "duck", attack: "jab", suitability: 0.5 });
});

test("a dragged checkpoint", () => {
  expect(moveCheckpoint(2, [1.5, -2])).toEqual({ do: "set", at: ["path", 2, "place"], value: [1.5, -2] });
});
