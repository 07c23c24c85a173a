// The state in the address, behind the #: the screen, the node, and the log that rebuilds the tree.

import { SCREENS, type App, type Screen } from "./app";
import type { Data, State } from "./types";

const MOST_LETTERS = 4000;

export interface Wanted {
  screen?: Screen;
  node?: number;
  data?: string;
  roles?: Record<string, string>; // of columns that are no inputs
  kinds?: Record<string, string>; // that were chosen
  algorithm?: string;
  params?: Record<string, unknown>;
  log?: string[];
  pruned?: Record<string, unknown> | null;
}

// What brings a server that knows nothing to where this state is.
export function wantedOf(state: State): Wanted {
  const columns = state.data?.columns ?? [];
  const wanted: Wanted = {
    data: state.data?.origin === "bundled" ? state.data.name : undefined,
    roles: Object.fromEntries(columns.filter((column) => column.role !== "input").map((column) => [column.name, column.role])),
    kinds: Object.fromEntries(columns.filter((column) => column.chosen).map((column) => [column.name, column.kind])),
  };
  if (!state.growing || !state.tree) return wanted;
  return { ...wanted, algorithm: state.algorithm, params: state.params, log: state.tree.log, pruned: state.pruned };
}

// The roles and kinds of columns that are not as they are wanted.
export function differences(data: Data, wanted: Wanted): { roles: Record<string, string>; kinds: Record<string, string> } {
  const roles: Record<string, string> = {};
  const kinds: Record<string, string> = {};
  for (const { name, role, kind } of data.columns) {
    const own = wanted.roles ? (wanted.roles[name] ?? "input") : role;
    if (own !== role) roles[name] = own;
    if (wanted.kinds?.[name] && wanted.kinds[name] !== kind) kinds[name] = wanted.kinds[name];
  }
  return { roles, kinds };
}

function parsed<T>(text: string | null): T | undefined {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // a link that was cut off
  }
}

export function readHash(): Wanted {
  const given = new URLSearchParams(location.hash.slice(1));
  const screen = given.get("screen") as Screen | null;
  const wanted: Wanted = {
    screen: screen && SCREENS.includes(screen) ? screen : undefined,
    node: Number(given.get("node")) || 0,
    data: given.get("data") ?? undefined,
    roles: parsed(given.get("roles")),
    kinds: parsed(given.get("kinds")),
    algorithm: given.get("algorithm") ?? undefined,
    params: parsed(given.get("params")),
    log: parsed(given.get("log")) ?? [],
    pruned: parsed(given.get("pruned")),
  };
  return wanted;
}

export function writeHash(app: App): void {
  const { state } = app;
  const found = new URLSearchParams({ screen: app.screen });
  if (app.node) found.set("node", String(app.node));
  for (const [name, value] of Object.entries(wantedOf(state))) {
    if (value === undefined || value === null) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text !== "{}" && text.length < MOST_LETTERS) found.set(name, text);
  }
  const hash = `#${found}`;
  if (hash === location.hash) return;
  // Another screen is a step that Back returns from; everything else changes the step.
  const before = new URLSearchParams(location.hash.slice(1)).get("screen");
  if (before !== null && before !== app.screen) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
