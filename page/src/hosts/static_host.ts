// A file that holds its own answers: nothing can be changed, nothing is asked of anybody.

import { Refused, type Host } from "./host";
import type { Hello } from "../types";

export interface StaticData {
  hello: Hello;
  answers: Record<string, unknown>;
}

export class StaticHost implements Host {
  readonly kind = "static";

  constructor(private readonly data: StaticData) {}

  async hello(): Promise<Hello> {
    return this.data.hello;
  }

  // Answers are kept under the name of the call, or under name:node.
  async call<T>(name: string, body: Record<string, unknown>): Promise<T> {
    const keys = [`${name}:${body.node ?? body.root ?? ""}`, name];
    const found = keys.map((key) => this.data.answers[key]).find((value) => value !== undefined);
    if (found === undefined && name === "candidates") return null as T; // leaves, and nodes of few rows
    if (found === undefined) throw new Refused("This file shows the tree as it is. Open it in Treewright to go on.");
    return found as T;
  }

  job<T>(name: string, body: Record<string, unknown>): Promise<T> {
    return this.call(name, body);
  }

  upload(): Promise<any> {
    return Promise.reject(new Refused("This file cannot load a table."));
  }

  download(): Promise<{ name: string; body: Blob }> {
    return Promise.reject(new Refused("This file is the download."));
  }
}
