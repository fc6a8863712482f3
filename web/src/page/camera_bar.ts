/** Buttons over the stage: what is seen, and from where. */

import type { Stage } from "../stage/stage";
import { button, h } from "./dom";

export interface Toggle {
  readonly title: string;
  readonly help: string;
  readonly on: boolean;
  change(on: boolean): void;
}

export class CameraBar {
  readonly element: HTMLElement;
  private readonly followButton: HTMLButtonElement;
  private readonly slots: HTMLButtonElement[];
  private readonly toggles = new Map<string, Switch>();

  constructor(private readonly stage: Stage, toggles: readonly Toggle[]) {
    this.followButton = button("Follow", () => this.follow(), { title: "Stay with the chosen character, or with all (G)", "aria-pressed": "false" });
    this.slots = stage.cameras.kept().map((_, slot) => h("button", {
      type: "button", onclick: (event: MouseEvent) => this.slot(slot, event.shiftKey),
    }, String(slot + 1)));
    this.element = h("div", { class: "cameras", role: "group", "aria-label": "View" },
      toggles.map((toggle) => {
        const made = toggleButton(toggle);
        this.toggles.set(toggle.title, made);
        return made.button;
      }),
      button("Frame all", () => this.frameAll(), { title: "Show all characters (F)" }), this.followButton, this.slots);
    this.update();
  }

  /** Stay with one character, with all (-1), or with none. */
  setFollowing(who: number | null): void {
    this.stage.cameras.following = who;
    this.update();
  }

  /** Click one of the toggles. */
  toggle(title: string): void {
    this.toggles.get(title)?.button.click();
  }

  /** Show a toggle as on or off. */
  set(title: string, on: boolean): void {
    this.toggles.get(title)?.show(on);
  }

  frameAll(): void {
    this.stage.cameras.fly(this.stage.cameras.framing(this.stage.bounds()));
  }

  follow(): void {
    const { selected } = this.stage;
    this.setFollowing(this.stage.cameras.following === selected ? null : selected);
  }

  /** Go to a kept view; an empty place keeps the view of now. */
  slot(slot: number, replace: boolean): void {
    const view = this.stage.cameras.kept()[slot];
    if (view && !replace) this.stage.cameras.fly(view);
    else this.stage.cameras.keep(slot);
    this.update();
  }

  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "f") this.frameAll();
    else if (event.key === "g") this.follow();
    else if (/^Digit[1-4]$/.test(event.code)) this.slot(Number(event.code.slice(5)) - 1, event.shiftKey);
    else return false;
    return true;
  }

  private update(): void {
    const on = this.stage.cameras.following !== null;
    this.followButton.classList.toggle("on", on);
    this.followButton.setAttribute("aria-pressed", String(on));
    this.stage.cameras.kept().forEach((view, slot) => {
      this.slots[slot].classList.toggle("on", view !== null);
      this.slots[slot].title = view ? `Kept view ${slot + 1}; with shift: keep the view of now instead` : `Keep this view as ${slot + 1}`;
    });
  }
}

interface Switch {
  readonly button: HTMLButtonElement;
  readonly show: (on: boolean) => void;
}

function toggleButton(toggle: Toggle): Switch {
  let on = toggle.on;
  const made = button(toggle.title, () => {
    show(!on);
    toggle.change(on);
  }, { title: toggle.help });
  const show = (shown: boolean): void => {
    on = shown;
    made.classList.toggle("on", on);
    made.setAttribute("aria-pressed", String(on));
  };
  show(on);
  return { button: made, show };
}
