// Made from src/randori/studio/messages/takes.py by `python -m randori.studio.typescript`: edit that one.

/** Takes, their decisions, and the reasons for decisions. */

import type { Problem } from "./base";
import type { Outfit } from "./scenes";

export const TAKE_MAGIC = "RNDT";

export const BUFFER_VERSION = 3;

export interface Skeleton {
  joints: string[];
  parents: number[];
  offsets: [number, number, number][];
}

/** A round cone on a joint: two spheres and what is between them. */
export interface Cone {
  joint: number;
  start: [number, number, number];
  stop: [number, number, number];
  start_radius: number;
  stop_radius: number;
  material: number;
  part: string;
}

export interface Body {
  skeleton: Skeleton;
  cones: Cone[];
}

/** A character's own skinned mesh: a GLB file whose nodes follow the joints of its body. */
export interface Costume {
  key: string;
  nodes: number[];
  scale: number;
  hidden: number[];
}

/** An action of a lane. */
export interface Block {
  action: number;
  name: string;
  kind: string;
  start: number;
  stop: number;
  cause: string;
  decision: number;
}

export interface Character {
  name: string;
  outfit: number;
  team: number;
  body: number;
  costume: number;
  roots: number;
  turns: number;
  blocks: Block[];
}

/** A box with rounded edges. */
export interface Box {
  middle: [number, number, number];
  size: [number, number, number];
  turn: number;
}

/** A thing: cones that stand still, or that go along a path in the buffer. */
export interface Prop {
  name: string;
  colour: [number, number, number];
  starts: [number, number, number][];
  stops: [number, number, number][];
  radii: number[];
  boxes: Box[];
  path: number;
}

export interface TakeEvent {
  tick: number;
  kind: string;
  who: number;
  whom: number;
  what: string;
  part: string;
  strength: number;
  point: [number, number, number] | null;
  words: string;
}

export interface DecisionMark {
  number: number;
  tick: number;
  who: number;
  action: number;
  name: string;
  options: number;
  plausible: number;
}

export interface Checkpoint {
  place: [number, number];
  radius: number;
  who: number[];
}

export interface Sentence {
  fine: boolean;
  text: string;
  tick: number;
  who: number;
}

export interface Quality {
  sentences: Sentence[];
  figures: Record<string, unknown>;
}

export interface Credit {
  recording: string;
  file: string;
  licence: string;
  credit: string;
}

/** The header in front of the poses. */
export interface TakeHeader {
  take: string;
  title: string;
  scene: string;
  seed: number;
  draft: boolean;
  fps: number;
  frames: number;
  materials: string[];
  outfits: Outfit[];
  bodies: Body[];
  costumes: Costume[];
  characters: Character[];
  props: Prop[];
  path: Checkpoint[];
  events: TakeEvent[];
  decisions: DecisionMark[];
  quality: Quality | null;
  credits: Credit[];
}

export interface TakeEntry {
  take: string;
  title: string;
  file: string;
  seconds: number;
  characters: number;
}

export interface TakeList {
  takes: TakeEntry[];
  skipped: Problem[];
}

export interface SaveTake {
  file: string;
  overwrite?: boolean;
}

/** `seconds` shortens the scene: a draft. */
export interface Simulate {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  seed?: number | null;
  background?: boolean;
}

export interface TakeMade {
  take: string;
  draft: boolean;
}

export interface OptionRow {
  action: number;
  name: string;
  kind: string;
  rule: string;
  terms: Record<string, number>;
  total: number;
  chosen: boolean;
}

/** Of the line that a fighter expected. */
export interface Step {
  who: number;
  action: number;
  name: string;
  kind: string;
  tick: number;
}

export interface WeighedOption {
  action: number;
  value: number;
  seconds: number;
  ahead: number;
  left: number;
  turn: number;
}

/** The scores of a decision's options, the best first. */
export interface Weighed {
  take: string;
  decision: number;
  options: WeighedOption[];
}

export interface Why {
  number: number;
  tick: number;
  who: number;
  action: number;
  name: string;
  depth: number;
  competitive: number;
  cooperative: number;
  unseen: number[];
  line: Step[];
  options: OptionRow[];
  ruled_out: Record<string, number>;
  words: string[];
  ghosts: boolean;
}
