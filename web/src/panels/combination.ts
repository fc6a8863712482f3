/** The combination table: how well each defence answers each attack. Amended cells belong to the scene. */

import { remove, type Row, setRow } from "../document/edits";
import type { Edit, Vocabulary } from "../messages";
import { button, h } from "../page/dom";

let position = ""; // that was looked at last

/** The table's value for a pair; the user's last amendment wins. */
export function suitability(vocabulary: Vocabulary, rows: readonly Row[], defence: string, attack: string, at: string): number {
  const own = rows.findLast((row) => row.defence === defence && row.attack === attack && (row.position === "" || row.position === at));
  if (own) return own.suitability;
  const cells = vocabulary.combination[vocabulary.defences.indexOf(defence)];
  const first = vocabulary.attacks.indexOf(attack) * vocabulary.positions.length;
  if (at) return cells[first + vocabulary.positions.indexOf(at)];
  const all = cells.slice(first, first + vocabulary.positions.length);
  return all.reduce((sum, cell) => sum + cell, 0) / all.length;
}

export function combinationTable(
  vocabulary: Vocabulary, rows: readonly Row[], change: (what: string, edit: Edit) => void,
): HTMLElement[] {
  const grid = h("div");
  const draw = (): void => grid.replaceChildren(matrix(vocabulary, rows, change));
  const choose = h("select", { "aria-label": "Position of the attack", onchange: () => { position = choose.value; draw(); } },
    ["", ...vocabulary.positions].map((word) => h("option", { value: word, selected: word === position }, word ? `at the ${word}` : "at any position")));
  draw();
  const amended = rows.map((row, number) => h("tr", {},
    h("td", {}, row.defence), h("td", {}, row.attack), h("td", {}, row.position || "any"), h("td", { class: "number" }, row.suitability.toFixed(2)),
    h("td", {}, button("×", () => change(`Reset ${row.defence} against ${row.attack}`, remove(["combination", number])),
      { class: "plain icon", "aria-label": `Reset ${row.defence} against ${row.attack}` }))));
  return [
    h("p", { class: "quiet small", style: "margin-bottom: 8px" }, "How well a defence answers an attack, −1 (badly) to 1. Type into a cell to amend it."),
    h("div", { class: "row", style: "margin-bottom: 8px" }, choose), grid,
    h("h3", { style: "margin: 16px 0 6px" }, "Amended by you"),
    amended.length ? h("table", {}, amended) : h("p", { class: "quiet small" }, "Nothing yet."),
  ];
}

function matrix(vocabulary: Vocabulary, rows: readonly Row[], change: (what: string, edit: Edit) => void): HTMLElement {
  return h("table", { class: "matrix" },
    h("thead", {}, h("tr", {}, h("th", {}), vocabulary.defences.map((defence) => h("th", {}, h("span", {}, defence))))),
    h("tbody", {}, vocabulary.attacks.map((attack) => h("tr", {}, h("th", {}, attack), vocabulary.defences.map((defence) => {
      const value = suitability(vocabulary, rows, defence, attack, position);
      const own = rows.some((row) => row.defence === defence && row.attack === attack && row.position === position);
      const input = h("input", {
        value: String(Math.round(100 * value) / 100), class: own ? "own" : "", inputMode: "decimal",
        style: `--heat: ${Math.round(100 * Math.max(value, 0))}%`, "data-key": `${defence}/${attack}`,
        "aria-label": `${defence} against ${attack}`,
        onchange: () => {
          const wanted = Number(input.value.replace(",", "."));
          const fine = input.value.trim() !== "" && wanted >= -1 && wanted <= 1;
          input.classList.toggle("wrong", !fine);
          if (fine) change(`${defence} against ${attack}`, setRow(rows, { defence, attack, position, suitability: wanted }));
          else input.title = "A number from -1 to 1";
        },
      });
      return h("td", {}, input);
    })))));
}
