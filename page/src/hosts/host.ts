// Where answers come from: our server, a notebook's kernel, or data that stand in the file itself.

import type { Hello } from "../types";

export interface Progress {
  done: number;
  total: number | null;
  words: string;
}

export interface Host {
  kind: "page" | "widget" | "static";
  hello(session: string | null): Promise<Hello>;
  call<T>(name: string, body: Record<string, unknown>): Promise<T>;
  job<T>(name: string, body: Record<string, unknown>, watch: (progress: Progress) => void, signal: AbortSignal): Promise<T>;
  upload(file: File, session: string): Promise<any>;
  download(form: string, session: string): Promise<{ name: string; body: Blob }>;
}

// A refusal with its sentence: the user can mend it.
export class Refused extends Error {}
// The session is another one than the tab believes.
export class Conflict extends Error {}
// Nobody answers, or somebody else does.
export class Gone extends Error {
  constructor(readonly other: boolean) {
    super(other ? "another server answers here" : "the server does not answer");
  }
}
export class Cancelled extends Error {}
