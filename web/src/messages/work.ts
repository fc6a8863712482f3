// Made from src/randori/studio/messages/work.py by `python -m randori.studio.typescript`: edit that one.

/** Work that takes long: simulations, exports, libraries. */

import type { Problem } from "./base";
import type { Credit, Quality, TakeMade, Weighed } from "./takes";

export interface ExportedFile {
  path: string;
  name: string;
  size: number;
}

export interface Exported {
  files: ExportedFile[];
  quality: Quality;
  credits: Credit[];
}

export interface Job {
  type: "job";
  job: string;
  kind: "simulate" | "export" | "library" | "gallery" | "weigh" | "shelf";
  title: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  share: number;
  doing: string;
  take: TakeMade | null;
  exported: Exported | null;
  library: string;
  weighed: Weighed | null;
  problem: Problem | null;
}

export interface JobList {
  type: "jobs";
  jobs: Job[];
}

export interface Export {
  take: string;
  format: "glb" | "bvh" | "mp4" | "usd" | "png" | "npz";
  name?: string;
  width?: number;
  height?: number;
  require?: string[];
  commercial?: boolean;
  allow_licences?: string[];
}

export type JobAnswer = JobList | Job;
