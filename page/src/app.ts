// App: what the page knows and what it asks for. Screens draw it, and are told when it changes.

import { words } from "./messages";
import { Cancelled, Conflict, Gone, Refused, type Host, type Progress } from "./hosts/host";
import { PageHost } from "./hosts/page_host";
import { differences, readHash, wantedOf, writeHash, type Wanted } from "./url";
import type { Algorithm, Hello, State } from "./types";

export type Screen = "data" | "grow" | "prune" | "predict" | "compare";
export const SCREENS: Screen[] = ["data", "grow", "prune", "predict", "compare"];

const SESSION = "treewright-session";

export class App {
  hello!: Hello;
  state!: State;
  screen: Screen = "data";
  node = 0;
  root = 0;
  order = "best";
  busy: { words: string; progress: Progress | null; cancel: AbortController | null } | null = null;
  lost: "gone" | "other" | null = null;
  file: File | null = null; // kept to load it again when the server was started anew
  private listeners: (() => void)[] = [];
  private retry = 0;

  constructor(readonly host: Host, readonly say: (text: string, isError?: boolean) => void) {}

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
    if (this.host.kind === "page") writeHash(this);
  }

  get algorithms(): Algorithm[] {
    return this.hello.algorithms;
  }

  async start(): Promise<void> {
    const wanted = this.host.kind === "page" ? readHash() : null;
    this.hello = await this.host.hello(this.storage()?.getItem(SESSION) ?? null);
    this.take(this.hello.state);
    if (wanted !== null && !this.hello.known && wanted.data && this.state.data === null) await this.restore(wanted);
    else if (wanted?.log?.length && this.state.data !== null && this.state.tree === null && !this.hello.known) await this.restore({ ...wanted, data: undefined });
    if (wanted?.screen) this.screen = wanted.screen;
    else this.screen = this.state.tree === null ? "data" : this.state.data === null || !this.state.growing ? (this.host.kind === "page" ? "prune" : "grow") : "grow";
    if (this.host.kind === "static") this.screen = "grow";
    if (wanted?.node) this.node = wanted.node;
    if (!wanted?.screen && this.state.model !== null) {
      if (this.state.tree === null) this.screen = "compare"; // a forest or booster: its trees
      else if (this.state.data !== null) this.screen = "grow";
    }
    this.changed();
  }

  private storage(): Storage | null {
    try {
      return this.host.kind === "page" ? sessionStorage : null;
    } catch {
      return null;
    }
  }

  // A link, or a server that was started anew: load the table and do again what the log says.
  private async restore(wanted: Wanted): Promise<void> {
    try {
      if (wanted.data) {
        if (!this.hello.bundled.some((bundled) => bundled.name === wanted.data)) return;
        this.take(await this.host.call<State>("bundled", { session: this.state.session, name: wanted.data }));
      }
      if (this.state.data) {
        const { roles, kinds } = differences(this.state.data, wanted);
        if (Object.keys(roles).length || Object.keys(kinds).length) this.take(await this.host.call<State>("columns", { session: this.state.session, roles, kinds }));
      }
      if (wanted.algorithm && wanted.log) {
        this.take(await this.host.call<State>("start", { session: this.state.session, algorithm: wanted.algorithm, params: wanted.params ?? {} }));
        if (wanted.log.length) this.take(await this.host.call<State>("act", { session: this.state.session, action: "replay", log: wanted.log }));
        if (wanted.pruned) await this.pruneAgain(wanted.pruned);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private async pruneAgain(pruned: Record<string, unknown>): Promise<void> {
    const body = { session: this.state.session, ...pruned, folds: pruned.cv };
    const found = await this.host.call<{ state: State }>("confidence_factor" in pruned ? "confidence" : "choose", body);
    this.take(found.state);
  }

  take(state: State): void {
    this.state = state;
    this.storage()?.setItem(SESSION, state.session);
    const nodes = state.tree?.nodes;
    if (nodes && !nodes.some((node) => node.id === this.node)) this.node = nodes[0]?.id ?? 0;
    this.root = state.tree?.root ?? 0;
  }

  go(screen: Screen): void {
    this.screen = screen;
    this.changed();
  }

  choose(node: number): void {
    this.node = node;
    if (this.host.kind === "widget") this.notify("selected_node", node);
    this.changed();
  }

  notify(name: string, value: unknown): void {
    const model = (this.host as any).model;
    model?.set?.(name, value);
    model?.save_changes?.();
  }

  // Ask something that changes nothing.
  async ask<T>(name: string, body: Record<string, unknown> = {}): Promise<T | null> {
    const { session, revision } = this.state;
    try {
      return await this.host.call<T>(name, { session, revision, ...body });
    } catch (error) {
      const asItWas = session === this.state.session && revision === this.state.revision;
      if (asItWas || !(error instanceof Refused)) this.failed(error); // what is gone need not be answered
      return null;
    }
  }

  // Ask for a change of the session, as a job that tells its progress and can be cancelled.
  async work<T>(name: string, body: Record<string, unknown>, what: string): Promise<T | null> {
    if (this.busy) return null;
    const cancel = new AbortController();
    this.busy = { words: what, progress: null, cancel };
    const shown = window.setTimeout(() => this.changed(), 150);
    try {
      const watch = (progress: Progress) => {
        if (this.busy) this.busy.progress = progress;
        this.changed();
      };
      return await this.host.job<T>(name, { session: this.state.session, revision: this.state.revision, ...body }, watch, cancel.signal);
    } catch (error) {
      this.failed(error);
      return null;
    } finally {
      window.clearTimeout(shown);
      this.busy = null;
    }
  }

  // A change whose answer is the new state.
  async change(name: string, body: Record<string, unknown>, what: string, said?: (state: State) => string): Promise<boolean> {
    const state = await this.work<State>(name, body, what);
    if (state !== null) {
      this.take(state);
      if (said) this.say(said(state));
    }
    this.changed();
    return state !== null;
  }

  act(action: string, body: Record<string, unknown> = {}, said?: (state: State) => string): Promise<boolean> {
    return this.change("act", { action, root: this.root, ...body }, words.busy, said);
  }

  async upload(file: File): Promise<boolean> {
    if (file.size > this.hello.most_bytes) {
      this.say(`${file.name} is larger than the limit of this page. Start it with the file: treewright app ${file.name}`, true);
      return false;
    }
    this.busy = { words: `Reading ${file.name} …`, progress: null, cancel: null };
    this.changed();
    try {
      const state = await this.host.upload(file, this.state.session);
      this.file = file;
      this.node = 0;
      this.take(state);
      this.say(`${file.name} is loaded.`);
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    } finally {
      this.busy = null;
      this.changed();
    }
  }

  failed(error: unknown): void {
    if (error instanceof Cancelled) this.say(words.cancelled);
    else if (error instanceof Gone) this.lose(error.other ? "other" : "gone");
    else if (error instanceof Conflict) {
      this.say(error.message, true);
      void this.refresh();
    } else if (error instanceof Refused) this.say(error.message, true);
    else {
      this.say(`Something went wrong in the page: ${String(error)}`, true);
      console.warn(error);
    }
  }

  private async refresh(): Promise<void> {
    try {
      const hello = await this.host.hello(this.state.session);
      if (hello.known) this.take(hello.state);
      else await this.again(hello);
      this.changed();
    } catch (error) {
      this.failed(error);
    }
  }

  // --- when the server is gone

  private lose(why: "gone" | "other"): void {
    if (this.lost === why) return;
    this.lost = why;
    this.changed();
    window.clearInterval(this.retry);
    if (why === "gone") this.retry = window.setInterval(() => void this.reconnect(), 1500);
  }

  async reconnect(token?: string): Promise<void> {
    if (token && this.host instanceof PageHost) this.host.useToken(token);
    try {
      const hello = await this.host.hello(this.state.session);
      window.clearInterval(this.retry);
      this.lost = null;
      if (hello.known) this.take(hello.state);
      else await this.again(hello);
      this.say(words.back);
      this.changed();
    } catch (error) {
      if (error instanceof Gone && error.other) this.lose("other");
    }
  }

  // The server knows nothing of this tab: bring it to where the tab is.
  private async again(hello: Hello): Promise<void> {
    const old = this.state;
    this.hello = hello;
    this.take(hello.state);
    if (old.data && this.file && old.data.name === this.file.name && this.state.data?.name !== old.data.name) {
      this.take(await this.host.upload(this.file, this.state.session));
    }
    if (!old.data || (old.data.origin !== "bundled" && this.state.data?.name !== old.data.name)) return;
    await this.restore(wantedOf(old));
  }
}
