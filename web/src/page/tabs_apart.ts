/** Tabs of one browser that have the same scene open tell each other what they do. */

interface Word {
  readonly kind: "open" | "here" | "saved";
  readonly tab: string;
  readonly key: string;
  readonly text: string;
}

export class SharedScene {
  /** Another tab has the same scene open. */
  onCompany: () => void = () => {};
  /** Another tab has saved it; its text. */
  onSaved: (text: string) => void = () => {};
  private readonly channel = new BroadcastChannel("randori.scenes");
  private readonly tab = crypto.randomUUID();
  private key = "";

  constructor() {
    this.channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if (data.tab === this.tab || data.key !== this.key || !this.key) return;
      if (data.kind === "open") this.say("here");
      if (data.kind === "saved") this.onSaved(data.text);
      else this.onCompany();
    };
  }

  /** Tell the others, unless they know it: saving opens a scene again. */
  open(key: string): void {
    if (key === this.key) return;
    this.key = key;
    this.say("open");
  }

  saved(text: string): void {
    this.say("saved", text);
  }

  close(): void {
    this.channel.close();
  }

  private say(kind: Word["kind"], text = ""): void {
    this.channel.postMessage({ kind, tab: this.tab, key: this.key, text } satisfies Word);
  }
}
