/** The page: a header, and one view at a time. */

import "./style.css";
import type { Job } from "./messages";
import { api, jobs } from "./page/api";
import { button, fill, h, isTyping } from "./page/dom";
import { showShortcuts } from "./page/shortcuts";
import { themeButton } from "./page/theme";
import { clearToasts, complain, toastArea } from "./page/toasts";
import { type Address, addressOf, parseAddress, type View } from "./page/view";
import { FightView } from "./views/fight";
import { GalleryView } from "./views/gallery";
import { LibraryView } from "./views/library";
import { LiveView } from "./views/live";
import { SceneView } from "./views/scene";

const VIEWS: Record<string, (address: Address) => View> = {
  gallery: () => new GalleryView(),
  scene: ({ words }) => new SceneView(words),
  fight: () => new FightView(),
  library: ({ words }) => new LibraryView(words),
  live: ({ words }) => new LiveView(words),
};
const TABS = [["gallery", "Gallery"], ["scene", "Scene"], ["library", "Library"], ["live", "Live"]] as const;

const main = h("main");
const tabs = h("nav", { "aria-label": "Views" });
const work = h("div", { class: "work", "aria-live": "off" });
const connection = h("div", { class: "connection", role: "status", hidden: true });
let current: View | null = null;
let shown = "";
let lastScene = addressOf("scene", { gallery: "boxing" });

function open(): void {
  if (location.hash === "#/scene") location.replace(lastScene); // of no scene: the last one
  const address = parseAddress(location.hash);
  if (location.hash === shown && current) return;
  current?.close?.();
  clearToasts();
  shown = location.hash;
  if (address.view === "scene") lastScene = shown;
  current = (VIEWS[address.view] ?? VIEWS.gallery)(address);
  fill(main, current.element);
  drawTabs(address.view);
}

function drawTabs(shownView: string): void {
  fill(tabs, TABS.map(([view, title]) => h("a", {
    href: view === "scene" ? lastScene : addressOf(view),
    "aria-current": shownView === view ? "page" : undefined,
  }, title)));
}

/** Background tasks; a view shows its own simulation itself. */
function showWork(job: Job): void {
  if (job.kind === "simulate" || job.kind === "weigh" || job.kind === "shelf") return;
  if (job.state !== "running") { // what waits is shown when its turn comes
    if (work.dataset.job === job.job) fill(work);
    return;
  }
  work.dataset.job = job.job;
  fill(work, h("span", {}, job.kind === "gallery" ? `Getting ${job.title} ready` : job.title), h("progress", { value: job.share, max: 1, "aria-label": job.title }),
    button("Cancel", () => { api.cancel(job.job).catch(complain); }, { class: "plain small" }));
}

fill(document.querySelector("#app")!,
  h("header", { class: "top" },
    h("a", { class: "brand", href: "#/" }, h("img", { src: "./icon.svg", alt: "" }), "Randori"),
    tabs, h("span", { class: "spread" }), connection, work,
    button("?", showShortcuts, { class: "plain icon", title: "Keys (?)", "aria-label": "Keys" }), themeButton()),
  main);
document.body.append(toastArea());
jobs.onChange(showWork);
window.addEventListener("hashchange", open);
window.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return; // its keys are its own: Escape closes it
  if (event.key === "?" && !isTyping(event)) return showShortcuts();
  if (!event.defaultPrevented && (!isTyping(event) || event.ctrlKey || event.metaKey)) current?.key?.(event);
});
window.addEventListener("randori-address", () => {
  shown = lastScene = location.hash;
  drawTabs("scene");
});
jobs.onConnection = (problem) => {
  connection.hidden = problem === "";
  connection.textContent = problem;
};
window.addEventListener("unhandledrejection", (event) => complain(event.reason));
open();

// what the tests in a real browser look at
declare global {
  interface Window { randori: { readonly view: View | null } }
}
window.randori = { get view() { return current; } };
