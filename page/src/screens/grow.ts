// Grow: the tree on one side, the chosen node on the other.

import type { App } from "../app";
import { h, replaceIn } from "../dom";
import { count, percent, plural } from "../format";
import { words } from "../messages";
import type { ScreenView } from "../shell";
import { TreeView } from "../tree/tree_view";
import type { Field, Tree } from "../types";
import { askForData, bringBack } from "./missing";
import { NodePanel } from "./node_panel";

export function growScreen(app: App): ScreenView {
  const element = h("section", { class: "screen-grow", "aria-labelledby": "tw-grow" });
  const title = h("h2", { id: "tw-grow", class: "hidden" }, app.host.kind === "static" ? "The tree" : "Grow a tree");
  const tools = h("div", { class: "grow-tools" });
  const facts = h("p", { class: "soft facts" });
  const body = h("div", { class: "split" });
  const panel = new NodePanel(app);
  const beside = h("div", { class: "beside" });
  let tree: TreeView | null = null;
  let other: TreeView | null = null;
  let besideOf = -1;
  let criterion = "";

  const showRoot = async (root: number) => {
    const found = await app.ask<App["state"]["tree"]>("nodes", { root });
    if (found) {
      app.state.tree = found;
      app.root = found.root;
      app.choose(found.root);
    }
  };

  const update = () => {
    const { state } = app;
    if (state.tree === null) {
      tree = null;
      replaceIn(element, title, state.data === null ? askForData(app) : [starter(app), h("div", { class: "starter" }, bringBack(app))]);
      return;
    }
    if (tree === null || criterion !== state.tree.measure) {
      criterion = state.tree.measure;
      tree = new TreeView({ label: "The tree", criterion, onChoose: (id) => app.choose(id), onRoot: (id) => void showRoot(id) });
      replaceIn(body, h("div", { class: "pane tree-pane" }, tools, facts, tree.element, beside), panel.element);
      replaceIn(element, title, body);
    }
    replaceIn(tools, toolbar(app, () => (besideOf = besideOf < 0 ? state.revision : -1)));
    const error = state.tree.error === null ? "" : state.tree.classes ? ` · training error ${percent(state.tree.error)}` : ` · training MSE ${state.tree.error.toPrecision(4)}`;
    facts.textContent = `${plural(state.tree.leaves, "leaf", "leaves")}, depth ${state.tree.depth}${error}${state.tree.total > state.tree.nodes.length ? ` · ${count(state.tree.nodes.length)} of ${count(state.tree.total)} nodes drawn` : ""}`;
    tree.show(state.tree, app.node);
    void panel.show(app.node);
    void drawBeside();
  };

  // The algorithm's own tree of the same rows.
  const drawBeside = async () => {
    if (besideOf < 0 || !app.state.growing) {
      replaceIn(beside);
      other = null;
      return;
    }
    const found = await app.ask<Tree & { error: number; title: string }>("beside");
    if (!found || besideOf < 0) return;
    if (other === null) {
      other = new TreeView({ label: "The algorithm's own tree", criterion });
      replaceIn(beside, h("h3", null, "The algorithm's own tree"), h("p", { class: "soft" }), other.element);
    }
    beside.querySelector("p")!.textContent = `${found.title}: ${plural(found.leaves, "leaf", "leaves")}, depth ${found.depth}${found.error === null ? "" : `, training error ${found.classes ? percent(found.error) : found.error.toPrecision(4)}`}`;
    other.show(found, null);
  };
  return { element, update };
}

function toolbar(app: App, toggleBeside: () => void): HTMLElement[] {
  const { state } = app;
  const tree = state.tree!;
  if (!state.growing) {
    if (app.host.kind === "static") return [];
    const again = state.data === null ? h("span", { class: "soft" }, "To grow it on, load its rows on the screen Data.") : h("button", { type: "button", class: "accent", "data-key": "grow-anew", onclick: () => void app.change("start", { algorithm: state.algorithm, params: state.params }, words.busy) }, "Grow it anew, by hand");
    return [h("div", { class: "row wrap" }, h("strong", null, state.title), again)];
  }
  const button = (text: string, key: string, hint: string, act: () => void, more: Record<string, any> = {}) => h("button", { type: "button", "data-key": key, title: hint, onclick: act, ...more }, text);
  const said = (s: App["state"]) => `${plural(s.tree!.leaves, "leaf", "leaves")} now.`;
  const order = h("select", { "aria-label": words.order, "data-key": "order", onchange: (event: Event) => (app.order = (event.target as HTMLSelectElement).value) }, Object.entries(words.orders).map(([value, text]) => h("option", { value, selected: value === app.order }, text)));
  const restart = h("details", { class: "menu left" }, h("summary", { "data-key": "settings" }, `${state.title} …`), h("div", { class: "menu-body" }, starter(app)));
  return [
    h("div", { class: "row wrap" },
      button(words.next, "next", "n", () => void app.act("next", { order: app.order }, said), { class: "accent" }),
      button(words.level, "level", "l", () => void app.act("grow", { levels: 1 }, said)),
      button(words.all, "all", "a", () => void app.act("grow", {}, said)),
      order,
      button(words.undo, "undo", "u", () => void app.act("undo", {}, said), { disabled: tree.undo === 0 }),
      button(words.redo, "redo", "r", () => void app.act("redo", {}, said), { disabled: tree.redo === 0 }),
      button("The algorithm’s tree beside", "beside", "compare with what the algorithm grows by itself", () => { toggleBeside(); app.changed(); }, { class: "quiet" }),
      restart,
      bringBack(app)),
  ];
}

// Choose an algorithm and its parameters, and start.
function starter(app: App): HTMLElement {
  const task = app.state.data?.task ?? "classification";
  const known = app.algorithms.filter((one) => one.single && one.tasks.includes(task));
  let chosen = known.find((one) => one.name === app.state.algorithm) ?? known[0];
  const fields = h("div", { class: "fields" });
  const values = new Map<string, unknown>(Object.entries(app.state.params));
  const draw = () => {
    replaceIn(fields, (chosen.fields[task] ?? []).map((field) => h("label", { class: "field" }, h("span", null, field.words), control(field, values))));
  };
  const pick = h("div", { class: "segments", role: "group", "aria-label": "Algorithm" });
  const drawPick = () => replaceIn(pick, known.map((one) => h("button", { type: "button", "aria-pressed": String(one === chosen), "data-key": `algorithm-${one.name}`, onclick: () => { chosen = one; values.clear(); drawPick(); draw(); } }, one.title)));
  drawPick();
  draw();
  const begin = () => {
    const params = Object.fromEntries([...values].filter(([name]) => chosen.fields[task].some((field) => field.name === name) || name in app.state.params));
    app.node = 0;
    void app.change("start", { algorithm: chosen.name, params }, words.busy, () => "One leaf with all rows.");
  };
  return h("div", { class: "starter" }, h("h3", null, "Which tree?"), pick, fields, h("button", { type: "button", class: "accent", "data-key": "start", onclick: begin }, "Start with all rows in one leaf"), h("p", { class: "soft" }, "Split it by hand, or let the algorithm go on, at any time."));
}

function control(field: Field, values: Map<string, unknown>): HTMLElement {
  const now = values.has(field.name) ? values.get(field.name) : field.default;
  const set = (value: unknown) => values.set(field.name, value);
  const key = `field-${field.name}`;
  if (field.kind === "flag") return h("input", { type: "checkbox", "data-key": key, checked: Boolean(now), onchange: (event: Event) => set((event.target as HTMLInputElement).checked) });
  if (field.kind === "choice") return h("select", { "data-key": key, onchange: (event: Event) => set((event.target as HTMLSelectElement).value) }, field.options.map((option) => h("option", { value: option, selected: option === now }, option)));
  return h("input", { type: "number", "data-key": key, min: 1, value: now === null || now === undefined ? "" : String(now), placeholder: field.default === null ? "no limit" : String(field.default), onchange: (event: Event) => {
    const text = (event.target as HTMLInputElement).value;
    set(text === "" ? field.default : Number(text));
  } });
}
