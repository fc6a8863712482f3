/** The first view: a fight that moves already, and all scenes that come with Randori, one click away. */

import { type Draft, draftOf, drafts, dropDraft, keepDraft } from "../document/drafts";
import { keepShelf, shelfOf } from "../document/shelves";
import { carryPicture, pictureOf } from "../document/thumbnails";
import type { Gallery, GalleryEntry, LiveEntry, SceneEntry, TakeEntry } from "../messages";
import { api, jobs } from "../page/api";
import { askName, confirmed } from "../page/dialogs";
import { button, fill, h } from "../page/dom";
import { acceptDrops, sendFiles } from "../library/dropped";
import { complain, tell } from "../page/toasts";
import { addressOf, type View } from "../page/view";
import { Stage } from "../stage/stage";
import { Player } from "../take/player";
import { goodDirection, TakeShow } from "../take/show";

const FIRST = "boxing"; // a scene that is easy to understand

export class GalleryView implements View {
  readonly element: HTMLElement;
  private readonly stageBox = h("div", { class: "stage" });
  /** Shown until a fight moves: on a first visit that takes a while. */
  private readonly poster = h("img", { class: "poster", src: api.picture(FIRST), alt: "" });
  private readonly cards = h("div", { class: "cards" });
  private readonly own = h("div", { class: "own" });
  private readonly live = h("div");
  private readonly start = h("a", { class: "button main", href: addressOf("scene", { gallery: FIRST }) }, "Open this fight");
  private readonly about = h("p", { class: "quiet" });
  private readonly stage: Stage;
  private readonly show: TakeShow;
  private readonly endJobs: () => void;
  private readonly known = new Map<string, { said: string; element: HTMLElement }>();
  private hero = "";
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private turning = true;

  constructor() {
    this.element = h("div", { class: "gallery" },
      h("section", { class: "hero", "aria-label": "A fight" }, this.stageBox, this.poster,
        h("div", { class: "over" }, h("h1", {}, "Fights that nobody choreographed"), this.about,
          h("div", { class: "row" }, this.start, h("a", { class: "button", href: addressOf("fight") }, "Make a fight from my recordings"),
            h("a", { class: "button", href: addressOf("scene", { new: "1" }) }, "New scene")))),
      this.own,
      h("div", { class: "section" }, h("h2", {}, "Scenes that come with Randori"), h("span", { class: "quiet small" }, "One click opens a scene; everything in it can be changed.")),
      this.cards, this.live);
    acceptDrops(this.element, (files) => {
      sendFiles(files);
      location.hash = addressOf("fight");
    });
    this.poster.addEventListener("error", () => this.poster.remove());
    this.stage = new Stage(this.stageBox, "randori.hero");
    this.stage.cameras.controls.enableZoom = false; // the wheel scrolls the page
    this.stage.cameras.controls.addEventListener("start", () => { this.turning = false; });
    this.stage.cameras.following = -1;
    this.show = new TakeShow(this.stage, new Player(), () => this.turn());
    this.endJobs = jobs.onChange((job) => {
      if (job.kind === "gallery" && job.state === "done") this.refreshSoon();
      if (job.kind === "gallery" && job.state === "running" && !this.hero) this.about.textContent = `Getting ${job.title} ready: ${job.doing || "starting"}${job.share > 0 ? `, ${Math.round(100 * job.share)} %` : ""}`;
    });
    void this.refresh();
    void this.showOwn();
  }

  close(): void {
    this.endJobs();
    clearTimeout(this.waiting);
    this.stage.dispose();
  }

  private turn(): void {
    if (!this.turning || !this.show.take) return;
    this.stage.cameras.controls.autoRotate = true;
    this.stage.cameras.controls.autoRotateSpeed = 0.35;
  }

  /** Many jobs that end at once are one reason to look again. */
  private refreshSoon(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { void this.refresh(); }, 200);
  }

  private async refresh(): Promise<void> {
    try {
      const gallery = await api.gallery();
      const entries = [...gallery.entries].sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST));
      fill(this.cards, entries.map((entry) => this.card(entry)));
      await this.showHero(gallery);
    } catch (error) {
      complain(error);
    }
  }

  /** A card is made again only when it shows something else: pictures do not flicker. */
  private card(entry: GalleryEntry): HTMLElement {
    const said = JSON.stringify(entry), known = this.known.get(entry.name);
    if (known?.said === said) return known.element;
    const element = card(entry);
    this.known.set(entry.name, { said, element });
    return element;
  }

  /** The fight at the top: boxing if it is ready, else any other that is. */
  private async showHero(gallery: Gallery): Promise<void> {
    const ready = gallery.entries.filter((entry) => entry.take);
    const entry = ready.find((one) => one.name === FIRST) ?? ready[0];
    if (!entry) {
      this.about.textContent ||= "Preparing a fight…";
      return;
    }
    if (this.hero === entry.name) return;
    this.hero = entry.name;
    this.start.href = addressOf("scene", { gallery: entry.name });
    this.about.textContent = entry.description;
    const take = await api.take(entry.take);
    this.show.load(take);
    this.stage.showNames(false);
    this.stage.cameras.look(this.stage.cameras.framing(this.stage.bounds(), goodDirection(take)));
    this.show.player.play();
    this.poster.remove();
  }

  /** Scenes and takes of the project, and what is played live. */
  private async showOwn(): Promise<void> {
    try {
      const [{ scenes, project }, { sessions }, { takes, skipped }] = await Promise.all([api.scenes(), api.live(), api.takes()]);
      const apart = drafts().filter((draft) => !scenes.some((scene) => `file=${scene.file}` === draft.key));
      fill(this.own,
        scenes.length || apart.length ? [h("div", { class: "section" }, h("h2", {}, `Your scenes in ${project}`)),
          h("div", { class: "cards" }, apart.map((draft) => this.draftCard(draft)), scenes.map((scene) => this.ownCard(scene)))] : [],
        takes.length ? [h("div", { class: "section" }, h("h2", {}, "Your takes")), h("div", { class: "cards" }, takes.map((take) => this.takeCard(take)))] : [],
        skipped.map((problem) => h("div", { class: "problem small" }, `takes/${problem.file}: ${problem.message}`)));
      fill(this.live,
        h("div", { class: "section" }, h("h2", {}, "Live"), h("span", { class: "quiet small" }, "They go on without end, and answer.")),
        [...new Set(sessions.map((entry) => entry.group))].flatMap((group) => [
          h("h3", { class: "section" }, group),
          h("div", { class: "cards low" }, sessions.filter((entry) => entry.group === group).map(liveCard))]));
    } catch (error) {
      complain(error);
    }
  }

  private ownCard(entry: SceneEntry): HTMLElement {
    const key = `file=${entry.file}`, draft = draftOf(key);
    const shown = entry.problem ? brokenCard(entry) : pictureCard(addressOf("scene", { file: entry.file }), pictureOf(key), entry.title,
      draft ? `${entry.file} · changes not saved` : entry.file);
    return h("div", { class: "owned", "data-own": entry.file }, shown, h("div", { class: "row tools-row" },
      button("Rename", () => { void this.rename(entry); }, { class: "plain small" }),
      button("Duplicate", () => { void this.duplicate(entry); }, { class: "plain small" }),
      button("Delete", () => { void this.delete(entry); }, { class: "plain small" })));
  }

  private draftCard(draft: Draft): HTMLElement {
    return h("div", { class: "owned", "data-draft": draft.key },
      pictureCard(`#/scene?${draft.key}`, pictureOf(draft.key), draft.title, "not saved yet"),
      h("div", { class: "row tools-row" }, button("Discard", () => {
        dropDraft(draft.key);
        tell(`${draft.title} was discarded.`, { title: "Undo", do: () => { keepDraft(draft); void this.showOwn(); } });
        void this.showOwn();
      }, { class: "plain small" })));
  }

  private takeCard(entry: TakeEntry): HTMLElement {
    return h("div", { class: "owned" }, pictureCard(addressOf("scene", { take: entry.take }), "", entry.title, `${entry.file} · ${entry.seconds.toFixed(1)} s`),
      h("div", { class: "row tools-row" }, button("Delete", () => {
        void confirmed("Delete the take?", `${entry.file} is deleted from the project's folder.`, "Delete").then(async (yes) => {
          if (!yes) return;
          await api.deleteTake(entry.take);
          await this.showOwn();
        }).catch(complain);
      }, { class: "plain small" })));
  }

  /** The picture and the shelf of a scene go along with it. */
  private carry(from: string, to: string): void {
    carryPicture(`file=${from}`, `file=${to}`);
    keepShelf(`file=${to}`, shelfOf(`file=${from}`));
  }

  private async rename(entry: SceneEntry): Promise<void> {
    const asked = await askName("Rename the scene", entry.file, "The name of its file.", "Rename");
    if (!asked || asked === entry.file) return;
    try {
      const to = asked.endsWith(".toml") ? asked : `${asked}.toml`;
      await api.rename({ file: entry.file, to });
      const draft = draftOf(`file=${entry.file}`);
      if (draft) keepDraft({ ...draft, key: `file=${to}` });
      dropDraft(`file=${entry.file}`);
      this.carry(entry.file, to);
      await this.showOwn();
    } catch (error) {
      complain(error);
    }
  }

  private async duplicate(entry: SceneEntry): Promise<void> {
    const asked = await askName("Duplicate the scene", entry.file.replace(/\.toml$/, "-2.toml"), "The name of the new file.", "Duplicate");
    if (!asked) return;
    try {
      const { text } = await api.open({ file: entry.file });
      const to = asked.endsWith(".toml") ? asked : `${asked}.toml`;
      await api.save({ text, file: to });
      this.carry(entry.file, to);
      await this.showOwn();
    } catch (error) {
      complain(error);
    }
  }

  /** Deleted at once; its text is kept here as long as it can be brought back. */
  private async delete(entry: SceneEntry): Promise<void> {
    try {
      const { text } = await api.open({ file: entry.file });
      await api.deleteScene({ file: entry.file });
      tell(`${entry.file} was deleted.`, { title: "Undo", do: () => { api.save({ text, file: entry.file }).then(() => this.showOwn()).catch(complain); } });
      await this.showOwn();
    } catch (error) {
      complain(error);
    }
  }
}

function pictureCard(href: string, picture: string, title: string, below: string): HTMLElement {
  return h("a", { class: "card", href },
    picture ? h("img", { class: "picture", src: picture, alt: "" }) : h("div", { class: "picture" }, "no picture yet"),
    h("div", { class: "body" }, h("h2", {}, title), h("p", { class: "quiet small" }, below)));
}

function card(entry: GalleryEntry): HTMLElement {
  if (entry.problem) return brokenCard(entry);
  const href = entry.live ? addressOf("live", { session: entry.live }) : addressOf("scene", { gallery: entry.name });
  const picture = entry.picture
    ? h("img", { class: "picture", src: api.picture(entry.name), alt: "", loading: "lazy" })
    : h("div", { class: "picture" }, entry.live ? "live" : "its picture is being made");
  const people = `${entry.characters} ${entry.characters === 1 ? "character" : "characters"}`;
  return h("a", { class: "card", href, "data-scene": entry.name }, picture,
    h("div", { class: "body" }, h("h2", {}, entry.title), h("p", { class: "quiet small" }, entry.description),
      h("div", { class: "facts" }, h("span", {}, people),
        entry.live ? h("span", {}, "live") : h("span", {}, `${entry.seconds.toFixed(0)} s`),
        entry.take ? h("span", { class: "badge" }, "ready") : null)));
}

/** A scene with a mistake: it opens all the same, with its text and the mistake beside it. */
function brokenCard(entry: { name?: string; file?: string; title: string; problem?: string }): HTMLElement {
  const href = addressOf("scene", entry.file ? { file: entry.file } : { gallery: entry.name ?? "" });
  return h("a", { class: "card broken", href, "data-scene": entry.name },
    h("div", { class: "body" }, h("h2", {}, entry.title), h("p", { class: "small" }, "Cannot be read: ", entry.problem ?? "")));
}

function liveCard(entry: LiveEntry): HTMLElement {
  return h("a", { class: "card", href: addressOf("live", { session: entry.name }) },
    h("div", { class: "body" }, h("h2", {}, entry.title), h("p", { class: "quiet small" }, entry.description),
      entry.ready ? null : h("div", { class: "facts" }, h("span", { class: "badge wait" }, "prepares first"))));
}
