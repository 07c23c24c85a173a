// What a screen says when something is missing that it needs.

import type { App } from "../app";
import { h } from "../dom";
import { words } from "../messages";

export function askForData(app: App): HTMLElement {
  return h("div", { class: "empty" }, h("p", null, words.needData), h("button", { type: "button", class: "accent", onclick: () => app.go("data") }, words.goData));
}

// A tree with splits that another table or another start took the place of.
export function bringBack(app: App): HTMLElement | null {
  if (app.state.before === null) return null;
  return h("button", { type: "button", class: "small", "data-key": "bring-back", onclick: () => { app.node = 0; void app.change("bring_back", {}, words.busy, () => words.broughtBack).then((done) => done && app.go("grow")); } }, `${words.before} ${app.state.before}`);
}

export function askForTree(app: App): HTMLElement {
  const toGrow = app.state.data !== null;
  return h("div", { class: "empty" }, h("p", null, words.needTree), h("button", { type: "button", class: "accent", onclick: () => app.go(toGrow ? "grow" : "data") }, toGrow ? words.goGrow : words.goData));
}
