/** Tabs of one browser that have the same scene open tell each other what they do. */

interface Word {
  readonly kind: "open" | "here" | "saved" | "left";
  readonly tab: string;
  readonly key: string;
  readonly text: string;
}

export class SharedScene {
  /** Another tab has the same scene open. */
  onCompany: () => void = () => {};
  /** No other tab has it open any more. */
  onAlone: () => void = () => {};
  /** Another tab has saved it; its text. */
  onSaved: (text: string) => void = () => {};
  private readonly channel = new BroadcastChannel("randori.scenes");
  private readonly tab = crypto.randomUUID();
  private key = "";
  private readonly others = new Set<string>(); // tabs that have this scene open
  private readonly leave = (): void => this.say("left");

  constructor() {
    this.channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if (data.tab === this.tab || data.key !== this.key || !this.key) return;
      if (data.kind === "left") {
        if (this.others.delete(data.tab) && this.others.size === 0) this.onAlone();
        return;
      }
      this.others.add(data.tab);
      if (data.kind === "open") this.say("here");
      if (data.kind === "saved") this.onSaved(data.text);
      else this.onCompany();
    };
    window.addEventListener("pagehide", this.leave);
  }

  /** Tell the others, unless they know it: saving opens a scene again. */
  open(key: string): void {
    if (key === this.key) return;
    if (this.key) this.leave();
    this.others.clear();
    this.key = key;
    this.say("open");
  }

  saved(text: string): void {
    this.say("saved", text);
  }

  close(): void {
    window.removeEventListener("pagehide", this.leave);
    this.leave();
    this.channel.close();
  }

  private say(kind: Word["kind"], text = ""): void {
    this.channel.postMessage({ kind, tab: this.tab, key: this.key, text } satisfies Word);
  }
}
