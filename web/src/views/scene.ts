/** A scene: the stage, its timeline, and everything that can be asked and changed. */

import type { TakeHeader } from "../messages";
import { api } from "../page/api";
import { button, h } from "../page/dom";
import { complain } from "../page/toasts";
import { Transport } from "../page/transport";
import type { View } from "../page/view";
import { Stage } from "../stage/stage";
import { Player } from "../take/player";
import { goodDirection, TakeShow } from "../take/show";
import { TimelineLanes } from "../timeline/lanes";

export class SceneView implements View {
  readonly element: HTMLElement;
  readonly player = new Player();
  readonly stage: Stage;
  readonly show: TakeShow;
  readonly timeline = new TimelineLanes(this.player);
  private readonly transport = new Transport(this.player);
  private readonly stageBox = h("div", { class: "stage" });

  constructor(words: URLSearchParams) {
    this.element = h("div", { class: "editor" },
      h("div", { class: "bar" }, h("span", { class: "title" }, "")),
      h("div", { class: "side left" }), h("div", { class: "middle" }, this.stageBox, this.transport.element), h("div", { class: "side right" }),
      h("div", { class: "lower" }, this.timeline.element));
    this.stage = new Stage(this.stageBox, `randori.cameras.${words}`);
    this.show = new TakeShow(this.stage, this.player, () => { this.timeline.follow(); this.transport.follow(); });
    void this.load(words).catch(complain);
  }
  header(): TakeHeader | undefined { return this.show.take?.header; }

  private async load(words: URLSearchParams): Promise<void> {
    const doc = await api.open({ gallery: words.get("gallery") ?? "", file: words.get("file") ?? "" });
    const name = doc.take || doc.draft;
    if (!name) return;
    const take = await api.take(name);
    this.show.load(take);
    this.timeline.show(take.header);
    this.stage.cameras.look(this.stage.cameras.framing(this.stage.bounds(), goodDirection(take)));
    this.player.play();
  }
  close(): void { this.stage.dispose(); }
}
void button;
