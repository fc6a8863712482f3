/** What a scene that is only begun still needs: a hint, where a message would speak of a mistake. */

import type { SceneValues } from "../document/values";

export function nextStep(values: SceneValues): string {
  const { cast } = values, groups = ((values.group as unknown[] | undefined) ?? []).length;
  if (cast.length === 0 && groups === 0) return "The stage is empty. Choose a character or a group from the palette, then click on the floor.";
  const fighters = cast.filter((member) => member.controller === "duel");
  if (cast.length === 1 && fighters.length === 1 && groups === 0) return `${fighters[0].name} has no opponent yet. Place another fighter: it joins the other team.`;
  return "";
}
