/** Everything that a scene says, as controls. A change is an edit of its text. */

import { ADDITIONS, inputEdits, inputValue, renameMotions } from "../document/additions";
import { append, controllerEdits, moveCheckpoint, put, remove, set, setWeight } from "../document/edits";
import type { SceneFile } from "../document/scene_file";
import { type Member, type Pin, type SceneValues, valuesOf } from "../document/values";
import { acceptDrops } from "../library/dropped";
import type { Control, Edit, Vocabulary } from "../messages";
import { inWords } from "../page/api";
import { button, fill, h } from "../page/dom";
import { complain, tell } from "../page/toasts";
import { pinWords } from "../timeline/pins";
import { characterField, isCharacterFile, uploadCharacter } from "./characters";
import { combinationTable } from "./combination";
import { nextStep } from "./next_step";
import { field, weightField } from "./fields";
import { motionFields } from "./motions";
import { patternFields } from "./patterns";
import { inWords as titleOf, tableFields } from "./tables";
import { Tabs } from "./tabs";

/** Lists of a scene that are made on the timeline. */
const NOTES: Record<string, { title: string; one: string; words: (row: Record<string, unknown>) => string }> = {
  pins: { title: "Pins", one: "pin", words: (row) => pinWords(row as unknown as Pin) },
  shots: { title: "Camera cuts", one: "camera cut", words: (row) => [`${Number(row.time).toFixed(1)} s`, row.follow ? `follows ${String(row.follow)}` : ""].filter(Boolean).join(" · ") },
  markers: { title: "Markers", one: "marker", words: (row) => `${Number(row.time).toFixed(1)} s · ${String(row.note)}` },
};
const FIRST_FIELDS = 7; // of a character, that are seen at once
const NEW_CHECKPOINT_AWAY = 2; // metres from the last one

export class Inspector {
  readonly element: HTMLElement;
  onSelect: (character: number) => void = () => {};
  /** Names of the meshes of a character of the cast, as far as it is on the stage. */
  meshes: (character: number) => string[] = () => [];
  private readonly scene = h("div");
  private readonly cast = h("div");
  private readonly path = h("div");
  private readonly table = h("div");
  private readonly text = h("div", { class: "column", style: "height: 100%" });
  private readonly tabs = new Tabs([
    { title: "Cast", content: this.cast }, { title: "Scene", content: this.scene }, { title: "Path", content: this.path },
    { title: "Table", content: this.table }, { title: "Text", content: this.text },
  ], "Inspector");
  private readonly problems = h("div", { class: "problems" });
  private readonly panels = [this.cast, this.scene, this.path];
  private readonly opened = new Set<string>(["member-0"]);
  private selected = -1;

  constructor(private readonly file: SceneFile, private readonly vocabulary: Vocabulary) {
    this.element = h("div", { class: "side left" }, this.problems, this.tabs.element);
    file.onChange(() => this.draw());
    this.draw();
  }

  /** A character was chosen on the stage or the timeline. */
  select(character: number): void {
    if (character === this.selected) return;
    this.selected = character;
    if (character >= 0) this.opened.add(`member-${character}`);
    const values = valuesOf(this.file.document);
    if (values) fill(this.cast, this.members(values)); // nothing else: the user may be typing there
    this.cast.querySelector(".selected")?.scrollIntoView({ block: "nearest" });
  }

  dragCheckpoint(number: number, place: [number, number]): void {
    this.change(`Checkpoint ${number + 1}`, [moveCheckpoint(number, place)]);
  }

  private change(what: string, edits: Edit[]): void {
    this.file.edit(what, edits).catch(complain);
  }

  private draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("[data-key]");
    const key = focused?.dataset.key, group = focused?.closest<HTMLElement>("[data-group]")?.dataset.group;
    const values = valuesOf(this.file.document);
    const next = values && nextStep(values);
    const problems = next ? [h("div", { class: "hint" }, next)]
      : this.file.document.problems.map((problem) => h("div", { class: "problem", role: "alert" }, inWords(problem)));
    fill(this.problems, problems);
    this.drawText();
    if (values) {
      fill(this.cast, this.members(values));
      fill(this.scene, this.sceneFields(values));
      fill(this.path, this.checkpoints(values));
      fill(this.table, combinationTable(this.vocabulary, values.combination, (what, edit) => this.change(what, [edit])));
    } else {
      for (const panel of [this.cast, this.scene, this.path, this.table]) fill(panel, h("p", { class: "quiet" }, "The text has a mistake, so the form cannot show it: change it under Text, or undo."));
    }
    for (const problem of this.file.document.problems) markFields(this.panels, problem.message);
    // the user goes on typing in the same place
    if (key) this.element.querySelector<HTMLElement>(`${group ? `[data-group="${group}"] ` : ""}[data-key="${key}"] input, [data-key="${key}"] select`)?.focus();
  }

  private group(name: string, title: (Node | string)[], inside: (Node | null)[], kind = "group"): HTMLElement {
    const details = h("details", { class: kind, open: this.opened.has(name), "data-group": name,
      ontoggle: () => { if (details.open) this.opened.add(name); else this.opened.delete(name); } },
    h("summary", {}, title), h("div", { class: "inside" }, inside));
    return details;
  }

  // ---- the cast

  private members(values: SceneValues): HTMLElement[] {
    const made = values.cast.map((member, number) => {
      const element = this.group(`member-${number}`,
        [swatch(this.vocabulary, member, number), member.name, h("span", { class: "quiet small" }, member.controller === "duel" ? member.style : member.controller)],
        [...this.memberFields(values, member, number)]);
      acceptDrops(element, (files) => this.dropCharacter(number, files));
      element.classList.toggle("selected", number === this.selected);
      element.querySelector("summary")!.addEventListener("click", () => this.onSelect(number));
      return element;
    });
    return [...made, button("Add a character", () => this.addMember(values))];
  }

  private memberFields(values: SceneValues, member: Member, number: number): HTMLElement[] {
    const { controllers } = this.vocabulary;
    const foreign = new Set(Object.values(controllers).flat().filter((key) => !controllers[member.controller]?.includes(key)));
    const fields = this.vocabulary.member.filter((control) => !foreign.has(control.key)).map((control) => {
      if (control.kind === "character") return this.characterField(control, member, number);
      if (control.key === "controller") return field(control, member.controller, (value) => this.change(`Controller of ${member.name}`, controllerEdits(number, String(value), controllers)));
      const shown = control.key === "hidden" ? { ...control, choices: this.meshes(number) } : this.suggested(control, values);
      return field(shown, member[control.key],
        (value) => this.change(`${control.title} of ${member.name}`, put(["cast", number, control.key], value, member[control.key])));
    });
    const style = this.vocabulary.styles[member.style] ?? {};
    const weights = this.vocabulary.weights.map((control) => weightField(control, member.weights[control.key], style[control.key] ?? 0, (value) => {
      const wanted = value === null ? style[control.key] : Number(value);
      this.change(`${control.title} of ${member.name}`, setWeight(number, control.key, wanted, style, member.weights));
    }));
    const remove_ = button("Remove", () => this.change(`Remove ${member.name}`, [remove(["cast", number])]),
      { class: "small" });
    const [first, rest] = [fields.slice(0, FIRST_FIELDS), fields.slice(FIRST_FIELDS)];
    const learned = ((member.behaviours as string[] | undefined) ?? []).flatMap((name) => this.vocabulary.behaviours.filter((control) => control.key === name))
      .map((control) => weightField(control, member.weights[control.key], Number(control.default), (value) => {
        const usual = { [control.key]: Number(control.default) }, wanted = value === null ? usual[control.key] : Number(value);
        this.change(`${control.title} of ${member.name}`, setWeight(number, control.key, wanted, usual, member.weights));
      }));
    const shown = member.controller === "duel" ? weights : member.controller === "prepare" ? [] : learned;
    const weighed = shown.length ? [this.group(`weights-${number}`, ["Weights"], shown, "subgroup")] : [];
    return [...first, ...weighed, this.group(`more-${number}`, ["Place, outfit, wishes"], rest, "subgroup"),
      h("div", { class: "row", style: "margin-top: 8px" }, remove_)];
  }

  /** The mannequin, one of the performers, or a file with a skinned mesh: chosen here or dropped. */
  private characterField(control: Control, member: Member, number: number): HTMLElement {
    return characterField(control, (member.character as string | null) ?? "", (file) => this.setCharacter(number, file), (files) => this.dropCharacter(number, files));
  }

  private setCharacter(number: number, file: string): void {
    const { name } = valuesOf(this.file.document)!.cast[number];
    this.change(`Character of ${name}`, file ? [set(["cast", number, "character"], file)]
      : ["character", "height", "hidden"].map((key) => remove(["cast", number, key])));
  }

  /** A file was dropped onto a cast member: it becomes its body. */
  dropCharacter(number: number, files: readonly File[]): void {
    if (!valuesOf(this.file.document)?.cast[number]) return complain("Add a character first. Then drop the file onto it.");
    const file = files.find((one) => isCharacterFile(one.name));
    if (!file) return complain(`${files[0]?.name ?? "This"} is no character. Drop a GLB, VRM, glTF or FBX file with a skinned mesh.`);
    tell(`Reading ${file.name}…`);
    uploadCharacter(file).then(({ file: path, height }) => {
      tell(`${file.name}: ${height.toFixed(2)} m tall.`);
      this.setCharacter(number, path);
    }).catch((error: unknown) => { if (!(error instanceof DOMException)) complain(error); });
  }

  private addMember(values: SceneValues): void {
    const names = new Set(values.cast.map((member) => member.name));
    let number = values.cast.length + 1;
    while (names.has(`Person ${number}`)) number++;
    const last = values.cast.filter((member) => member.controller === "duel").at(-1);
    const team = values.cast.filter((member) => member.team === 0).length <= values.cast.length / 2 ? 0 : 1;
    const outfit = this.vocabulary.outfits[values.cast.length % this.vocabulary.outfits.length].name;
    const motions = last?.motions ? { motions: last.motions } : {};
    this.opened.add(`member-${values.cast.length}`);
    this.change("Add a character", [append(["cast"], { name: `Person ${number}`, ...motions, ...(last ? { style: last.style } : {}), team, outfit })]);
  }

  // ---- the scene

  private sceneFields(values: SceneValues): HTMLElement[] {
    const own = this.vocabulary.scene.map((control) => field(control, values[control.key],
      (value) => this.change(control.title, put([control.key], value, values[control.key]))));
    const rules = this.vocabulary.rules.map((control) => field(control, values.rules[control.key],
      (value) => this.change(`Rule: ${control.title}`, put(["rules", control.key], value, values.rules[control.key]))));
    const motions = Object.entries(values.motions).map(([name, motion]) => this.group(`motions-${name}`, [`Motions: ${name}`],
      [this.motionsName(values, name), ...motionFields(this.vocabulary.motions, name, motion, (what, edits) => this.change(what, edits)),
        button("Remove", () => this.change(`Remove motions ${name}`, [remove(["motions", name])]), { class: "small" })]));
    return [...own, ...motions, ...this.otherTables(values), this.group("rules", ["Rules of plausible actions"], rules),
      ...this.notes(values), this.additions(values)];
  }

  /** Pins, camera cuts and markers: made on the timeline, and listed here. */
  private notes(values: SceneValues): HTMLElement[] {
    const names = values.cast.map((member) => member.name);
    return Object.entries(NOTES).flatMap(([key, { title, one, words }]) => {
      const rows = (values[key] as Record<string, unknown>[] | undefined) ?? [];
      if (rows.length === 0) return [];
      return [this.group(key, [`${title} (${rows.length})`], rows.map((row, number) => this.group(`${key}-${number}`, [words(row)], [
        ...tableFields(this.vocabulary.tables[key].map((control) => this.suggested(control, values)), `${one} ${number + 1}`, [key, number], row, (what, edits) => this.change(what, edits), names),
        button(key === "pins" ? "Unpin" : "Remove", () => this.change(`Remove ${one}: ${words(row)}`, [remove([key, number])]), { class: "small" })], "subgroup")))];
    });
  }

  /** Parts that have no place on the stage. */
  private additions(values: SceneValues): HTMLElement {
    return h("div", { class: "column", style: "margin-top: 14px" }, h("h3", {}, "Add"), h("div", { class: "row wrap" },
      ADDITIONS.map((addition) => button(addition.title, () => {
        const lacks = addition.lacks(values);
        if (lacks) return complain(lacks);
        this.opened.add(addition.title === "Input" ? `inputs-${((values.inputs as unknown[] | undefined) ?? []).length}` : addition.title.toLowerCase());
        this.change(`Add ${addition.title.toLowerCase()}`, addition.make(values));
      }, { class: "small", title: addition.help, "data-add": addition.title }))),
    h("p", { class: "quiet small" }, "Groups, formations, walls, cars, balls and the like are placed on the stage: Arrange (A)."));
  }

  /** The name of some motions; those who use them follow. */
  private motionsName(values: SceneValues, name: string): HTMLElement {
    const input = h("input", { type: "text", value: name, "aria-label": `Name of motions ${name}`, maxLength: 60, onchange: () => {
      const after = input.value.trim(), edits = renameMotions(values, name, after);
      if (edits.length === 0) { input.value = name; return; }
      this.opened.add(`motions-${after}`);
      this.change(`Name of motions ${name}`, edits);
    } });
    return h("div", { class: "field" }, h("label", {}, "Name"), input);
  }

  /** A control with the names that are in the scene: to choose, or offered while typing. */
  private suggested(control: Control, values: SceneValues): Control {
    const names = values.cast.map((member) => member.name), rows = (key: string): string[] => ((values[key] as { name?: string; leader?: string }[] | undefined) ?? []).map((row) => row.name ?? row.leader ?? "").filter(Boolean);
    switch (control.key) {
      case "motions": return { ...control, kind: "choice", choices: Object.keys(values.motions) };
      case "who": case "on": return control.kind === "word" ? { ...control, choices: [...names, ...rows("group"), ...rows("targets")] } : control;
      case "follow": return control.kind === "word" ? { ...control, choices: [...names, "all"] } : control;
      case "action": return { ...control, choices: this.vocabulary.member.find((one) => one.key === "wanted")?.choices ?? [] };
      case "target": return control.kind !== "word" ? control : { ...control, choices: [...names, ...rows("targets")] };
      case "patterns": return { ...control, choices: [...new Set(Object.values(this.vocabulary.usual_patterns).map((usual) => usual.name))] };
      default: return control;
    }
  }

  /** Formation, camera, walls, groups, inputs: what a scene has of them. */
  private otherTables(values: SceneValues): HTMLElement[] {
    const names = values.cast.map((member) => member.name);
    const change = (what: string, edits: Edit[]): void => this.change(what, edits);
    return Object.entries(this.vocabulary.tables).filter(([key]) => !(key in NOTES)).flatMap(([key, all]) => {
      const value = values[key], controls = all.map((control) => this.suggested(control, values));
      if (!Array.isArray(value)) {
        if (!value) return [];
        const remove_ = key === "camera" ? null : button("Remove", () => this.change(`Remove ${key}`, [remove([key])]), { class: "small" });
        return [this.group(key, [titleOf(key)], [...tableFields(controls, key, [key], value as Record<string, unknown>, change, names), remove_])];
      }
      return value.map((row: Record<string, unknown>, number) => {
        const title = `${titleOf(key).replace(/s$/, "")} ${number + 1}`;
        return this.group(`${key}-${number}`, [title, h("span", { class: "quiet small" }, rowWords(key, row))], [
          ...(key === "inputs" ? this.inputFields(controls, row, number, names)
            : tableFields(controls.filter((control) => this.belongs(key, row, control)), title.toLowerCase(), [key, number], row, change, names)),
          key === "group" ? patternFields(this.vocabulary, values, number, change, (...words) => this.group(...words)) : null,
          button("Remove", () => this.change(`Remove ${title.toLowerCase()}`, [remove([key, number])]), { class: "small" })]);
      });
    });
  }

  /** Whether a group of this kind has the value of a control. */
  private belongs(key: string, row: Record<string, unknown>, control: Control): boolean {
    if (key !== "group") return true;
    const { groups } = this.vocabulary, own = groups[String(row.kind)] ?? [];
    if (control.key === "count" && row.kind === "dominoes") return false; // as many as fill the picture
    if (control.key === "patterns" && (row.pattern as unknown[] | undefined)?.length) return false; // it has its own
    return own.includes(control.key) || !Object.values(groups).flat().includes(control.key);
  }

  /** An input, with the values that its kind has. */
  private inputFields(controls: Control[], row: Record<string, unknown>, number: number, names: readonly string[]): HTMLElement[] {
    const { inputs } = this.vocabulary, needed = inputs[String(row.what)] ?? [], valued = new Set(Object.values(inputs).flat());
    return controls.filter((control) => !valued.has(control.key) || needed.includes(control.key)).flatMap((control) => {
      const title = `input ${number + 1}`;
      if (control.key === "what") return [field(control, row.what, (value) => this.change(`What of ${title}`, inputEdits(number, String(value), row, inputs)))];
      if (control.key === "value" && !Array.isArray(row.value)) return [field(control, row.value, (value) => this.change(`Value of ${title}`, [set(["inputs", number, "value"], inputValue(String(value)))]))];
      const shown = control.key === "value" ? { ...control, kind: "words" as const } : control;
      return tableFields([shown], title, ["inputs", number], row, (what, edits) => this.change(what, edits), names);
    });
  }

  // ---- the path

  private checkpoints(values: SceneValues): (HTMLElement | null)[] {
    const made = values.path.map((mark, number) => this.group(`path-${number}`, [`Checkpoint ${number + 1}`], [
      ...tableFields(this.vocabulary.checkpoint, `checkpoint ${number + 1}`, ["path", number], mark, (what, edits) => this.change(what, edits),
        values.cast.map((member) => member.name)),
      button("Remove", () => this.change(`Remove checkpoint ${number + 1}`, [remove(["path", number])]), { class: "small" }),
    ]));
    const drawn = values.cast.some((member) => ((member.weights.path_weight ?? this.vocabulary.styles[member.style]?.path_weight) ?? 0) > 0);
    return [
      h("p", { class: "quiet small", style: "margin-bottom: 10px" }, values.path.length
        ? "Drag checkpoints on the stage." : "No checkpoints: fighters stay where they are."),
      values.path.length > 0 && !drawn
        ? h("div", { class: "problem" }, "No fighter is drawn by the path: choose a style “on-path”, or give a fighter a Path weight.") : null,
      ...made, button("Add a checkpoint", () => this.addCheckpoint(values)),
    ];
  }

  private addCheckpoint(values: SceneValues): void {
    const last = values.path[values.path.length - 1]?.place ?? [0, 1];
    const place = [last[0] + NEW_CHECKPOINT_AWAY, last[1]];
    this.change("Add a checkpoint", [append(["path"], { place })]);
  }

  // ---- the text

  /** The text as it is; edits are applied when the field is left, so that nothing is lost. */
  private drawText(): void {
    const { document: scene } = this.file;
    const area = h("textarea", { value: scene.text, spellcheck: false, "aria-label": "The scene file", style: "flex: 1; min-height: 320px" });
    const apply = button("Apply", () => { this.file.setText(area.value, "Text").catch(complain); }, { class: "main" });
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) apply.click();
    });
    area.addEventListener("change", () => apply.click());
    fill(this.text, area, h("div", { class: "row" }, apply, h("span", { class: "quiet small" }, "Ctrl + Enter")));
  }
}

/** What tells a row of a table from the others. */
function rowWords(key: string, row: Record<string, unknown>): string {
  if (key === "inputs") return [`${Number(row.time)} s`, row.who, row.what].filter(Boolean).join(" · ");
  return String(row.kind ?? row.name ?? row.runs_over ?? "");
}

/** Put what is wrong beside the fields that it names: "cast[2].depth: …", one a line. */
export function markFields(panels: readonly HTMLElement[], message: string): void {
  for (const row of message.split("\n")) {
    const [, way, words] = /^\s*([\w.[\]-]+):? (.*)$/.exec(row) ?? [];
    const fieldAt = way && fieldOf(panels, way);
    if (!fieldAt || !words) continue;
    fieldAt.classList.add("wrong");
    fieldAt.append(h("div", { class: "error", role: "alert" }, words));
    for (let around = fieldAt.closest("details"); around; around = around.parentElement?.closest("details") ?? null) around.open = true;
  }
}

/** The field of a key such as "cast[2].weights.distance". */
function fieldOf(panels: readonly HTMLElement[], way: string): HTMLElement | null {
  const steps = way.split("."), key = steps.at(-1)!, [, list, number] = /^(\w+)\[(\d+)\]$/.exec(steps[0]) ?? [];
  const name = list === "cast" ? "member" : list;
  const group = list ? `${name}-${Number(number) - 1}` : steps[0] === "motions" ? `motions-${steps[1]}` : steps.length > 1 ? steps[0] : "";
  for (const panel of panels) {
    const scope = group ? panel.querySelector(`[data-group="${CSS.escape(group)}"]`) : panel;
    const found = scope?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (found) return found;
  }
  return null;
}

function swatch(vocabulary: Vocabulary, member: Member, number: number): HTMLElement {
  const outfit = vocabulary.outfits.find((one) => one.name === member.outfit) ?? vocabulary.outfits[number % vocabulary.outfits.length];
  const [red, green, blue] = outfit.colours[1].map((share) => Math.round(255 * share));
  return h("span", { class: "swatch", style: `background: rgb(${red} ${green} ${blue})` });
}
