/** Play, step, speed, loop and the place in time. */

import { Player, SPEEDS } from "../take/player";
import { button, h, isTyping } from "./dom";
import { icon, type Icon, iconButton } from "./icons";

export class Transport {
  readonly element: HTMLElement;
  private readonly playing = iconButton("play", () => this.player.toggle(), "Play", "main");
  private readonly bar = h("input", { type: "range", min: "0", step: "any", value: "0", "aria-label": "Place in the take",
    oninput: () => this.player.seek(Number(this.bar.value)) });
  private readonly time = h("span", { class: "time small quiet" });
  private readonly loop = button("Loop", () => this.player.setLoop(!this.player.loop), { title: "Start again at the end (Shift+L)" });
  private readonly speed = h("select", { "aria-label": "Speed", title: "Speed", onchange: () => this.player.setSpeed(Number(this.speed.value)) },
    SPEEDS.map((speed) => h("option", { value: String(speed), selected: speed === 1 }, `${speed}×`)));
  private readonly unit = button("s", () => { this.frames = !this.frames; this.shown = ""; this.unit.textContent = this.frames ? "frames" : "s"; this.follow(); },
    { class: "plain small", title: "Show seconds or frames" });
  private readonly range = h("span", { class: "row", role: "group", "aria-label": "Range" },
    button("In", () => this.player.mark("in"), { title: "Play from here (I)" }), button("Out", () => this.player.mark("out"), { title: "Play until here (O)" }),
    button("×", () => this.player.clearRange(), { class: "plain icon", title: "Play the whole take again (X)", "aria-label": "Play the whole take" }));
  private frames = false;
  private shown = "";

  constructor(private readonly player: Player) {
    const step = (frames: number, icon: Icon, label: string): HTMLButtonElement => iconButton(icon, () => player.step(frames), label);
    this.element = h("div", { class: "transport", role: "group", "aria-label": "Playing" },
      iconButton("start", () => player.seek(0), "To the start (Home)"),
      step(-1, "back", "One frame back (,)"), this.playing, step(1, "on", "One frame on (.)"),
      this.time, this.unit, this.bar, this.range, this.speed, this.loop);
    player.onChange(() => this.update());
    this.update();
  }

  /** Called with every picture. */
  follow(): void {
    const { time, seconds, fps } = this.player;
    const text = this.frames ? `${Math.round(time * fps)} / ${Math.round(seconds * fps)}` : `${time.toFixed(2)} / ${seconds.toFixed(2)}`;
    if (text === this.shown) return;
    this.shown = text;
    this.time.textContent = text;
    this.bar.value = String(this.player.time);
  }

  /** Keys that every view with a player knows. True if one was used. */
  key(event: KeyboardEvent): boolean {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return false;
    const onButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
    switch (event.key) {
      case " ":
        if (onButton) return false;
        this.player.toggle();
        break;
      case ",": this.player.step(-1); break;
      case ".": this.player.step(1); break;
      case "Home": this.player.seek(0); break;
      case "End": this.player.seek(this.player.seconds); break;
      case "L": this.player.setLoop(!this.player.loop); break;
      case "j": this.player.run(true); break;
      case "k": this.player.pause(); break;
      case "l": this.player.run(false); break;
      case "i": this.player.mark("in"); break;
      case "o": this.player.mark("out"); break;
      case "x": this.player.clearRange(); break;
      default: return false;
    }
    event.preventDefault();
    return true;
  }

  private update(): void {
    const { playing, loop, seconds, speed } = this.player;
    this.playing.replaceChildren(icon(playing ? "pause" : "play"));
    this.playing.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.playing.title = `${playing ? "Pause" : "Play"} (space)`;
    this.loop.classList.toggle("on", loop);
    this.loop.setAttribute("aria-pressed", String(loop));
    this.range.lastElementChild!.toggleAttribute("hidden", this.player.range === null);
    this.bar.max = String(seconds);
    this.speed.value = String(speed);
    this.shown = "";
    this.follow();
  }
}
