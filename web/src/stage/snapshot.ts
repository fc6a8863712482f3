/** A small picture of a take that is not on the stage: its first hit, or its middle. */

import { h } from "../page/dom";
import type { Take } from "../take/buffer";
import { tellingMoment } from "../take/moments";
import { Player } from "../take/player";
import { goodDirection, TakeShow } from "../take/show";
import { Stage } from "./stage";

const WIDTH = 240, HEIGHT = 135; // pixels

export async function snapshot(take: Take): Promise<string> {
  const box = h("div", { style: `position: fixed; left: -9999px; width: ${WIDTH}px; height: ${HEIGHT}px` });
  document.body.append(box);
  const stage = new Stage(box, "randori.snapshot");
  try {
    const show = new TakeShow(stage, new Player());
    show.load(take);
    stage.showNames(false);
    show.player.seek(tellingMoment(take));
    show.pose();
    stage.cameras.look(stage.cameras.framing(stage.bounds(), goodDirection(take)));
    stage.beginFilm(WIDTH, HEIGHT);
    const picture = await stage.filmFrame(show.player.time, 0);
    return picture ? await asText(picture) : "";
  } finally {
    stage.dispose();
    box.remove();
  }
}

function asText(picture: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(picture);
  });
}
