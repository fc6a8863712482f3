// Made from src/randori/studio/messages.py by `python -m randori.studio.typescript`: edit that one.

/*
Everything that the page and the server say to each other, once for both.

`typescript.py` writes web/src/messages.ts from this file. Keys are as here, ticks and frames count from 0,
lengths are metres, angles degrees, colours sRGB from 0 to 1.

Requests over HTTP (all below /api, all need the token):

    GET    gallery                                    Gallery
    GET    gallery/{name}/picture                     image/png, 404 while there is none
    GET    vocabulary                                 Vocabulary
    GET    scenes                                     SceneList
    POST   scenes/open          OpenScene             SceneDocument
    POST   scenes/check         SceneText             SceneDocument
    POST   scenes/edit          EditScene             SceneDocument     text in, text out
    POST   scenes/pin           PinOption             SceneDocument
    POST   scenes/save          SaveScene             SceneDocument
    POST   simulate             Simulate              Job               result: TakeMade
    GET    takes                                      TakeList
    GET    takes/{take}/buffer                        take buffer
    POST   takes/{take}/save    SaveTake              TakeEntry
    GET    takes/{take}/decisions/{number}            Why               numbers from 0
    GET    takes/{take}/decisions/{number}/ghost?action=N    take buffer of one character
    POST   export               Export                Job               result: Exported
    GET    files/{path}                               a file that was exported
    GET    library                                    LibraryList
    POST   library/upload?name=walk.bvh               Recording         body: the file's bytes
    POST   library/open         OpenLibrary           Job               result: Library
    GET    library/{library}                          Library
    GET    library/{library}/actions/{number}/buffer  take buffer of one character
    GET    library/{library}/graph                    image/png
    GET    library/{library}/recordings/{number}/strip       Strip
    POST   library/segments     EditSegments          Segments
    GET    jobs                                       JobList
    POST   jobs/{job}/cancel                          Job
    GET    live                                       LiveList

WebSockets:

    /api/jobs/follow      the server sends JobList once, then Job whenever one changes
    /api/live/session     the page sends LiveStart, LiveInput, LivePlayhead, LiveKeep, LiveStop;
                          the server LiveOpened, LiveState, LiveKept and Problem; frames are binary

Whatever cannot be done is answered by a Problem (status 400 to 500, or a message on the socket).
Undo and redo are the page's: a scene is a text, so a step of its history is the text before.

**Take buffer** (little endian):

    0   4 bytes  "RNDT"
    4   uint32   version, 2
    8   uint32   J, bytes of JSON; it is filled up with spaces, so that 16 + J is a multiple of 16
    12  uint32   P, bytes of poses
    16  J bytes  TakeHeader as JSON in UTF-8
    16+J         poses; characters say where their own begin: bytes from here, multiples of 4
                 roots   float32 [frames][3]             metres, where joint 0 is
                 turns   int16   [frames][joints][4]     x, y, z, w × 32767, of a joint **in the world**
                 and each moving prop: float32 [frames][4], metres, and radians about +Y

A joint's place is its parent's place + the parent's turn applied to the joint's offset. Quaternions of the
same joint in neighbouring frames are on the same side, so a plain mix that is made unit length again is
the way between two frames.

**Frames of a live session** (little endian), one message each:

    0   4 bytes  "RNDF"
    4   uint32   tick of the first frame
    8   uint32   F, frames in this message
    12  uint32   J, bytes of JSON, filled up with spaces to a multiple of 4
    16  J bytes  LiveFrames as JSON
    16+J         roots   float32 [F][characters][3]             who has not come yet is far below the floor
                 props   float32 [F][props][4]                  as above
                 turns   int16   [F][characters][joints][4]     as above; all have one skeleton
*/

export const TAKE_MAGIC = "RNDT";

export const FRAMES_MAGIC = "RNDF";

export const BUFFER_VERSION = 2;

/** Why something cannot be done, for the person in front of the page. */
export interface Problem {
  type: "problem";
  message: string;
  file: string;
  line: number | null;
  key: string;
}

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

/** Take another option at a decision: what came before stays, what follows is planned anew. */
export interface PinOption {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  take: string;
  decision: number;
  action: number;
}

export interface SaveScene {
  text: string;
  file?: string;
  gallery?: string;
  seconds?: number | null;
  overwrite?: boolean;
}

/** A scene's text, and what it means. */
export interface SceneDocument {
  text: string;
  file: string;
  gallery: string;
  name: string;
  scene: Record<string, unknown> | null;
  places: [number, number, number][];
  ways: [number, number][][];
  problems: Problem[];
  take: string;
  draft: string;
}

/** How a value of a scene is edited. */
export interface Control {
  key: string;
  title: string;
  help: string;
  kind: "number" | "whole" | "yes" | "word" | "words" | "choice" | "place" | "place and turn" | "moments" | "wishes";
  unit: string;
  minimum: number | null;
  maximum: number | null;
  step: number | null;
  logarithmic: boolean;
  choices: string[];
  default: unknown;
}

export interface Outfit {
  name: string;
  colours: [number, number, number][];
}

/** The words that a scene may use. All lists of controls are in the order in which they are shown. */
export interface Vocabulary {
  version: string;
  scene: Control[];
  member: Control[];
  weights: Control[];
  checkpoint: Control[];
  motions: Control[];
  rules: Control[];
  tables: Record<string, Control[]>;
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

/** What stands in front of the poses. */
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

/** Of the line that somebody expected. */
export interface Step {
  who: number;
  action: number;
  name: string;
  tick: number;
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

export interface ExportedFile {
  path: string;
  name: string;
  size: number;
}

export interface Exported {
  files: ExportedFile[];
  quality: Quality;
  credits: Credit[];
}

export interface Job {
  type: "job";
  job: string;
  kind: "simulate" | "export" | "library" | "gallery";
  title: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  share: number;
  doing: string;
  take: TakeMade | null;
  exported: Exported | null;
  library: string;
  problem: Problem | null;
}

export interface JobList {
  type: "jobs";
  jobs: Job[];
}

export interface Export {
  take: string;
  format: "glb" | "bvh" | "mp4" | "usd" | "png" | "npz";
  name?: string;
  width?: number;
  height?: number;
}

/** A recording of the project. */
export interface Recording {
  file: string;
  size: number;
  captured: boolean;
  needs: string;
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

export interface Library {
  library: string;
  title: string;
  seconds: number;
  actions: Action[];
  recordings: LibraryRecording[];
  counts: Record<string, number>;
  dropped: number;
  words: string[];
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

export interface EditSegments {
  file: string;
  segments: Segment[];
}

/** As they are written now; open the library again to see what follows from it. */
export interface Segments {
  file: string;
  segments: Segment[];
}

/** An input that a session knows. */
export interface LiveControl {
  what: string;
  title: string;
  help: string;
  how: "drag" | "ground" | "key" | "button" | "number" | "choice" | "member" | "bitmap";
  key: string;
  which: number;
  values: Record<string, unknown>;
  value: string;
  start: number | null;
  unit: string;
  minimum: number | null;
  maximum: number | null;
  step: number | null;
  logarithmic: boolean;
  choices: string[];
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

/** What the page shows now: the session stays a little ahead of it. */
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
  body: Body;
  materials: string[];
  outfits: Outfit[];
  names: string[];
  wears: number[];
  follow: number;
  props: Prop[];
  controls: LiveControl[];
}

/** The JSON part of a message of frames. A tick that was sent before is planned anew, and all after it. */
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

export type JobAnswer = JobList | Job;
