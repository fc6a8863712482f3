/** The filter of the shown actions: by words and by kind. */

import type { Action } from "../messages";

/** Every word has to be found in what is known of the action. */
export function matching(actions: readonly Action[], words: string, kind: string): Action[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return actions.filter((action) => {
    if (kind && action.kind !== kind) return false;
    const known = [action.name, action.kind, action.technique, action.side, action.position, action.direction, action.edited ? "edited" : ""]
      .join(" ").toLowerCase();
    return wanted.every((word) => known.includes(word));
  });
}
