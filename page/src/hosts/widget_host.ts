// A notebook: questions go to the kernel as messages of the widget, answers come back with their number.

import { Cancelled, Conflict, Refused, type Host, type Progress } from "./host";
import type { Hello } from "../types";

export interface WidgetModel {
  get(name: string): any;
  set(name: string, value: any): void;
  save_changes(): void;
  send(content: any, callbacks?: any, buffers?: any): void;
  on(event: string, callback: (...given: any[]) => void): void;
  off(event: string, callback?: (...given: any[]) => void): void;
}

export class WidgetHost implements Host {
  readonly kind = "widget";
  private number = 0;
  private waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void; watch?: (progress: Progress) => void }>();

  constructor(readonly model: WidgetModel) {
    model.on("msg:custom", (message: any) => {
      const asked = this.waiting.get(message?.number);
      if (!asked) return;
      if (message.kind === "progress") return asked.watch?.(message.value);
      this.waiting.delete(message.number);
      if (message.kind === "done") asked.resolve(message.value);
      else if (message.kind === "cancelled") asked.reject(new Cancelled());
      else asked.reject(message.conflict ? new Conflict(message.error) : new Refused(message.error));
    });
  }

  private ask<T>(content: Record<string, unknown>, watch?: (progress: Progress) => void): Promise<T> {
    this.number += 1;
    const number = this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject, watch });
      this.model.send({ number, ...content });
    });
  }

  hello(): Promise<Hello> {
    return this.ask({ kind: "hello" });
  }

  call<T>(name: string, body: Record<string, unknown>): Promise<T> {
    return this.ask({ kind: "call", name, body });
  }

  job<T>(name: string, body: Record<string, unknown>, watch: (progress: Progress) => void, signal: AbortSignal): Promise<T> {
    const promise = this.ask<T>({ kind: "job", name, body }, watch);
    const number = this.number;
    signal.addEventListener("abort", () => this.model.send({ kind: "cancel", number }));
    return promise;
  }

  upload(): Promise<any> {
    return Promise.reject(new Refused("In a notebook the rows come from Python: treewright.widget(est, X, y)."));
  }

  async download(form: string): Promise<{ name: string; body: Blob }> {
    const found = await this.ask<{ name: string; type: string; base64: string }>({ kind: "download", form });
    const raw = atob(found.base64);
    return { name: found.name, body: new Blob([Uint8Array.from(raw, (letter) => letter.charCodeAt(0))], { type: found.type }) };
  }
}
