/** From a library of own recordings to a scene that fights. */

import type { Library } from "../messages";
import { api } from "../page/api";
import { button } from "../page/dom";
import { complain } from "../page/toasts";
import { addressOf } from "../page/view";

/** The button that makes the scene and opens it. */
export function makeThemFight(recordings: readonly string[], library: Library): HTMLButtonElement {
  const made = button("Make them fight", () => {
    made.disabled = true;
    api.makeFight({ recordings: [...recordings], library: library.library })
      .then((scene) => { location.hash = addressOf("scene", { file: scene.file }); })
      .catch((error: unknown) => { made.disabled = false; complain(error); });
  }, { class: "main", "data-fight": "" });
  return made;
}
