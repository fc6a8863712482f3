/** The scene that is open: its text, what it means, its history. Every change goes through here, one after the other. */

import type { Edit, SceneDocument } from "../messages";
import { api, jobs, Refusal } from "../page/api";
import { draftOf, dropDraft, keepDraft } from "./drafts";
import { History } from "./history";

export class SceneFile {
  private readonly history: History;
  private readonly listeners = new Set<() => void>();
  private queue: Promise<unknown> = Promise.resolve();
  private onDisk: string; // what the file says, as far as this page knows

  private constructor(public document: SceneDocument, public key: string) {
    this.history = new History({ text: document.text, what: "" });
    this.onDisk = document.text;
  }

  /** A scene of the gallery or of the project, with changes that were not saved before. */
  static async open(gallery: string, file: string): Promise<SceneFile> {
    const opened = new SceneFile(await api.open({ gallery, file }), file ? `file=${file}` : `gallery=${gallery}`);
    return opened.restored();
  }

  /** A scene that is no file yet. */
  static async from(document: SceneDocument, key: string): Promise<SceneFile> {
    return new SceneFile(document, key).restored();
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
    if (text === this.document.text) return Promise.resolve();
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
      const before = file === this.document.file ? this.onDisk : undefined;
      this.document = await api.save({ text: this.document.text, file, before, overwrite });
      dropDraft(this.key);
      this.key = `file=${file}`;
      this.onDisk = this.document.text;
      this.history.markSaved();
    });
  }

  /** Another tab has saved the file: take its text, if nothing was changed here or that is wanted. */
  async takeOver(text: string): Promise<void> {
    this.onDisk = text;
    await this.setText(text, "Changes of another tab");
    this.history.markSaved();
    this.remember();
    this.tell();
  }

  private async restored(): Promise<SceneFile> {
    const draft = draftOf(this.key);
    if (draft && draft.text !== this.document.text) await this.setText(draft.text, "Changes from last time");
    return this;
  }

  private get asked(): { text: string; file: string; gallery: string } {
    const { text, file, gallery } = this.document;
    return { text, file, gallery };
  }

  private change(what: string, ask: () => Promise<SceneDocument>, joined = false): Promise<void> {
    return this.enqueue(async () => {
      this.document = await patiently(ask);
      this.history.push(this.document.text, what, joined);
    });
  }

  private travel(move: () => string | null): Promise<void> {
    return this.enqueue(async () => {
      const text = move();
      if (text !== null) this.document = await patiently(() => api.check({ ...this.asked, text }));
    });
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.queue.then(work).then(() => this.tell());
    this.queue = next.catch(() => {}); // the caller hears of it; the next change is made all the same
    return next;
  }

  /** Unsaved changes stay in this browser. */
  private remember(): void {
    const title = String(this.document.values?.title ?? this.document.name);
    if (this.unsaved) keepDraft({ key: this.key, title, text: this.document.text, when: Date.now() });
    else dropDraft(this.key);
  }

  private tell(): void {
    this.remember();
    for (const listener of this.listeners) listener();
  }
}

/** Ask again once the server answers again. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 0) throw error;
      await jobs.connected();
    }
  }
}
