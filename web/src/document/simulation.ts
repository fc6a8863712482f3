/** Keeps the take up to date with the scene: a draft of the first seconds at once, then the whole; the newest text wins. */

import type { Job, SceneDocument } from "../messages";
import { api, jobs } from "../page/api";

const WORTH = 1.3; // times as long as a draft: from there on a scene is worth one

export interface Progress {
  readonly doing: string; // "" when nothing is
  readonly share: number;
}

export class Simulation {
  onTake: (take: string, draft: boolean) => void = () => {};
  onProgress: (progress: Progress) => void = () => {};
  onProblem: (error: unknown) => void = () => {};
  private turn = 0;
  private job: Job | null = null;

  /** Show the take of this text, making it if it has to be. */
  async follow(document: SceneDocument): Promise<void> {
    const turn = ++this.turn;
    await this.stop();
    if (!document.scene || turn !== this.turn) return;
    if (document.take) {
      this.onTake(document.take, false);
      return;
    }
    try {
      const pinned = ((document.scene.pins as unknown[] | undefined) ?? []).length > 0;
      if (document.draft) this.onTake(document.draft, true);
      else if (Number(document.scene.seconds) > WORTH * document.draft_seconds && !pinned) await this.make(document, document.draft_seconds, turn);
      if (turn === this.turn) await this.make(document, null, turn);
    } catch (error) {
      if (turn === this.turn) this.onProblem(error);
    } finally {
      if (turn === this.turn) this.onProgress({ doing: "", share: 0 });
    }
  }

  /** Leave it as it is; what was made so far stays on the stage. */
  async cancel(): Promise<void> {
    this.turn++;
    await this.stop();
  }

  private async make(document: SceneDocument, seconds: number | null, turn: number): Promise<void> {
    const { text, file, gallery } = document;
    this.onProgress({ doing: inWords("", seconds !== null), share: 0 });
    const started = await api.simulate({ text, file, gallery, seconds });
    if (turn !== this.turn) {
      await api.cancel(started.job);
      return;
    }
    this.job = started;
    const done = await jobs.finish(started, (job) => {
      if (turn === this.turn) this.onProgress({ doing: inWords(job.doing, seconds !== null), share: job.share });
    });
    this.job = null;
    if (turn === this.turn && done.take) this.onTake(done.take.take, done.take.draft);
  }

  private async stop(): Promise<void> {
    const job = this.job;
    this.job = null;
    this.onProgress({ doing: "", share: 0 });
    if (job) await api.cancel(job.job).catch(() => {}); // it may have ended by itself
  }
}

/** The present task, for users who wait. */
function inWords(doing: string, draft: boolean): string {
  if (!doing) return draft ? "Drafting" : "Simulating";
  return draft ? `Draft: ${doing}` : doing[0].toUpperCase() + doing.slice(1);
}
