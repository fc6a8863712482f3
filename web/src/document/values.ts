/** The values of a scene, as the inspector reads them. Keys are those of the file. */

import type { SceneDocument } from "../messages";
import type { Shot } from "../timeline/cuts";
import type { Marker } from "../timeline/markers";
import type { Row } from "./edits";

export interface Member extends Record<string, unknown> {
  name: string;
  controller: string;
  style: string;
  outfit: string | null;
  team: number;
  weights: Record<string, number>;
}

export interface Checkpoint extends Record<string, unknown> {
  place: [number, number];
  radius: number;
  time?: number | null;
}

export interface Pin {
  who: string;
  at: number; // seconds
  action: string;
  number?: number | null; // of the library, which of them
}

export interface SceneValues extends Record<string, unknown> {
  title: string;
  seconds: number;
  cast: Member[];
  path: Checkpoint[];
  combination: Row[];
  motions: Record<string, Record<string, unknown>>;
  rules: Record<string, unknown>;
  pins: Pin[];
  shots: Shot[];
  markers: Marker[];
}

export function valuesOf(document: SceneDocument): SceneValues | null {
  if (!document.values) return null;
  return { pins: [], shots: [], markers: [], path: [], combination: [], rules: {}, ...document.values } as unknown as SceneValues;
}
