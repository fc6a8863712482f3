/** Quality of the take, and handing it over: files for other tools, a film, a still. */

import type { Credit, ExportedFile, Quality, TakeHeader } from "../messages";
import { api, jobs } from "../page/api";
import { button, bytes, fill, h } from "../page/dom";
import { complain, tell } from "../page/toasts";

const FORMATS: Record<string, [string, string]> = {
  glb: ["GLB", "skinned people for engines and Blender"],
  bvh: ["BVH", "one recording per character"],
  usd: ["USD", "for film pipelines"],
  mp4: ["MP4", "a film"],
  png: ["PNG", "a sheet of moments"],
  npz: ["NPZ", "Randori's own take file"],
};

export class Handover {
  readonly element = h("div");
  private header: TakeHeader | null = null;
  private stale = false;
  private readonly results = h("div", { class: "column" });
  private readonly strict = h("input", { type: "checkbox" });
  private readonly commercial = h("input", { type: "checkbox" });

  /** Show the moment that a line of the report is about. */
  onJump: (tick: number, who: number) => void = () => {};
  /** Make a film of the stage as it is seen; gives the frames, and says how far it is. */
  film: ((progress: (share: number) => void, signal: AbortSignal) => Promise<{ frames: Blob; fps: number } | null>) | null = null;

  constructor(private readonly formats: readonly string[], private readonly still: () => Promise<Blob | null>) {
    this.draw();
  }

  setTake(header: TakeHeader): void {
    this.header = header;
    fill(this.results);
    this.draw();
  }

  /** A take of other settings than those on the page is not handed over. */
  setStale(stale: boolean): void {
    if (stale === this.stale) return;
    this.stale = stale;
    this.draw();
  }

  private draw(): void {
    const header = this.header;
    if (!header) {
      fill(this.element, h("div", { class: "empty" }, "There is nothing to hand over yet."));
      return;
    }
    const name = h("input", { type: "text", value: slug(header.title), "aria-label": "Name of the file", style: "flex: 1", maxLength: 80 });
    const one = (format: string): HTMLElement => {
      const [title, help] = FORMATS[format] ?? [format.toUpperCase(), ""];
      return h("div", { class: "row" },
        button(title, () => { void this.export(format, name.value); }, { style: "width: 64px", "data-format": format, disabled: this.stale }),
        h("span", { class: "small quiet" }, help));
    };
    fill(this.element,
      this.stale ? h("div", { class: "problem" }, "This take was made before your last change. It can be handed over again once the new one is there, or after Undo.") : null,
      header.draft ? h("div", { class: "problem" }, "This is a draft of the first seconds; the whole take is still being made.") : null,
      h("h3", { style: "margin-bottom: 8px" }, "Hand over"),
      h("div", { class: "row", style: "margin-bottom: 8px" }, h("span", { class: "small quiet" }, "Name"), name),
      h("label", { class: "row small" }, this.strict, "only if every limit of quality is kept"),
      h("label", { class: "row small", style: "margin-bottom: 8px" }, this.commercial, "only if all sources may be sold"),
      h("div", { class: "column", style: "gap: 6px" }, this.formats.map(one),
        h("div", { class: "row" }, button("Still", () => { void this.takeStill(name.value); }, { style: "width: 64px" }),
          h("span", { class: "small quiet" }, "the stage as you see it")),
        this.film ? h("div", { class: "row" }, button("Film", () => { void this.takeFilm(name.value); }, { style: "width: 64px", "data-format": "film", disabled: this.stale }),
          h("span", { class: "small quiet" }, "MP4 from the stage's camera, with its cuts, from In to Out")) : null),
      h("div", { style: "margin-top: 10px" }, this.results),
      h("h3", { style: "margin: 18px 0 8px" }, "Quality"),
      header.quality ? qualityList(header.quality, this.onJump) : h("p", { class: "quiet small" }, "Not measured."),
      h("h3", { style: "margin: 18px 0 8px" }, "Sources"), credits(header.credits),
      h("dl", { class: "figures", style: "margin-top: 14px" }, h("dt", {}, "Scene"), h("dd", {}, header.scene), h("dt", {}, "Seed"), h("dd", {}, String(header.seed))));
  }

  private async export(format: string, name: string): Promise<void> {
    const header = this.header;
    if (!header) return;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Writing" });
    const row = h("div", { class: "row small" }, `${slug(name)}.${format}`, bar);
    this.results.prepend(row);
    try {
      const done = await jobs.finish(await api.export({
        take: header.take, format: format as "glb", name: slug(name),
        require: this.strict.checked ? ["all"] : [], commercial: this.commercial.checked,
      }), (job) => { bar.value = job.share; });
      if (done.exported) row.replaceWith(files(done.exported.files));
      else row.remove();
    } catch (error) {
      row.remove();
      complain(error);
    }
  }

  private async takeFilm(name: string): Promise<void> {
    const stop = new AbortController(), bar = h("progress", { max: 1, value: 0, "aria-label": "Filming" });
    const words = h("span", {}, "Drawing the frames"), row = h("div", { class: "row small" }, words, bar, button("Stop", () => stop.abort(), { class: "small" }));
    this.results.prepend(row);
    try {
      const made = await this.film!((share) => { bar.value = share; }, stop.signal);
      if (!made) return row.remove();
      words.textContent = "Writing the film";
      bar.removeAttribute("value");
      row.replaceWith(files([await api.film(`${slug(name)}-stage`, made.fps, made.frames)]));
    } catch (error) {
      row.remove();
      complain(error);
    }
  }

  private async takeStill(name: string): Promise<void> {
    const blob = await this.still();
    if (!blob) return;
    const link = h("a", { href: URL.createObjectURL(blob), download: `${slug(name)}-still.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    tell("The still is among your downloads.");
  }
}

/** The report; a line that is about a moment goes there. */
function qualityList(quality: Quality, jump: (tick: number, who: number) => void): HTMLElement {
  return h("ul", { class: "checks" }, quality.sentences.map(({ fine, text, tick, who }) => h("li", { class: fine ? "" : "bad", "data-line": text.split(":")[0] },
    tick < 0 ? text : h("button", { type: "button", class: "plain line", title: "Show the worst moment", onclick: () => jump(tick, who) }, text))));
}

function files(exported: readonly ExportedFile[]): HTMLElement {
  return h("div", { class: "column", style: "gap: 4px", "data-exported": "" }, exported.map((file) => h("div", { class: "row small" },
    h("a", { class: "button", href: api.file(file.path), download: file.name }, `Download ${file.name}`), h("span", { class: "quiet" }, bytes(file.size)))));
}

function credits(rows: readonly Credit[]): HTMLElement {
  if (rows.length === 0) return h("p", { class: "quiet small" }, "None.");
  return h("div", { class: "column small", style: "gap: 4px" }, rows.map((row) =>
    h("div", {}, row.recording, h("span", { class: "quiet" }, [row.licence, row.credit].filter(Boolean).map((word) => ` · ${word}`).join("")))));
}

/** A name that every file system takes. */
export function slug(title: string): string {
  return title.trim().replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "").toLowerCase() || "take";
}
