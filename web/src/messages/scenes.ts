// Made from src/randori/studio/messages/scenes.py by `python -m randori.studio.typescript`: edit that one.

/** The gallery, scenes, and the words that a scene may use. */

import type { Problem } from "./base";

/** A shipped scene. */
export interface GalleryEntry {
  name: string;
  title: string;
  description: string;
  seconds: number;
  characters: number;
  picture: boolean;
  take: string;
  live: string;
  problem: string;
}

export interface Gallery {
  entries: GalleryEntry[];
}

/** A scene file of the project. */
export interface SceneEntry {
  file: string;
  title: string;
  problem: string;
}

export interface SceneList {
  project: string;
  scenes: SceneEntry[];
}

/** Exactly one of both. */
export interface OpenScene {
  gallery?: string;
  file?: string;
}

export interface SceneText {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
}

/** One change of a scene's text; its comments stay.

    `at` is the way to a value: ["cast", 0, "weights", "distance"]. `set` writes `value` (tables and lists
    that are missing on the way are made), `insert` puts `value` into a list at the last step (-1: at the
    end), `delete` takes away, `move` puts a list's item to the index `value`. */
export interface Edit {
  do: "set" | "insert" | "delete" | "move";
  at: (string | number)[];
  value?: unknown;
}

export interface EditScene {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  edits: Edit[];
}

/** Take another option at a decision: what came before stays, what follows is planned again. */
export interface PinOption {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  take: string;
  decision: number;
  action: number;
}

/** A file that is there is replaced only if it still says what the page knows, or with `overwrite`. */
export interface SaveScene {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  before?: string | null;
  overwrite?: boolean;
}

export interface RenameScene {
  file: string;
  to: string;
}

export interface DeleteScene {
  file: string;
}

/** A scene's text, and what it means. */
export interface SceneDocument {
  text: string;
  file: string;
  gallery: string;
  name: string;
  scene: Record<string, unknown> | null;
  values: Record<string, unknown> | null;
  places: [number, number, number][];
  ways: [number, number][][];
  problems: Problem[];
  take: string;
  draft: string;
  draft_seconds: number;
}

/** The values that something can have. */
export interface Scale {
  title: string;
  help: string;
  unit: string;
  minimum: number | null;
  maximum: number | null;
  step: number | null;
  logarithmic: boolean;
  choices: string[];
  shown: string[];
}

/** The control with which a value of a scene is edited. */
export interface Control {
  title: string;
  help: string;
  unit: string;
  minimum: number | null;
  maximum: number | null;
  step: number | null;
  logarithmic: boolean;
  choices: string[];
  shown: string[];
  key: string;
  kind: "number" | "whole" | "yes" | "word" | "words" | "choice" | "place" | "place and turn" | "spot" | "places" | "figures" | "moves" | "picture" | "moments" | "wishes" | "angles" | "names" | "team" | "character";
  default: unknown;
}

export interface Outfit {
  name: string;
  colours: [number, number, number][];
}

/** The patterns of a kind of group, to be copied into a scene and changed there. */
export interface UsualPatterns {
  name: string;
  motions: Record<string, unknown>;
  annotation: Record<string, Record<string, unknown>>;
  pattern: (Record<string, unknown>)[];
}

/** The words that a scene may use. All lists of controls are in the order in which they are shown. */
export interface Vocabulary {
  version: string;
  scene: Control[];
  member: Control[];
  groups: Record<string, string[]>;
  controllers: Record<string, string[]>;
  weights: Control[];
  checkpoint: Control[];
  motions: Control[];
  rules: Control[];
  tables: Record<string, Control[]>;
  patterns: Record<string, Control[]>;
  usual_patterns: Record<string, UsualPatterns>;
  inputs: Record<string, string[]>;
  behaviours: Control[];
  styles: Record<string, Record<string, number>>;
  outfits: Outfit[];
  materials: string[];
  attacks: string[];
  defences: string[];
  positions: string[];
  combination: number[][];
  kinds: string[];
  sides: string[];
  directions: string[];
  terms: Record<string, string>;
  formats: string[];
}
