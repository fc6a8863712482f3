// Made from src/randori/studio/messages/library.py by `python -m randori.studio.typescript`: edit that one.

/** Recordings, and the actions that were found in them. */

import type { SceneText } from "./scenes";

/** A file with a skinned mesh that a member of the cast can be. */
export interface CharacterFile {
  file: string;
  height: number;
  joints: number;
}

export interface CharacterList {
  files: string[];
}

/** A recording of the project. */
export interface Recording {
  file: string;
  size: number;
  captured: boolean;
  needs: string;
  problem: string;
}

/** A recording that can be read but not used, until the user says more about it. */
export interface SetAside {
  file: string;
  problem: string;
  joints: string[];
  missing: string[];
  guesses: Record<string, string>;
}

/** The user's statements about a recording that was set aside; the rest is recognised. */
export interface RepairRecording {
  file: string;
  unit?: string;
  up?: "" | "y" | "z";
  parts?: Record<string, string>;
}

export interface DeleteRecording {
  file: string;
  aside?: boolean;
}

/** Exactly one of: recordings of the project, motions of a scene, a set of the performer. */
export interface OpenLibrary {
  recordings?: string[];
  set?: string;
  motions?: string;
  scene?: SceneText | null;
}

/** Something that can be opened as a library. */
export interface LibraryEntry {
  source: OpenLibrary;
  title: string;
  description: string;
}

export interface LibraryList {
  recordings: Recording[];
  aside: SetAside[];
  libraries: LibraryEntry[];
}

export interface Action {
  number: number;
  recording: number;
  start: number;
  stop: number;
  name: string;
  kind: string;
  technique: string;
  side: string;
  position: string;
  direction: string;
  confidence: number;
  edited: boolean;
  strikes: number;
  kept: boolean;
}

export interface LibraryRecording {
  name: string;
  file: string;
  seconds: number;
  licence: string;
  credit: string;
  problems: string[];
}

/** Something that a library can play, or cannot. */
export interface Use {
  name: string;
  able: "yes" | "hardly" | "no";
  why: string;
}

export interface Library {
  library: string;
  title: string;
  seconds: number;
  actions: Action[];
  recordings: LibraryRecording[];
  counts: Record<string, number>;
  dropped: number;
  words: string[];
  uses: Use[];
  missing: string[];
  record: string[];
}

export interface Segment {
  start: number;
  kind: string;
  technique: string;
  side?: string;
  position?: string;
  direction?: string;
  edited?: boolean;
}

/** A recording from end to end. */
export interface Strip {
  file: string;
  seconds: number;
  activity: number[];
  segments: Segment[];
}

/** A scene in which these recordings fight. */
export interface MakeFight {
  recordings: string[];
  library: string;
}

export interface EditSegments {
  file: string;
  segments: Segment[];
}

/** As they are written now; open the library again to see what follows from it. */
export interface Segments {
  file: string;
  segments: Segment[];
}
