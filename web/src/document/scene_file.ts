/** The scene that is open: its text, what it means, its history. Every change goes through here, one after the other. */

import type { Edit, SceneDocument } from "../messages";
import { api } from "../page/api";
import { History } from "./history";

export class SceneFile {
  private readonly history: History;
  private readonly listeners = new Set<() => void>();
  private queue: Promise<unknown> = Promise.resolve();

  private constructor(public document: SceneDocument) {
    this.history = new History({ text: document.text, what: "" });
  }

  static async open(gallery: string, file: string): Promise<SceneFile> {
    return new SceneFile(await api.open({ gallery, file }));
  }

  get undoable(): string { return this.history.undoable; }
  get redoable(): string { return this.history.redoable; }
  get unsaved(): boolean { return this.history.unsaved; }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Change the text in place; `what` names the step for undo. */
  edit(what: string, edits: Edit[], joined = false): Promise<void> {
    if (edits.length === 0) return Promise.resolve();
    return this.change(what, () => api.edit({ ...this.asked, edits }), joined);
  }

  setText(text: string, what: string): Promise<void> {
    return this.change(what, () => api.check({ ...this.asked, text }));
  }

  pin(what: string, take: string, decision: number, action: number): Promise<void> {
    return this.change(what, () => api.pin({ ...this.asked, take, decision, action }));
  }

  undo(): Promise<void> {
    return this.travel(() => this.history.undo());
  }

  redo(): Promise<void> {
    return this.travel(() => this.history.redo());
  }

  async save(file: string, overwrite: boolean): Promise<void> {
    await this.enqueue(async () => {
      this.document = await api.save({ text: this.document.text, file, overwrite });
      this.history.markSaved();
    });
  }

  private get asked(): { text: string; file: string; gallery: string } {
    const { text, file, gallery } = this.document;
    return { text, file, gallery };
  }

  private change(what: string, ask: () => Promise<SceneDocument>, joined = false): Promise<void> {
    return this.enqueue(async () => {
      this.document = await ask();
      this.history.push(this.document.text, what, joined);
    });
  }

  private travel(move: () => string | null): Promise<void> {
    return this.enqueue(async () => {
      const text = move();
      if (text !== null) this.document = await api.check({ ...this.asked, text });
    });
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.queue.then(work).then(() => this.tell());
    this.queue = next.catch(() => {}); // whoever asked hears of it; the next change is made all the same
    return next;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
