/** The patterns of a group: words for actions, and the moves that they make, as controls. */

import { ownPatterns, usualPatterns } from "../document/additions";
import { append, remove, set } from "../document/edits";
import type { SceneValues } from "../document/values";
import type { Edit, Vocabulary } from "../messages";
import { askName } from "../page/dialogs";
import { button, h } from "../page/dom";
import { tableFields } from "./tables";

type Row = Record<string, unknown>;
type Change = (what: string, edits: Edit[]) => void;
type Group = (name: string, title: string[], inside: (Node | null)[], kind?: string) => HTMLElement;

export function patternFields(vocabulary: Vocabulary, values: SceneValues, number: number, change: Change, group: Group): HTMLElement {
  const row = (values.group as Row[])[number], { patterns } = vocabulary, at = ["group", number];
  const words = (row.annotation ?? {}) as Record<string, Row>, rows = (row.pattern ?? []) as Row[];
  if (rows.length === 0) {
    const usual = vocabulary.usual_patterns[String(row.kind)];
    return h("div", { class: "row" }, button("Own patterns", () => change("Own patterns", ownPatterns(values, number, usual)),
      { class: "small", title: "Copies the usual patterns into this scene, to be changed" }));
  }
  const moves = Object.keys(words).flatMap((word) => [`1 ${word}`, `2 ${word}`]);
  const annotations = Object.entries(words).map(([word, annotation]) => group(`annotation-${number}-${word}`, [`Word: ${word}`], [
    ...actionFields(vocabulary, [...at, "annotation", word], word, (annotation.actions ?? []) as Row[], change, Boolean(annotation.thing)),
    ...tableFields(patterns.annotation, `word ${word}`, [...at, "annotation", word], annotation, change, []),
    button("Remove", () => change(`Remove word ${word}`, [remove([...at, "annotation", word])]), { class: "small" })], "subgroup"));
  const made = rows.map((pattern, k) => group(`pattern-${number}-${k}`, [`Pattern: ${String(pattern.name || ((pattern.moves as string[] | undefined) ?? []).join(", "))}`], [
    ...tableFields(patterns.pattern.map((control) => (control.key === "moves" ? { ...control, choices: moves } : control)), `pattern ${k + 1}`, [...at, "pattern", k], pattern, change, []),
    ...tableFields(patterns.weights, `pattern ${k + 1}`, [...at, "pattern", k, "weights"], (pattern.weights ?? {}) as Row, change, []),
    rows.length > 1 ? button("Remove", () => change(`Remove pattern ${k + 1}`, [remove([...at, "pattern", k])]), { class: "small" }) : null], "subgroup"));
  const addWord = async (): Promise<void> => {
    const word = await askName("A new word", "attack-2", "The name of some actions, which patterns can use then.", "Add");
    if (word && !(word in words)) change(`Word ${word}`, [set([...at, "annotation", word], { actions: [{ kind: ["attack"] }] })]);
  };
  return h("div", {}, annotations, made, h("div", { class: "row wrap", style: "margin-top: 8px" },
    button("Add a word", () => { void addWord(); }, { class: "small" }),
    button("Add a pattern", () => change("Add a pattern", [append([...at, "pattern"], { moves: [moves[0], moves.find((move) => move.startsWith("2"))] })]), { class: "small" }),
    button("Usual patterns", () => change("Usual patterns", usualPatterns(number)), { class: "small", title: "Takes these patterns out of the scene" })));
}

/** The actions of a word: each row says which tags they have. */
function actionFields(vocabulary: Vocabulary, at: (string | number)[], word: string, rows: Row[], change: Change, thing: boolean): HTMLElement[] {
  const fields = rows.map((row, number) => h("div", { class: "actions-row" },
    ...tableFields(vocabulary.patterns.actions, `actions of ${word}`, [...at, "actions", number], row, change, []),
    rows.length > 1 ? button("Remove these actions", () => change(`Remove actions of ${word}`, [remove([...at, "actions", number])]), { class: "small" }) : null));
  return thing ? fields : [...fields, button("Other actions, too", () => change(`Actions of ${word}`, [append([...at, "actions"], { kind: ["attack"] })]), { class: "small" })];
}
