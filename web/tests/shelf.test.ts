import { beforeEach, expect, it, vi } from "vitest";
import { keepShelf, shelfOf, type ShelvedTake } from "../src/document/shelves";
import { tellingMoment } from "../src/take/moments";
import { header } from "./samples";

const ROOM = 2000; // letters that this browser keeps
const shelved = (seed: number): ShelvedTake => ({ seed, take: `made-${seed}`, text: "", hits: 0, warnings: 0, name: `Seed ${seed}`, picture: "x".repeat(100) });

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => { if (value.length > ROOM) throw new Error("no room"); kept.set(key, value); },
  });
});

it("is there again after a reload, for each scene its own", () => {
  keepShelf("file=a.toml", [shelved(1), shelved(2)]);
  expect(shelfOf("file=a.toml").map((one) => one.seed)).toEqual([1, 2]);
  expect(shelfOf("file=b.toml")).toEqual([]);
});

it("keeps the newest where there is no room for all, and survives what it cannot read", () => {
  keepShelf("key", Array.from({ length: 24 }, (_, seed) => shelved(seed)));
  const seeds = shelfOf("key").map((one) => one.seed);
  expect(seeds.length).toBeGreaterThan(3);
  expect(seeds.at(-1)).toBe(23);
  localStorage.setItem("randori.shelf.key", "{");
  expect(shelfOf("key")).toEqual([]);
});

it("shows a take at its hardest hit, or in its middle", () => {
  const take = header(21, 2);
  const hit = (tick: number, strength: number): never => ({ kind: "hit", tick, strength }) as never;
  expect(tellingMoment({ header: take })).toBe(1);
  expect(tellingMoment({ header: { ...take, events: [hit(3, 5), hit(14, 9), hit(16, 2)] } })).toBe(1.4);
});
