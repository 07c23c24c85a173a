// Our own server, asked with fetch. The token came behind the # of the address and goes out as a header.

import { Cancelled, Conflict, Gone, Refused, type Host, type Progress } from "./host";
import type { Hello } from "../types";

const KEY = "treewright-token";

export class PageHost implements Host {
  readonly kind = "page";
  private token: string;

  constructor() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
      sessionStorage.setItem(KEY, given);
      const rest = new URLSearchParams(location.hash.slice(1));
      rest.delete("token");
      history.replaceState(null, "", `#${rest.toString()}`);
    }
    this.token = given ?? sessionStorage.getItem(KEY) ?? "";
  }

  useToken(token: string): void {
    this.token = token;
    sessionStorage.setItem(KEY, token);
  }

  private async ask(path: string, options: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, { method: "POST", cache: "no-store", credentials: "omit", ...options, headers: { "x-treewright-token": this.token, ...options.headers } });
    } catch (error) {
      if (options.signal?.aborted) throw new Cancelled();
      throw new Gone(false);
    }
    if (response.status === 403) throw new Gone(true);
    if (!response.ok) {
      const said = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
      if (said.conflict) throw new Conflict(said.error);
      throw new Refused(said.error);
    }
    return response;
  }

  private async json<T>(path: string, body: unknown): Promise<T> {
    const response = await this.ask(path, { body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    return response.json();
  }

  hello(session: string | null): Promise<Hello> {
    return this.json("/api/hello", { session });
  }

  call<T>(name: string, body: Record<string, unknown>): Promise<T> {
    return this.json(`/api/call/${name}`, body);
  }

  async job<T>(name: string, body: Record<string, unknown>, watch: (progress: Progress) => void, signal: AbortSignal): Promise<T> {
    const { job } = await this.json<{ job: string }>(`/api/start/${name}`, body);
    const cancel = () => void this.ask(`/api/job/${job}`, { method: "DELETE" }).catch(() => undefined);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      const response = await this.ask(`/api/job/${job}/events`);
      for await (const [kind, data] of events(response.body!)) {
        if (kind === "progress") watch(JSON.parse(data));
        else if (kind === "done") return JSON.parse(data);
        else if (kind === "cancelled") throw new Cancelled();
        else if (kind === "failed") {
          const said = JSON.parse(data);
          throw said.conflict ? new Conflict(said.error) : new Refused(said.error);
        }
      }
      throw new Gone(false);
    } catch (error) {
      if (error instanceof TypeError) throw new Gone(false); // the stream broke off
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async upload(file: File, session: string): Promise<any> {
    const query = new URLSearchParams({ name: file.name, session });
    const response = await this.ask(`/api/upload?${query}`, { body: file, headers: { "content-type": "application/octet-stream" } });
    return response.json();
  }

  async download(form: string, session: string): Promise<{ name: string; body: Blob }> {
    const response = await this.ask("/api/download", { body: JSON.stringify({ form, session }), headers: { "content-type": "application/json" } });
    return { name: response.headers.get("x-filename") ?? `tree.${form}`, body: await response.blob() };
  }
}

async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<[string, string]> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const kind = lines.find((line) => line.startsWith("event: "))?.slice(7) ?? "";
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "null";
      yield [kind, data];
    }
  }
}
