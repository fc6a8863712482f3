import { expect, test } from "vitest";
import { Player } from "../src/take/player";

test("time passes at the chosen speed and comes round", () => {
  const player = new Player(10, 30);
  player.advance(1);
  expect(player.time).toBe(0);
  player.play();
  player.setSpeed(2);
  player.advance(3);
  expect(player.time).toBe(6);
  player.advance(3);
  expect(player.time).toBeCloseTo(2);
  expect(player.playing).toBe(true);
});

test("without a loop it stops at the end, and starts again from the beginning", () => {
  const player = new Player(2, 30);
  player.setLoop(false);
  player.play();
  player.advance(5);
  expect([player.time, player.playing]).toEqual([2, false]);
  player.play();
  expect(player.time).toBe(0);
});

test("a step is one frame and stops playing; seeking stays inside", () => {
  const player = new Player(2, 30);
  player.play();
  player.seek(0.5);
  player.step(1);
  expect(player.time * 30).toBeCloseTo(16);
  expect(player.playing).toBe(false);
  player.step(-100);
  expect(player.time).toBe(0);
  player.seek(99);
  expect(player.time).toBe(2);
});

test("another take keeps the place", () => {
  const player = new Player(10, 30);
  player.seek(8);
  player.load(20, 60);
  expect(player.time).toBe(8);
  player.load(5, 60);
  expect(player.time).toBe(5);
});
