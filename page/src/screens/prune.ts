// Prune: walk the sequence of subtrees. The slider needs no server: one number per node says when it goes.

import type { App } from "../app";
import { pruneCurve, type PruneCurve } from "../chart/prune_curve";
import { plainTable } from "../chart/with_table";
import { h, replaceIn } from "../dom";
import { count, number, plural } from "../format";
import { words } from "../messages";
import type { ScreenView } from "../shell";
import { TreeView } from "../tree/tree_view";
import type { Pruning, Tree } from "../types";
import { askForTree } from "./missing";

export function pruneScreen(app: App): ScreenView {
  const element = h("section", { class: "screen-prune", "aria-labelledby": "tw-prune" });
  const title = h("h2", { id: "tw-prune", class: "hidden" }, "Prune the tree");
  const chart = h("div", { class: "pane" });
  const controls = h("div", { class: "pane prune-controls" });
  const picture = h("div", { class: "pane tree-pane" });
  let shown = "";
  let pruning: Pruning | null = null;
  let curve: PruneCurve | null = null;
  let tree: TreeView | null = null;
  let index = 0;
  let whole = true; // whether the picture is the tree as grown, and not one with another confidence factor
  let folds = 10;

  const update = async () => {
    const { state } = app;
    if (state.tree === null) {
      shown = "";
      replaceIn(element, title, askForTree(app));
      return;
    }
    const key = `${state.session}/${state.revision}`;
    if (key === shown) return;
    shown = key;
    take(await app.ask<Pruning>("pruning"));
  };

  const take = (found: Pruning | null) => {
    if (found === null) {
      shown = "";
      return;
    }
    pruning = found;
    const chosen = found.chosen ?? {};
    index = chosen.rule === "1se" ? (found.index_1se ?? 0) : chosen.rule === "min" ? (found.index_min ?? 0) : typeof chosen.alpha === "number" ? at(found, chosen.alpha) : 0;
    tree = new TreeView({ label: "The tree as grown; branches that pruning removes are pale", criterion: app.state.tree?.measure ?? "gini" });
    curve = pruneCurve(found, (place) => move(place));
    replaceIn(chart, curve.element);
    replaceIn(picture, tree.element);
    replaceIn(element, title, h("div", { class: "prune-top" }, chart, controls), picture);
    tree.show(found.tree, null);
    whole = true;
    drawControls();
    move(index);
    if (typeof chosen.confidence_factor === "number") void factorTo(chosen.confidence_factor);
  };
  let factorTo = async (_value: number): Promise<void> => undefined;

  const at = (found: Pruning, alpha: number) => {
    let place = 0;
    found.steps.forEach((step, i) => {
      if (step.alpha <= alpha * (1 + 1e-10)) place = i;
    });
    return place;
  };

  const facts = h("div", { class: "prune-facts" });
  const slider = h("input", { type: "range", min: 0, step: 1, class: "wide", "aria-label": "Size of the tree", "data-key": "prune-slider", oninput: () => move(Number(slider.value)) });
  const number_ = h("input", { type: "number", min: 1, "aria-label": "Most leaves", "data-key": "prune-leaves", onchange: () => {
    const wanted = Number(number_.value);
    const place = pruning!.steps.findIndex((step) => step.leaves <= wanted);
    move(place < 0 ? pruning!.steps.length - 1 : place);
  } });

  const move = (place: number) => {
    if (!pruning) return;
    index = Math.min(Math.max(place, 0), pruning.steps.length - 1);
    const step = pruning.steps[index];
    slider.value = String(index);
    const text = `${plural(step.leaves, "leaf", "leaves")}, alpha ${number(step.alpha)}${step.cv === null ? "" : `, CV error ${number(step.cv)} plus or minus ${number(step.se)}`}`;
    slider.setAttribute("aria-valuetext", text);
    number_.value = String(step.leaves);
    facts.replaceChildren(h("p", { class: "huge" }, plural(step.leaves, "leaf", "leaves")), h("p", null, `α ${number(step.alpha)} · training error ${number(step.train)}`), step.cv === null ? "" : h("p", null, `CV error ${number(step.cv)} ± ${number(step.se)}`));
    if (!whole) tree?.show(pruning.tree, null);
    whole = true;
    curve?.mark(index);
    tree?.fade(step.alpha);
    if (app.host.kind === "widget") app.notify("alpha", step.alpha);
  };

  const choose = async (body: Record<string, unknown>, said: string) => {
    const found = await app.work<{ state: App["state"]; leaves: number; tree: Tree }>("choose", body, words.busy);
    if (found) {
      app.take(found.state);
      app.say(`${said} The tree has ${plural(found.leaves, "leaf", "leaves")} now, for Predict and downloads.`);
      shown = "";
    }
    app.changed();
  };

  const drawControls = () => {
    const found = pruning!;
    slider.max = String(found.steps.length - 1);
    number_.max = String(found.steps[0].leaves);
    const readOnly = app.host.kind === "static";
    const jump = (text: string, place: number | null, rule: string) => (place === null ? null : h("button", { type: "button", "data-key": `rule-${rule}`, class: found.chosen?.rule === rule ? "accent" : "", onclick: () => { move(place); if (!readOnly) void choose({ rule, folds }, `${text} is chosen.`); } }, text));
    const foldsField = h("input", { type: "number", min: 2, max: 50, value: folds, "aria-label": "Folds", "data-key": "folds", onchange: () => (folds = Number(foldsField.value) || 10) });
    const validate = found.has_data && !readOnly ? h("div", { class: "row wrap" }, h("button", { type: "button", class: found.folds ? "" : "accent", "data-key": "validate", onclick: async () => { const next = await app.work<Pruning>("validate", { folds }, `Cross-validating with ${folds} folds …`); app.changed(); take(next); } }, found.folds ? "Cross-validate again" : "Cross-validate"), h("label", { class: "inline" }, foldsField, " folds")) : readOnly ? null : h("p", { class: "soft" }, "Cross-validation needs the rows: load them on the screen Data.");
    replaceIn(controls,
      facts,
      h("div", { class: "row" }, h("button", { type: "button", "data-key": "larger", "aria-label": "Larger tree", onclick: () => move(index - 1) }, "◀ larger"), slider, h("button", { type: "button", "data-key": "smaller", "aria-label": "Smaller tree", onclick: () => move(index + 1) }, "smaller ▶")),
      h("div", { class: "row wrap" }, h("label", { class: "inline" }, "at most ", number_, " leaves"), readOnly ? null : h("button", { type: "button", class: "accent", "data-key": "prune-here", onclick: () => void choose(index === 0 ? {} : { alpha: pruning!.steps[index].alpha }, "This size is chosen.") }, "Take this tree")),
      validate,
      h("div", { class: "row wrap" }, jump("1-SE tree", found.index_1se, "1se"), jump("lowest error", found.index_min, "min")),
      found.why ? h("p", { class: "why" }, found.why) : null,
      found.edited ? h("p", { class: "soft" }, "The tree was edited by hand; the trees of the folds are grown by the algorithm alone.") : null,
      found.n_steps > found.steps.length ? h("p", { class: "soft" }, `${count(found.steps.length)} of ${count(found.n_steps)} sizes are on the slider.`) : null,
      found.tree.total > found.tree.nodes.length ? h("p", { class: "soft" }, `${count(found.tree.nodes.length)} of ${count(found.tree.total)} nodes are drawn: those that stay longest.`) : null,
      confidence(found));
  };

  // C4.5: the confidence factor, with what each node would count before and after.
  const confidence = (found: Pruning): HTMLElement | null => {
    if (found.confidence === null) return null;
    const range = h("input", { type: "range", min: 0.01, max: 0.5, step: 0.01, value: found.confidence, "aria-label": "Confidence factor", "data-key": "confidence" });
    const field = h("input", { type: "number", min: 0.001, max: 0.5, step: 0.01, value: found.confidence, "aria-label": "Confidence factor as a number", "data-key": "confidence-field" });
    const table = h("div", null, nodeTable(found.nodes));
    let asked = 0;
    const ask = async (value: number) => {
      range.value = field.value = String(value);
      range.setAttribute("aria-valuetext", `confidence factor ${value}`);
      asked += 1;
      const own = asked;
      const answer = await app.ask<{ state: App["state"]; leaves: number; tree: Tree; nodes: Pruning["nodes"] }>("confidence", { confidence_factor: value });
      if (!answer || own !== asked) return;
      app.take(answer.state);
      tree!.show(answer.tree, null);
      whole = false;
      replaceIn(table, nodeTable(answer.nodes));
      facts.replaceChildren(h("p", { class: "huge" }, plural(answer.leaves, "leaf", "leaves")), h("p", null, `confidence factor ${value}`));
      app.say(`${plural(answer.leaves, "leaf", "leaves")} with confidence factor ${value}.`);
      app.changed();
    };
    factorTo = ask;
    range.addEventListener("input", () => void ask(Number(range.value)));
    field.addEventListener("change", () => void ask(Number(field.value)));
    return h("details", { class: "confidence", open: true }, h("summary", null, "C4.5: pessimistic errors"), h("div", { class: "row" }, h("label", { class: "inline" }, "Confidence factor ", range), field), table);
  };
  return { element, update: () => void update() };
}

function nodeTable(nodes: Pruning["nodes"]): HTMLElement | null {
  if (!nodes.length) return null;
  return plainTable("Pessimistic errors of each node", ["node", "rows", "errors", "as a leaf", "with its branches"], nodes.map((one) => [`${one.node}  ${one.words}`, number(one.weight, 5), number(one.loss), number(one.as_leaf), number(one.below)]));
}
