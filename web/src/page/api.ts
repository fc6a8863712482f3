/** Talking to the server. A refused request becomes a Refusal with the server's message. */

import type {
  CharacterFile, CharacterList, DeleteRecording, DeleteScene, Export, Gallery, Job, JobAnswer, Library, LibraryList, LiveList, MakeFight, OpenLibrary, OpenScene, PinOption, Problem, Recording, RenameScene, RepairRecording,
  SaveScene, SaveTake, SceneDocument, SceneList, SceneText, Simulate, EditScene, EditSegments, ExportedFile, Segments, Strip, TakeEntry, TakeList,
  Vocabulary, Why,
} from "../messages";
import { decodeTake, type Take } from "../take/buffer";

export const STARTED_ANEW = "The server was restarted; ask again.";

export class Refusal extends Error {
  constructor(readonly problem: Problem, readonly status: number) {
    super(inWords(problem));
  }
}

/** A problem in one sentence. */
export function inWords(problem: Problem): string {
  const key = problem.message.startsWith(problem.key) ? "" : problem.key; // it names its key itself
  const where = [problem.file, problem.line ? `line ${problem.line}` : "", key].filter(Boolean).join(", ");
  return where && !problem.message.includes(where) ? `${where}: ${problem.message}` : problem.message;
}

function problemOf(message: string): Problem {
  return { type: "problem", message, file: "", line: null, key: "" };
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(`/api/${path}`, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(problemOf("The studio does not answer. Start it again: this page goes on then."), 0);
  }
  if (answer.ok) return answer;
  let problem: Problem;
  try {
    problem = (await answer.json()) as Problem;
  } catch {
    problem = problemOf(`The server answered ${answer.status} ${answer.statusText}.`);
  }
  throw new Refusal(problem, answer.status);
}

async function get<T>(path: string): Promise<T> {
  return (await ask(path)).json() as Promise<T>;
}

async function post<T>(path: string, message: unknown): Promise<T> {
  const answer = await ask(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message ?? {}),
  });
  return answer.json() as Promise<T>;
}

async function take(path: string, signal?: AbortSignal): Promise<Take> {
  return decodeTake(await (await ask(path, { signal })).arrayBuffer());
}

const part = encodeURIComponent;

export const api = {
  gallery: () => get<Gallery>("gallery"),
  picture: (name: string) => `/api/gallery/${part(name)}/picture`,
  vocabulary: () => get<Vocabulary>("vocabulary"),
  scenes: () => get<SceneList>("scenes"),
  open: (message: Partial<OpenScene>) => post<SceneDocument>("scenes/open", message),
  check: (message: Partial<SceneText> & { text: string }) => post<SceneDocument>("scenes/check", message),
  edit: (message: Partial<EditScene>) => post<SceneDocument>("scenes/edit", message),
  pin: (message: Partial<PinOption>) => post<SceneDocument>("scenes/pin", message),
  save: (message: Partial<SaveScene>) => post<SceneDocument>("scenes/save", message),
  rename: (message: RenameScene) => post<SceneList>("scenes/rename", message),
  deleteScene: (message: DeleteScene) => post<SceneList>("scenes/delete", message),
  simulate: (message: Partial<Simulate>) => post<Job>("simulate", message),
  takes: () => get<TakeList>("takes"),
  take: (name: string, signal?: AbortSignal) => take(`takes/${part(name)}/buffer`, signal),
  saveTake: (name: string, message: Partial<SaveTake>) => post<TakeEntry>(`takes/${part(name)}/save`, message),
  deleteTake: (name: string) => post<TakeList>(`takes/${part(name)}/delete`, null),
  sceneOf: (name: string) => get<SceneDocument>(`takes/${part(name)}/scene`),
  why: (name: string, decision: number) => get<Why>(`takes/${part(name)}/decisions/${decision}`),
  weigh: (name: string, decision: number) => post<Job>(`takes/${part(name)}/decisions/${decision}/weigh`, null),
  ghost: (name: string, decision: number, action: number, signal?: AbortSignal) =>
    take(`takes/${part(name)}/decisions/${decision}/ghost?action=${action}`, signal),
  costume: async (name: string, number: number) => (await ask(`takes/${part(name)}/costumes/${number}`)).arrayBuffer(),
  characters: () => get<CharacterList>("characters"),
  uploadCharacter: async (file: File, overwrite = false): Promise<CharacterFile> =>
    (await ask(`characters/upload?name=${part(file.name)}${overwrite ? "&overwrite=1" : ""}`, { method: "POST", body: file })).json() as Promise<CharacterFile>,
  export: (message: Partial<Export>) => post<Job>("export", message),
  film: async (name: string, fps: number, frames: Blob): Promise<ExportedFile> =>
    (await ask(`films?name=${part(name)}&fps=${fps}`, { method: "POST", body: frames })).json() as Promise<ExportedFile>,
  file: (path: string) => `/api/files/${path.split("/").map(part).join("/")}`,
  library: () => get<LibraryList>("library"),
  upload: async (file: File, overwrite = false): Promise<Recording> =>
    (await ask(`library/upload?name=${part(file.name)}${overwrite ? "&overwrite=1" : ""}`, { method: "POST", body: file })).json() as Promise<Recording>,
  repair: (message: Partial<RepairRecording>) => post<LibraryList>("library/repair", message),
  deleteRecording: (message: Partial<DeleteRecording>) => post<LibraryList>("library/delete", message),
  makeFight: (message: Partial<MakeFight>) => post<SceneDocument>("library/fight", message),
  openLibrary: (message: Partial<OpenLibrary>) => post<Job>("library/open", message),
  libraryOf: (name: string) => get<Library>(`library/${part(name)}`),
  action: (library: string, number: number, signal?: AbortSignal) =>
    take(`library/${part(library)}/actions/${number}/buffer`, signal),
  graph: (library: string) => `/api/library/${part(library)}/graph`,
  strip: (library: string, recording: number) => get<Strip>(`library/${part(library)}/recordings/${recording}/strip`),
  editSegments: (message: EditSegments) => post<Segments>("library/segments", message),
  cancel: (job: string) => post<Job>(`jobs/${part(job)}/cancel`, null),
  live: () => get<LiveList>("live"),
};

export function socket(path: string): WebSocket {
  const made = new WebSocket(`ws://${location.host}/api/${path}`);
  made.binaryType = "arraybuffer";
  return made;
}

const REFUSED = 4403; // how the server closes a socket whose token is wrong

/** Work that takes long, followed over one socket that is opened again when it breaks. */
class Jobs {
  private readonly known = new Map<string, Job>();
  private readonly listeners = new Set<(job: Job) => void>();
  private readonly awaited = new Map<string, (job: Job) => void>();
  private open: WebSocket | null = null;
  private up = false;
  private readonly waiting: (() => void)[] = [];

  /** Called with every change of every job. Gives a function that ends it. */
  onChange(listener: (job: Job) => void): () => void {
    this.listeners.add(listener);
    this.connect();
    return () => this.listeners.delete(listener);
  }

  /** The finished job; `progress` gets the share that is done. */
  async finish(started: Job, progress: (job: Job) => void = () => {}): Promise<Job> {
    return new Promise((resolve, reject) => {
      const look = (job: Job): void => {
        if (job.job !== started.job) return;
        this.awaited.set(started.job, look);
        progress(job);
        if (job.state === "running" || job.state === "waiting") return;
        end();
        this.awaited.delete(started.job);
        if (job.state === "failed") reject(new Refusal(job.problem ?? problemOf("It failed."), 500));
        else resolve(job);
      };
      if (!this.known.has(started.job)) this.known.set(started.job, started);
      const end = this.onChange(look);
      look(this.known.get(started.job) ?? started); // it may have ended before the first question
    });
  }

  /** A job that a restarted server does not know will never be done. */
  private giveUpLost(known: readonly Job[]): void {
    const names = new Set(known.map((job) => job.job));
    for (const [name, look] of [...this.awaited]) {
      const last = this.known.get(name);
      if (!names.has(name) && last) look({ ...last, state: "failed", problem: problemOf(STARTED_ANEW) });
    }
  }

  /** Called with "" while the server answers, else with what is wrong. */
  onConnection: (problem: string) => void = () => {};

  /** Waits until the server is there. */
  connected(): Promise<void> {
    this.connect();
    return this.up ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }

  private connect(): void {
    if (this.open) return;
    const made = socket("jobs/follow");
    this.open = made;
    made.onmessage = (event) => {
      const message = JSON.parse(String(event.data)) as JobAnswer;
      if (!this.up) {
        this.up = true;
        this.onConnection("");
        for (const go of this.waiting.splice(0)) go();
      }
      const all = message.type === "jobs" ? message.jobs : [message];
      if (message.type === "jobs") this.giveUpLost(all);
      for (const job of all) {
        this.known.set(job.job, job);
        for (const listener of [...this.listeners]) listener(job);
      }
    };
    made.onclose = (event) => {
      this.open = null;
      this.up = false;
      this.onConnection(event.code === REFUSED ? "The studio was restarted: open the address that it has printed. Your changes are kept." : "The server does not answer. Your changes are kept; trying again…");
      if (this.listeners.size > 0) setTimeout(() => this.connect(), 1000);
    };
  }
}

export const jobs = new Jobs();
