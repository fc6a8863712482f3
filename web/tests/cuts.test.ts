import { expect, test } from "vitest";
import { type Cut, cutAt, cutsOf, movedCut, shotsOf, withCut } from "../src/timeline/cuts";

const cut = (time: number): Cut => ({ time, view: { position: [time, 1, 0], target: [0, 1, 0] }, following: null });

test("cuts stand in the order of time, and one at the same moment is replaced", () => {
  const cuts = withCut(withCut([cut(4)], cut(1)), { ...cut(4.01), following: 1 });
  expect(cuts.map((one) => one.time)).toEqual([1, 4.01]);
  expect(cuts[1].following).toBe(1);
});

test("a moment is seen in the last cut before it; the first one counts from the start", () => {
  const cuts = [cut(1), cut(4)];
  expect([0, 1, 3.9, 4, 9].map((time) => cutAt(cuts, time))).toEqual([0, 0, 0, 1, 1]);
  expect(cutAt([], 3)).toBe(-1);
});

test("a cut that is dragged stays between its neighbours", () => {
  const cuts = [cut(1), cut(4), cut(6)];
  expect(movedCut(cuts, 1, 9)[1].time).toBeCloseTo(5.98);
  expect(movedCut(cuts, 1, 0)[1].time).toBeCloseTo(1.02);
  expect(movedCut(cuts, 0, -3)[0].time).toBe(0);
});

test("cuts go into the scene file and come back", () => {
  const names = ["Red", "Blue"], cuts = [cut(1), { ...cut(4), following: 1 }, { ...cut(6.12345), following: -1 }];
  const shots = shotsOf(cuts, names);
  expect(shots.map((shot) => shot.follow)).toEqual([undefined, "Blue", "all"]);
  expect(shots[2].time).toBe(6.123);
  expect(cutsOf(shots, names).map((one) => one.following)).toEqual([null, 1, -1]);
  expect(cutsOf(shots, ["Red"])[1].following).toBe(null); // nobody is named so any more
});
