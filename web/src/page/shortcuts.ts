/** The list of keys, under "?". */

import { button, h } from "./dom";

const KEYS: [string, [string, string][]][] = [
  ["Playing", [["space", "play, pause"], ["J K L", "play backwards, stop, play"], [", .", "a frame back, a frame on"], ["Home End", "to the start, to the end"],
    ["I O X", "in, out, the whole take again"], ["Shift+L", "loop"], ["M", "a marker with a note"], ["C", "a camera cut to this view"], ["[ ]", "the decision before, the next one"]]],
  ["Stage", [["F G", "frame all, follow"], ["A", "arrange"], ["1 to 4", "kept views; with Shift: keep this one"], ["Delete", "delete the selection"], ["Ctrl+D", "duplicate the selection"], ["Escape", "choose nothing"]]],
  ["Scene", [["Ctrl+Z Ctrl+Y", "undo, redo"], ["Ctrl+S", "save"]]],
  ["Timeline", [["↑ ↓", "another character"], ["+ −", "zoom"], ["Z", "to the chosen action, or from in to out; then the whole take"], ["Alt", "while dragging: do not snap"]]],
  ["Elsewhere", [["/", "search in the library"], ["arrows, space", "walk, launch (live)"], ["Alt+click", "the floor behind people (live)"], ["?", "this list"]]],
];

export function showShortcuts(): void {
  if (document.querySelector("dialog.keys")) return;
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys", onclose: () => dialog.remove() },
    h("h2", {}, "Keys"), h("div", { class: "key-columns" }, KEYS.map(([title, rows]) => h("section", {}, h("h3", {}, title),
      h("dl", { class: "figures" }, rows.flatMap(([keys, what]) => [h("dt", {}, keys), h("dd", {}, what)]))))),
    h("div", { class: "row" }, h("span", { class: "spread" }), button("Close", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}
