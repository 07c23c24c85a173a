// The state in the address, behind the #: the screen, the node, and the log that rebuilds the tree.

import { SCREENS, type App, type Screen } from "./app";

const MOST_LETTERS = 4000;

export interface Wanted {
  screen?: Screen;
  node?: number;
  data?: string;
  target?: string;
  algorithm?: string;
  params?: Record<string, unknown>;
  log?: string[];
}

export function readHash(): Wanted {
  const given = new URLSearchParams(location.hash.slice(1));
  const screen = given.get("screen") as Screen | null;
  const wanted: Wanted = {
    screen: screen && SCREENS.includes(screen) ? screen : undefined,
    node: Number(given.get("node")) || 0,
    data: given.get("data") ?? undefined,
    target: given.get("target") ?? undefined,
    algorithm: given.get("algorithm") ?? undefined,
  };
  try {
    wanted.params = JSON.parse(given.get("params") ?? "{}");
    wanted.log = JSON.parse(given.get("log") ?? "[]");
  } catch {
    wanted.log = []; // a link that was cut off
  }
  return wanted;
}

export function writeHash(app: App): void {
  const { state } = app;
  const found = new URLSearchParams({ screen: app.screen });
  if (app.node) found.set("node", String(app.node));
  if (state.data?.origin === "bundled") found.set("data", state.data.name);
  if (state.data?.target) found.set("target", state.data.target);
  if (state.growing && state.tree) {
    found.set("algorithm", state.algorithm);
    if (Object.keys(state.params).length) found.set("params", JSON.stringify(state.params));
    const log = JSON.stringify(state.tree.log);
    if (log.length < MOST_LETTERS) found.set("log", log);
  }
  const hash = `#${found}`;
  if (hash === location.hash) return;
  // Another screen is a step that Back returns from; everything else changes the step.
  const before = new URLSearchParams(location.hash.slice(1)).get("screen");
  if (before !== null && before !== app.screen) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
