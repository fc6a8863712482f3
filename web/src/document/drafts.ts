/** Changes that are not saved yet, kept in this browser: they survive a reload, another view and a server that is gone. */

export interface Draft {
  readonly key: string; // of the scene's address: "file=my-fight.toml", "gallery=boxing", "new=3"
  readonly title: string;
  readonly text: string;
  readonly when: number; // milliseconds since 1970
}

const PREFIX = "randori.draft.";

export function keepDraft(draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + draft.key, JSON.stringify(draft));
  } catch {
    // the browser has no room, or keeps nothing: then there is no draft
  }
}

export function dropDraft(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

export function draftOf(key: string): Draft | null {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") as Draft | null;
    return found && typeof found.text === "string" ? { ...found, key } : null;
  } catch {
    return null;
  }
}

/** All of them, the newest first. */
export function drafts(): Draft[] {
  const keys = Array.from({ length: localStorage.length }, (_, number) => localStorage.key(number) ?? "").filter((key) => key.startsWith(PREFIX));
  return keys.map((key) => draftOf(key.slice(PREFIX.length))).filter((one): one is Draft => one !== null).sort((a, b) => b.when - a.when);
}

/** A key for a scene that is made from nothing. */
export function newKey(): string {
  const numbers = drafts().map((one) => Number(/^new=(\d+)$/.exec(one.key)?.[1] ?? 0));
  return `new=${Math.max(0, ...numbers) + 1}`;
}
