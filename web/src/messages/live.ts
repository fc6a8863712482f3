// Made from src/randori/studio/messages/live.py by `python -m randori.studio.typescript`: edit that one.

/** Live sessions. */

import type { Problem } from "./base";
import type { Outfit, SceneText } from "./scenes";
import type { Body, Costume, DecisionMark, Prop, TakeEvent } from "./takes";

export const FRAMES_MAGIC = "RNDF";

export const COSTUME_MAGIC = "RNDC";

/** An input that a session knows. */
export interface LiveControl {
  title: string;
  help: string;
  unit: string;
  minimum: number | null;
  maximum: number | null;
  step: number | null;
  logarithmic: boolean;
  choices: string[];
  shown: string[];
  what: string;
  how: "drag" | "ground" | "key" | "button" | "number" | "choice" | "member" | "bitmap";
  key: string;
  which: number;
  values: Record<string, unknown>;
  value: string;
  start: number | null;
}

export interface LiveEntry {
  name: string;
  group: string;
  title: string;
  description: string;
  ready: boolean;
}

export interface LiveList {
  sessions: LiveEntry[];
}

export interface LiveStart {
  type: "start";
  session: string;
  seed?: number;
  scene?: SceneText | null;
}

export interface LiveInput {
  type: "input";
  what: string;
  values?: Record<string, unknown>;
}

/** The tick that the page shows now: the session stays a little ahead of it. */
export interface LivePlayhead {
  type: "playhead";
  tick: number;
}

export interface LiveKeep {
  type: "keep";
}

export interface LiveStop {
  type: "stop";
}

/** While it is prepared, or when a take of it is made. */
export interface LiveState {
  type: "state";
  doing: string;
  share: number;
}

export interface LiveOpened {
  type: "opened";
  session: string;
  title: string;
  fps: number;
  ahead: number;
  bodies: Body[];
  body_of: number[];
  costumes: Costume[];
  costume_of: number[];
  materials: string[];
  outfits: Outfit[];
  names: string[];
  wears: number[];
  follow: number;
  props: Prop[];
  controls: LiveControl[];
}

/** The JSON part of a message of frames. A tick sent before is planned again, and all after it. */
export interface LiveFrames {
  events: TakeEvent[];
  inputs: number[];
  decisions: DecisionMark[];
  took: number;
}

export interface LiveKept {
  type: "kept";
  take: string;
}

export type LiveRequest = LiveStart | LiveInput | LivePlayhead | LiveKeep | LiveStop;

export type LiveAnswer = LiveState | LiveOpened | LiveKept | Problem;
