import { expect, test } from "vitest";
import { decodeFrames, decodeTake, frameAt } from "../src/take/buffer";
import { header, takeBuffer } from "./samples";

function twoPeople(): ArrayBuffer {
  const words = header(5, 2);
  const poses = new ArrayBuffer(2 * (60 + 120) + 80);
  new Float32Array(poses, words.characters[1].roots, 15)[13] = 0.9; // y in frame 4
  new Int16Array(poses, words.characters[1].turns, 60)[4 * (3 * 2 + 1) + 3] = 32767; // w of joint 1 in frame 2
  new Float32Array(poses, words.props[0].path, 20)[0] = 7;
  return takeBuffer(words, poses);
}

test("a take's numbers are found where the header says", () => {
  const take = decodeTake(twoPeople());
  expect(take.seconds).toBeCloseTo(0.4);
  expect(take.motions[1].roots[13]).toBeCloseTo(0.9);
  expect(take.motions[1].turns[4 * 7 + 3]).toBe(32767);
  expect(take.motions[0].turns.every((turn) => turn === 0)).toBe(true);
  expect(take.props[0].path?.[0]).toBe(7);
  expect(take.rigs[0]).toBe(take.rigs[1]);
});

test("what is cut off, of another kind or of another version is refused in words", () => {
  const whole = twoPeople();
  expect(() => decodeTake(whole.slice(0, whole.byteLength - 8))).toThrow(/cut off/);
  expect(() => decodeTake(new ArrayBuffer(3))).toThrow(/not a take/);
  const other = whole.slice(0);
  new DataView(other).setUint32(4, 9, true);
  expect(() => decodeTake(other)).toThrow(/layout 9/);
});

test("moments become frames and shares, and stay inside", () => {
  expect(frameAt(0.25, 10, 5)).toEqual({ frame: 2, share: 0.5 });
  expect(frameAt(-1, 10, 5)).toEqual({ frame: 0, share: 0 });
  expect(frameAt(99, 10, 5)).toEqual({ frame: 4, share: 0 });
  expect(frameAt(0.3, 10, 5).frame).toBe(3); // 0.3 * 10 is a little less than 3
});

test("frames of a live session", () => {
  const words = new TextEncoder().encode('{"events":[],"inputs":[4],"decisions":[]}   ');
  const bytes = new Uint8Array(16 + words.length + 2 * (2 * 12 + 16 + 2 * 3 * 8));
  bytes.set([..."RNDF"].map((letter) => letter.charCodeAt(0)));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, 17, true);
  view.setUint32(8, 2, true);
  view.setUint32(12, words.length, true);
  bytes.set(words, 16);
  view.setFloat32(16 + words.length + 2 * 24, 1.5, true); // the first prop's x
  view.setInt16(16 + words.length + 2 * 40, -5, true);
  const message = decodeFrames(bytes.buffer, 2, 3, 1);
  expect([message.tick, message.frames, message.words.inputs]).toEqual([17, 2, [4]]);
  expect(message.props[0]).toBe(1.5);
  expect(message.turns[0]).toBe(-5);
  expect(message.turns.length).toBe(2 * 2 * 3 * 4);
});
