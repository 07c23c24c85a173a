// What a screen says when something is missing that it needs.

import type { App } from "../app";
import { h } from "../dom";
import { words } from "../messages";

export function askForData(app: App): HTMLElement {
  return h("div", { class: "empty" }, h("p", null, words.needData), h("button", { type: "button", class: "accent", onclick: () => app.go("data") }, words.goData));
}

export function askForTree(app: App): HTMLElement {
  const toGrow = app.state.data !== null;
  return h("div", { class: "empty" }, h("p", null, words.needTree), h("button", { type: "button", class: "accent", onclick: () => app.go(toGrow ? "grow" : "data") }, toGrow ? words.goGrow : words.goData));
}
