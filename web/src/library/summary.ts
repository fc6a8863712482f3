/** The contents of recordings, in a sentence. */

import type { Action, Library } from "../messages";

const COUNTED: [string, (action: Action) => boolean][] = [
  ["attack", (action) => action.kind === "attack"],
  ["defence", (action) => action.kind === "defence"],
  ["step", (action) => action.kind === "locomotion" || (action.kind === "transition" && action.technique !== "stand")],
  ["reaction", (action) => action.kind === "reaction"],
  ["fall", (action) => action.kind === "fall"],
];

/** "Found 12 attacks, 3 defences and 40 steps." */
export function summary(library: Pick<Library, "actions">): string {
  const counts = COUNTED.map(([name, fits]) => [name, library.actions.filter(fits).length] as const).filter(([, count]) => count > 0);
  const words = counts.map(([name, count]) => `${count} ${name}${count === 1 ? "" : "s"}`);
  const listed = words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0] ?? "no actions";
  return `Found ${listed}.`;
}
