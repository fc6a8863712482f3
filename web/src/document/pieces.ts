/** Pieces on the stage that can be placed, moved, turned, doubled and deleted there: each change is edits of the text. */

import type { Edit, Vocabulary } from "../messages";
import { append, remove, set } from "./edits";
import type { SceneValues } from "./values";

export type Place = [number, number]; // x and z, metres

export interface Piece {
  readonly list: "cast" | "group" | "walls" | "cars" | "balls" | "targets" | "path" | "shots" | "formation";
  readonly number: number; // of its list
  readonly name: string;
  readonly spots: readonly Spot[]; // one, or the two ends of a wall or a road
  readonly turn: number | null; // degrees, for what looks somewhere
}

export interface Spot {
  readonly key: string; // of the value that says where it is
  readonly place: Place;
}

/** Where the playhead is, and what a camera that is placed there looks at. */
export interface Moment {
  readonly time: number;
  readonly target: readonly [number, number, number];
}

type Row = Record<string, unknown>;
const EYES = 1.6; // metres: the height of a camera that is placed
const high = (list: Piece["list"]): boolean => list === "targets" || list === "shots"; // their places have a height, in the middle
const round = (value: number): number => Math.round(value * 100) / 100 || 0;
/** The rows of a list; a formation is one table. */
const rows = (values: SceneValues, list: Piece["list"]): Row[] => {
  const found = values[list] as Row[] | Row | null | undefined;
  return Array.isArray(found) ? found : found ? [found] : [];
};
/** The way to a piece in the text. */
const wayTo = ({ list, number }: Piece): (string | number)[] => (list === "formation" ? [list] : [list, number]);

/** Everything that has a place of its own; `starts` are x, z and degrees of the cast. */
export function piecesOf(values: SceneValues, starts: readonly (readonly [number, number, number])[]): Piece[] {
  const found: Piece[] = [];
  const add = (list: Piece["list"], number: number, name: string, spots: [string, unknown][], turn: number | null = null): void => {
    const placed = spots.filter((spot): spot is [string, number[]] => Array.isArray(spot[1]) && spot[1].length >= 2);
    if (placed.length === spots.length) {
      found.push({ list, number, name, turn, spots: placed.map(([key, at]) => ({ key, place: [at[0], at.length === 3 && high(list) ? at[2] : at[1]] })) });
    }
  };
  values.cast.forEach((member, number) => {
    const start = starts[number] ?? (member.place as [number, number, number] | null) ?? [1.5 * number, 0, 0];
    add("cast", number, member.name, [["place", start]], start[2]);
  });
  rows(values, "group").forEach((row, number) => {
    const place = (row.place as number[] | undefined) ?? [0, 0, 0];
    add("group", number, String(row.kind), [["place", place]], place[2] ?? 0);
  });
  rows(values, "walls").forEach((row, number) => add("walls", number, `Wall ${number + 1}`, [["start", row.start], ["stop", row.stop]]));
  rows(values, "cars").forEach((row, number) => add("cars", number, `Car ${number + 1}`, [["start", row.start], ["stop", row.stop]]));
  rows(values, "balls").forEach((row, number) => { if (row.place) add("balls", number, `Ball ${number + 1}`, [["place", row.place]]); });
  rows(values, "targets").forEach((row, number) => add("targets", number, String(row.name ?? "target"), [["place", row.place ?? [0, 1.5, 1.2]]]));
  rows(values, "path").forEach((row, number) => add("path", number, `Checkpoint ${number + 1}`, [["place", row.place]]));
  rows(values, "shots").forEach((row, number) => add("shots", number, `Camera ${number + 1}`, [["position", row.position], ["target", row.target]]));
  rows(values, "formation").forEach((row) => add("formation", 0, "Formation", [["centre", row.centre ?? [0, 0]]]));
  return found;
}

/** Move a piece, or only one of its ends. */
export function movePiece(piece: Piece, values: SceneValues, dx: number, dz: number, spot: number | null = null): Edit[] {
  return piece.spots.filter((_, number) => spot === null || number === spot).map(({ key, place: [x, z] }) => {
    const [nx, nz] = [round(x + dx), round(z + dz)];
    const before = rows(values, piece.list)[piece.number]?.[key] as number[] | undefined;
    const value = high(piece.list) ? [nx, before?.[1] ?? 1.5, nz] : piece.turn === null ? [nx, nz] : [nx, nz, round(piece.turn)];
    return set([...wayTo(piece), key], value);
  });
}

export function turnPiece(piece: Piece, degrees: number): Edit[] {
  if (piece.turn !== null) {
    const [x, z] = piece.spots[0].place, turn = ((piece.turn + degrees + 540) % 360) - 180;
    return [set([piece.list, piece.number, piece.spots[0].key], [round(x), round(z), round(turn)])];
  }
  if (piece.spots.length < 2 || high(piece.list)) return [];
  const [a, b] = piece.spots.map((spot) => spot.place), [mx, mz] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const angle = (degrees * Math.PI) / 180, cos = Math.cos(angle), sin = Math.sin(angle);
  return piece.spots.map(({ key, place: [x, z] }) =>
    set([piece.list, piece.number, key], [round(mx + cos * (x - mx) + sin * (z - mz)), round(mz - sin * (x - mx) + cos * (z - mz))]));
}

export function duplicatePiece(piece: Piece, values: SceneValues, beside = 1): Edit[] {
  if (piece.list === "formation") return []; // a scene has one
  const row = said(rows(values, piece.list)[piece.number] ?? {});
  for (const { key, place: [x, z] } of piece.spots) {
    const before = row[key] as number[] | undefined;
    row[key] = high(piece.list) ? [round(x + beside), before?.[1] ?? 1.5, round(z)]
      : piece.turn === null ? [round(x + beside), round(z)] : [round(x + beside), round(z), round(piece.turn)];
  }
  if (piece.list === "cast" || piece.list === "targets") row.name = freeName(values, String(row.name).replace(/ \d+$/, ""));
  return [append([piece.list], row)];
}

/** The last ones first, so that the numbers of the others stay. */
export function removePieces(pieces: readonly Piece[]): Edit[] {
  return [...pieces].sort((a, b) => b.number - a.number).map((piece) => remove(wayTo(piece)));
}

/** A row without what is usual or empty: only values that the user gave go into the text. */
function said(row: Row): Row {
  const empty = (value: unknown): boolean => value === null || value === "" || value === false
    || (Array.isArray(value) && value.length === 0) || (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(row).filter(([key, value]) => !empty(value) && !FOREIGN.includes(key)));
}
const FOREIGN = ["few", "behaviours", "joins"]; // keys with defaults that other controllers do not know

export function freeName(values: SceneValues, wish: string): string {
  const names = new Set(values.cast.map((member) => member.name));
  if (!names.has(wish)) return wish;
  for (let number = 2; ; number++) if (!names.has(`${wish} ${number}`)) return `${wish} ${number}`;
}

// ---- the palette

export interface Offer {
  readonly title: string;
  readonly help: string;
  readonly group: "Characters" | "Groups" | "Things" | "Ways";
  /** Why it cannot be placed now, or "". */
  readonly lacks?: (values: SceneValues) => string;
  readonly make: (values: SceneValues, place: Place, vocabulary: Vocabulary, moment: Moment) => Edit[];
}

const TEAM_WORDS = ["Red", "Blue"];
const WALKER = { perform: ["targets", "locomotion", "reactions"], seconds: [120, 120, 40], mirrored: true };

/** The name of motions with these sets, and the edit that adds them if there are none yet. */
function motionsFor(values: SceneValues, name: string, table: Row): [string, Edit[]] {
  const wanted = JSON.stringify(table.perform);
  const known = Object.entries(values.motions).find(([, motion]) => JSON.stringify(motion.perform) === wanted);
  return known ? [known[0], []] : [name, [set(["motions", name], table)]];
}

/** Motions of several kinds: each cast member has to say which. */
export function nameMotions(values: SceneValues, more: Edit[]): Edit[] {
  if (more.length === 0) return [];
  const [only, ...others] = Object.keys(values.motions);
  if (!only || others.length > 0) return [];
  return values.cast.flatMap((member, number) => (member.motions ? [] : [set(["cast", number, "motions"], only)]));
}

/** Degrees that a place lies in, seen from another one. */
function towards([x, z]: readonly number[], [ox, oz]: readonly number[]): number {
  return Math.round((Math.atan2(ox - x, oz - z) * 180) / Math.PI) || 0;
}

function fighter(style: string, name: string, sets: string[]): Offer["make"] {
  return (values, [x, z], vocabulary) => {
    const fighters = values.cast.filter((member) => member.controller === "duel");
    const own = fighters.length > 0 && Object.keys(values.motions).length === 1 && fighters.at(-1)!.style === style;
    const [motions, more] = own ? [null, []] : motionsFor(values, name, { perform: sets });
    const team = fighters.filter((member) => member.team === 0).length > fighters.filter((member) => member.team === 1).length ? 1 : 0;
    const used = new Set(values.cast.map((member) => member.outfit));
    const wish = TEAM_WORDS[team], outfits = vocabulary.outfits.map((one) => one.name);
    const outfit = !used.has(wish.toLowerCase()) ? wish.toLowerCase() : outfits.find((one) => !used.has(one)) ?? wish.toLowerCase();
    const foes = fighters.flatMap((member) => (member.team !== team && Array.isArray(member.place) ? [member.place as number[]] : []));
    const [nearest] = foes.sort((a, b) => Math.hypot(a[0] - x, a[1] - z) - Math.hypot(b[0] - x, b[1] - z));
    const turn = nearest ? towards([x, z], nearest) : 0;
    const title = outfit[0].toUpperCase() + outfit.slice(1);
    const needsName = motions !== null && (Object.keys(values.motions).length > 0 || more.length === 0) && !(more.length > 0 && Object.keys(values.motions).length === 0);
    // fighters that had no opponent yet turn to this one
    const alone = fighters.length > 0 && fighters.every((member) => member.team !== team);
    const turned = alone ? values.cast.flatMap((member, number) => (member.controller === "duel" && Array.isArray(member.place)
      ? [set(["cast", number, "place"], [member.place[0], member.place[1], towards(member.place as number[], [x, z])])] : [])) : [];
    return [...more, ...nameMotions(values, more), ...turned, append(["cast"], {
      name: freeName(values, title), style, team, outfit, place: [round(x), round(z), turn], ...(needsName ? { motions } : {}),
    })];
  };
}

/** A walker for the things, if there is none yet. */
function walkerFor(values: SceneValues, goal: string): Edit[] {
  if (values.cast.some((member) => member.goal === goal)) return [];
  const [motions, more] = motionsFor(values, "walk", WALKER);
  const several = Object.keys(values.motions).length + more.length > 1;
  return [...more, ...nameMotions(values, more), append(["cast"], { name: freeName(values, "Walker"), controller: "prepare", goal, ...(several ? { motions } : {}) })];
}

/** Two fighters of different teams, or nothing. */
export function opponents(values: SceneValues): [string, string] | null {
  const fighters = values.cast.filter((member) => member.controller === "duel"), [first] = fighters;
  const other = fighters.find((member) => member.team !== first?.team);
  return first && other ? [first.name, other.name] : null;
}

const group = (kind: string, more: Row = {}): Offer["make"] => (_, [x, z]) => [append(["group"], { kind, ...more, place: [round(x), round(z), 0] })];
const HEART = ["..##...##..", ".####.####.", "###########", ".#########.", "...#####...", ".....#....."];

export const PALETTE: readonly Offer[] = [
  { title: "Boxer", group: "Characters", help: "Fights with fists and feet", make: fighter("boxer", "boxing", ["boxing", "reactions"]) },
  { title: "Swordsman", group: "Characters", help: "Fights with a sword", make: fighter("sword", "sword", ["sword", "reactions"]) },
  { title: "Ring", group: "Groups", help: "One against many around", make: group("ring", { count: 5 }) },
  { title: "Pairs", group: "Groups", help: "Two who fight, driven by patterns", make: group("pair") },
  { title: "Tacklers", group: "Groups", help: "A runner with a ball, and tacklers", make: group("gauntlet") },
  { title: "Panic", group: "Groups", help: "People who run from something", make: group("panic", { count: 15 }) },
  { title: "Onlookers", group: "Groups", help: "People around a place, who keep clear of fights and flinch", make: group("onlookers", { count: 20 }) },
  { title: "Formation", group: "Groups", help: "Many pairs like the two fighters, in a shape that moves",
    lacks: (values) => (values.formation ? "There is a formation already." : values.cast.length !== 2 || !opponents(values) ? "A formation needs exactly two fighters, of different teams." : ""),
    make: (values, [x, z]) => [set(["formation"], { shape: "circle", pairs: 6, centre: [round(x), round(z)], time: [0, values.seconds] })] },
  { title: "Dominoes", group: "Groups", help: "People who fall in a picture", make: group("dominoes", { picture: HEART }) },
  { title: "Luggage", group: "Things", help: "Pieces that go from hand to hand", make: group("relay", { pieces: ["bag", "box"], count: 4 }) },
  { title: "Bag", group: "Things", help: "Hangs in the air; a boxer strikes it", make: (values, [x, z]) => {
    const name = freeThing(values, "bag"), [motions, more] = motionsFor(values, "boxing", { perform: ["boxing", "reactions"] });
    const several = Object.keys(values.motions).length + more.length > 1;
    return [...more, ...nameMotions(values, more), append(["targets"], { name, place: [round(x), 1.5, round(z)] }),
      append(["cast"], { name: freeName(values, "Boxer"), controller: "policy", target: name, place: [round(x), round(z - 1.2), 0], ...(several ? { motions } : {}) })];
  } },
  { title: "Wall", group: "Things", help: "Characters cannot walk through it", make: (_, [x, z]) => [append(["walls"], { start: [round(x - 1.5), round(z)], stop: [round(x + 1.5), round(z)] })] },
  { title: "Car", group: "Things", help: "Runs over the character that was chosen last", lacks: (values) => (values.cast.some((member) => member.controller === "duel") ? "" : "Add a fighter first: a car runs a character over"),
    make: (values, [x, z]) => [append(["cars"], { start: [round(x), round(z - 12)], stop: [round(x), round(z + 12)], runs_over: values.cast.filter((member) => member.controller === "duel").at(-1)!.name, time: 5 })] },
  { title: "Ball", group: "Things", help: "A walker prepares for it and kicks it", make: (values, [x, z]) => [...walkerFor(values, "balls"), append(["balls"], { place: [round(x), round(z)] })] },
  { title: "Obstacle", group: "Things", help: "A bar across the way of a walker", make: (values) => [...walkerFor(values, "obstacles"), append(["obstacles"], { passed_by: ["duck", "crawl", "jump"] })] },
  { title: "Checkpoint", group: "Ways", help: "Draws fighters to a place, one after the other", make: (values, [x, z], vocabulary) => [...drawnByPath(values, vocabulary), append(["path"], { place: [round(x), round(z)] })] },
  { title: "Camera", group: "Ways", help: "From the playhead on the take is seen from here; its height and view can be changed with C",
    make: (values, [x, z], _, { time, target }) => [set(["shots"], [...rows(values, "shots").map(said), { time: Math.round(1000 * time) / 1000, position: [round(x), EYES, round(z)], target: target.map(round) }]
      .sort((a, b) => Number(a.time) - Number(b.time)))] },
];

function freeThing(values: SceneValues, wish: string): string {
  const names = new Set(rows(values, "targets").map((row) => row.name));
  if (!names.has(wish)) return wish;
  for (let number = 2; ; number++) if (!names.has(`${wish} ${number}`)) return `${wish} ${number}`;
}

/** Without a weight characters would not follow a path: styles get their form for paths. */
function drawnByPath(values: SceneValues, vocabulary: Vocabulary): Edit[] {
  return values.cast.flatMap((member, number) => {
    const drawn = (member.weights.path_weight ?? vocabulary.styles[member.style]?.path_weight ?? 0) > 0;
    if (member.controller !== "duel" || drawn) return [];
    const style = `${member.style}-on-path`;
    return style in vocabulary.styles ? [set(["cast", number, "style"], style)] : [set(["cast", number, "weights", "path_weight"], 10)];
  });
}
