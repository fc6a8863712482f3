/** Takes and live frames as they come from the server: one binary buffer each (layout: messages). */

import { BUFFER_VERSION, type LiveFrames, type Prop, type TakeHeader } from "../messages";
import type { Motion } from "./pose";
import { rigOf, type Rig } from "./rig";

const HEADER = 16; // bytes
const VERSION = BUFFER_VERSION;

export interface MovingProp {
  readonly prop: Prop;
  readonly path: Float32Array | null; // (frames * 4) x, y, z and yaw, or null for what stands still
}

export interface Take {
  readonly header: TakeHeader;
  readonly frames: number;
  readonly fps: number;
  readonly seconds: number;
  readonly rigs: readonly Rig[]; // by character; who shares a body shares the object
  readonly motions: readonly Motion[]; // by character
  readonly props: readonly MovingProp[];
}

/** The buffer that the server sent; an Error describes any fault in it. */
export function decodeTake(buffer: ArrayBuffer): Take {
  const view = new DataView(buffer);
  expectMagic(buffer, "RNDT", "a take");
  const version = view.getUint32(4, true);
  if (version !== VERSION) throw new Error(`this take has layout ${version}, the page knows ${VERSION}: reload it`);
  const jsonBytes = view.getUint32(8, true), poseBytes = view.getUint32(12, true);
  const poses = HEADER + jsonBytes;
  if (poses + poseBytes > buffer.byteLength) {
    throw new Error(`the take is cut off: ${buffer.byteLength} of ${poses + poseBytes} bytes have arrived`);
  }
  const header = json<TakeHeader>(buffer, HEADER, jsonBytes);
  const bodies = header.bodies.map(rigOf);
  const rigs = header.characters.map((character) => bodies[character.body]);
  const motions = header.characters.map((character, number) => ({
    roots: new Float32Array(buffer, poses + character.roots, header.frames * 3),
    turns: new Int16Array(buffer, poses + character.turns, header.frames * rigs[number].joints * 4),
    frames: header.frames,
    joints: rigs[number].joints,
  }));
  const props = header.props.map((prop) => ({
    prop,
    path: prop.path < 0 ? null : new Float32Array(buffer, poses + prop.path, header.frames * 4),
  }));
  const seconds = Math.max(header.frames - 1, 0) / header.fps;
  return { header, frames: header.frames, fps: header.fps, seconds, rigs, motions, props };
}

/** The frame at or before a moment, and the share of the way to the next. */
export function frameAt(time: number, fps: number, frames: number): { frame: number; share: number } {
  const exact = Math.min(Math.max(time * fps, 0), Math.max(frames - 1, 0));
  const frame = Math.min(Math.floor(exact + 1e-6), Math.max(frames - 1, 0));
  return { frame, share: Math.min(Math.max(exact - frame, 0), 1) };
}

export interface FramesMessage {
  readonly tick: number; // of the first frame
  readonly frames: number;
  readonly words: LiveFrames;
  readonly roots: Float32Array; // [frames][characters][3]
  readonly props: Float32Array; // [frames][props][4]
  readonly turns: Int16Array; // [frames][characters][joints][4]
}

export function decodeFrames(buffer: ArrayBuffer, characters: number, joints: number, props: number): FramesMessage {
  const view = new DataView(buffer);
  expectMagic(buffer, "RNDF", "frames of a live session");
  const tick = view.getUint32(4, true), frames = view.getUint32(8, true), jsonBytes = view.getUint32(12, true);
  const words = json<LiveFrames>(buffer, HEADER, jsonBytes);
  const roots = HEADER + jsonBytes;
  const propsAt = roots + 12 * frames * characters;
  const turns = propsAt + 16 * frames * props;
  return {
    tick, frames, words,
    roots: new Float32Array(buffer, roots, 3 * frames * characters),
    props: new Float32Array(buffer, propsAt, 4 * frames * props),
    turns: new Int16Array(buffer, turns, 4 * frames * characters * joints),
  };
}

/** The kind of a message; "" if it is too short to be one. */
export function magicOf(buffer: ArrayBuffer): string {
  return buffer.byteLength < HEADER ? "" : String.fromCharCode(...new Uint8Array(buffer, 0, 4));
}

function expectMagic(buffer: ArrayBuffer, magic: string, what: string): void {
  const found = magicOf(buffer);
  if (found !== magic) throw new Error(`this is not ${what}: it should begin with ${magic}`);
}

function json<T>(buffer: ArrayBuffer, start: number, bytes: number): T {
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, start, bytes))) as T;
}
