// Compare: algorithms side by side on the same folds; forests and boosters tree by tree.

import type { App } from "../app";
import { lineChart } from "../chart/line_chart";
import { h, replaceIn } from "../dom";
import { count, number } from "../format";
import { words } from "../messages";
import type { ScreenView } from "../shell";
import { TreeView } from "../tree/tree_view";
import type { Tree } from "../types";
import { askForData } from "./missing";

interface Result {
  name: string;
  title: string;
  scores: Record<string, { mean: number; se: number }>;
  fit_seconds: number;
}

interface Ensemble {
  name: string;
  title: string;
  trees: number;
  warning: string;
  curve: { x: number[]; y: number[]; words: string } | null;
}

export function compareScreen(app: App): ScreenView {
  const element = h("section", { class: "screen-compare", "aria-labelledby": "tw-compare" });
  const title = h("h2", { id: "tw-compare", class: "hidden" }, "Compare algorithms");
  const choice = h("div", { class: "pane" });
  const table = h("div");
  const looked = h("div");
  const chosen = new Set(["id3", "c45", "cart", "random_forest"]);
  let folds = 5;
  let shown = "";
  let results: { results: Result[]; first: string; folds: number; command: string[] } | null = null;
  let ensemble: Ensemble | null = null;
  let view: TreeView | null = null;
  let number_ = 0;

  const update = () => {
    const { data } = app.state;
    const given = app.state.model !== null && app.state.tree === null;
    if (data === null || data.target === null) {
      if (shown === `given/${app.state.session}`) return;
      shown = given ? `given/${app.state.session}` : "";
      replaceIn(element, title, given ? looked : null, askForData(app));
      if (given) void lookAtGiven();
      return;
    }
    const key = `${data.name}/${data.target}/${data.columns.map((column) => column.kind + column.role).join()}`;
    if (key === shown) return;
    shown = key;
    results = null;
    ensemble = null;
    drawChoice();
    drawResults();
    replaceIn(looked);
    replaceIn(element, title, given ? looked : null, choice, table, given ? null : looked);
    if (given) void lookAtGiven();
  };

  // The page was opened with a forest or booster.
  const lookAtGiven = async () => {
    const found = await app.ask<Ensemble>("inside");
    if (found) await show(found);
  };

  const drawChoice = () => {
    const { task } = app.state.data!;
    const known = app.algorithms.filter((one) => one.tasks.includes(task));
    for (const name of [...chosen]) if (!known.some((one) => one.name === name)) chosen.delete(name);
    if (chosen.size === 0) known.slice(0, 3).forEach((one) => chosen.add(one.name));
    const boxes = known.map((one) => h("label", { class: "inline choice" }, h("input", { type: "checkbox", "data-key": `compare-${one.name}`, checked: chosen.has(one.name), onchange: (event: Event) => ((event.target as HTMLInputElement).checked ? chosen.add(one.name) : chosen.delete(one.name)) }), ` ${one.title}`));
    const field = h("input", { type: "number", min: 2, max: 50, value: folds, "data-key": "compare-folds", "aria-label": "Folds", onchange: () => (folds = Number(field.value) || 5) });
    replaceIn(choice, h("h3", null, "Algorithms on the same folds"), h("fieldset", { class: "choices" }, h("legend", { class: "hidden" }, "Algorithms"), boxes), h("div", { class: "row wrap" }, h("button", { type: "button", class: "accent", "data-key": "compare", onclick: () => void compare() }, "Compare"), h("label", { class: "inline" }, field, " folds"), h("span", { class: "soft" }, "with the default parameters of each")));
  };

  const compare = async () => {
    const found = await app.work<typeof results>("compare", { algorithms: [...chosen], folds }, "Cross-validating");
    if (found) {
      results = found;
      app.say(`${found.results[0].title} is first.`);
    }
    app.changed();
    drawResults();
  };

  const drawResults = () => {
    if (!results) {
      replaceIn(table);
      return;
    }
    const found = results;
    const names = Object.keys(found.results[0].scores);
    const means = found.results.map((one) => one.scores[found.first].mean);
    const most = Math.max(...means, 1e-300);
    const rows = found.results.map((one, i) => h("tr", { class: i === 0 ? "best" : "" },
      h("th", { scope: "row" }, one.title),
      names.map((name) => h("td", { class: "num" }, one.scores[name] ? `${number(one.scores[name].mean)} ± ${number(one.scores[name].se)}` : "–")),
      h("td", { class: "score" }, h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${Math.max(0, (100 * means[i]) / most).toFixed(1)}%` } }))),
      h("td", { class: "num" }, one.fit_seconds < 0.001 ? "< 0.001" : one.fit_seconds.toFixed(3)),
      h("td", null, app.algorithms.find((known) => known.name === one.name)?.single ? h("button", { type: "button", class: "small", "data-key": `grow-${one.name}`, "aria-label": `Grow with ${one.title}`, onclick: () => { app.node = 0; void app.change("start", { algorithm: one.name, params: {} }, words.busy).then(() => app.go("grow")); } }, "Grow it") : h("button", { type: "button", class: "small", "data-key": `look-${one.name}`, "aria-label": `Look into ${one.title}`, onclick: () => void look(one.name) }, "Look inside"))));
    replaceIn(table, h("div", { class: "pane" }, h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Scores" }, h("table", { class: "results" }, h("caption", null, `Mean ± standard error over ${found.folds} folds, ${found.first} first`), h("thead", null, h("tr", null, h("th", { scope: "col" }, "algorithm"), names.map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col" }, h("span", { class: "hidden" }, "bar")), h("th", { scope: "col" }, "seconds to fit"), h("th", { scope: "col" }, h("span", { class: "hidden" }, "look")))), h("tbody", null, rows))), h("pre", { tabindex: 0, role: "region", "aria-label": "This comparison on the command line" }, found.command.join("\n"))));
  };

  // --- inside a forest or booster

  const look = async (name: string) => {
    const found = await app.work<Ensemble>("ensemble", { algorithm: name }, words.busy);
    app.changed();
    if (!found) return;
    await show(found);
    looked.querySelector("h3")?.scrollIntoView({ block: "nearest" });
  };

  const show = async (found: Ensemble) => {
    ensemble = found;
    number_ = 0;
    view = new TreeView({ label: `One tree of ${found.title}`, criterion: app.state.data?.task === "regression" ? "squared_error" : "gini" });
    drawEnsemble();
    await showTree(0);
  };

  const drawEnsemble = () => {
    const found = ensemble!;
    const field = h("input", { type: "number", min: 0, max: found.trees - 1, value: number_, "data-key": "tree-number", "aria-label": `Tree, from 0 to ${found.trees - 1}`, onchange: () => void showTree(Number(field.value)) });
    replaceIn(looked, h("div", { class: "pane" }, h("h3", null, found.title), h("p", { class: "note" }, found.warning), found.curve ? lineChart(`curve-${found.name}`, `${found.curve.words} by number of trees`, found.curve.x, found.curve.y, "trees", found.curve.words) : null,
      h("div", { class: "row wrap" }, h("button", { type: "button", class: "small", "data-key": "tree-back", "aria-label": "Tree before", onclick: () => void showTree(number_ - 1) }, "◀"), h("label", { class: "inline" }, "tree ", field), h("button", { type: "button", class: "small", "data-key": "tree-on", "aria-label": "Tree after", onclick: () => void showTree(number_ + 1) }, "▶"), h("span", { class: "soft" }, `of ${count(found.trees)}`)), view!.element));
  };

  const showTree = async (wanted: number) => {
    if (!ensemble) return;
    number_ = Math.min(Math.max(0, Math.round(wanted) || 0), ensemble.trees - 1);
    const found = await app.ask<Tree>("member", { tree: number_ });
    if (!found) return;
    looked.querySelector<HTMLInputElement>("[data-key=tree-number]")!.value = String(number_);
    view!.show(found, null);
  };
  return { element, update };
}
