/** The takes of a scene that are on its shelf, kept in this browser: they are there again after a reload. */

export interface ShelvedTake {
  readonly seed: number;
  readonly take: string;
  readonly text: string; // of the scene that it was made of, without its seed
  readonly hits: number;
  readonly warnings: number; // lines of the quality report that should be looked at
  name: string;
  picture: string;
}

const PREFIX = "randori.shelf.";
const MOST = 24; // takes of a scene; the oldest go first

export function shelfOf(key: string): ShelvedTake[] {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + key) ?? "[]") as ShelvedTake[];
    return Array.isArray(found) ? found.filter((one) => typeof one?.take === "string" && typeof one.text === "string") : [];
  } catch {
    return [];
  }
}

/** Keep them, or as many as the browser has room for. */
export function keepShelf(key: string, takes: readonly ShelvedTake[]): void {
  for (let most = MOST; most > 0; most = Math.floor(most / 2)) {
    try {
      localStorage.setItem(PREFIX + key, JSON.stringify(takes.slice(-most)));
      return;
    } catch {
      // no room: fewer of them
    }
  }
}
