/** Undo and redo. A scene is a text, so a step is the text before and what was done to it. */

export interface Step {
  readonly text: string;
  readonly what: string; // "Distance of Red", what led to this text
}

const MOST = 500;

export class History {
  private past: Step[] = [];
  private future: Step[] = [];
  private saved: string;

  constructor(private now: Step) {
    this.saved = now.text;
  }

  get text(): string {
    return this.now.text;
  }

  get unsaved(): boolean {
    return this.now.text !== this.saved;
  }

  /** The change that undo would take back, or nothing. */
  get undoable(): string {
    return this.past.length > 0 ? this.now.what : "";
  }

  get redoable(): string {
    return this.future.at(-1)?.what ?? "";
  }

  /** A new text. Dragging the same thing on and on is one step. */
  push(text: string, what: string, joined = false): void {
    if (text === this.now.text) return;
    if (!(joined && this.past.length > 0 && this.now.what === what)) this.past.push(this.now);
    this.now = { text, what };
    this.future = [];
    if (this.past.length > MOST) this.past.shift();
  }

  undo(): string | null {
    const before = this.past.pop();
    if (!before) return null;
    this.future.push(this.now);
    this.now = before;
    return this.now.text;
  }

  redo(): string | null {
    const after = this.future.pop();
    if (!after) return null;
    this.past.push(this.now);
    this.now = after;
    return this.now.text;
  }

  markSaved(): void {
    this.saved = this.now.text;
  }
}
