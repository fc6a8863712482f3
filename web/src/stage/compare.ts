/** A second stage beside the first, with the same playhead and the same camera: two takes side by side. */

import { button, h } from "../page/dom";
import type { Take } from "../take/buffer";
import { Player } from "../take/player";
import { TakeShow } from "../take/show";
import { Stage } from "./stage";

export class Comparison {
  readonly element: HTMLElement;
  private readonly stage: Stage;
  private readonly show: TakeShow;

  constructor(take: Take, private readonly first: Stage, onClose: () => void) {
    const box = h("div", { class: "stage" });
    this.element = h("div", { class: "beside", "data-beside": take.header.take }, box,
      h("div", { class: "caption" }, h("span", {}, `Seed ${take.header.seed}`), button("Close", onClose, { class: "small" })));
    this.stage = new Stage(box, "randori.beside");
    this.show = new TakeShow(this.stage, new Player());
    this.show.load(take);
  }

  /** Called with every picture of the first stage. */
  follow(time: number): void {
    this.show.player.time = Math.min(time, this.show.player.seconds);
    this.stage.cameras.look(this.first.cameras.view());
    this.stage.resize();
  }

  close(): void {
    this.stage.dispose();
    this.element.remove();
  }
}
