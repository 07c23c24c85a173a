// Predict: a row, its way through the tree, the answer, and what would change it.

import type { App } from "../app";
import { classColour } from "../colours";
import { h, replaceIn } from "../dom";
import { count, number, percent } from "../format";
import type { ScreenView } from "../shell";
import { TreeView } from "../tree/tree_view";
import type { Prediction } from "../types";
import { askForTree } from "./missing";

interface RowField {
  name: string;
  kind: string;
  value: string | number | null;
  options?: string[];
  n_options?: number;
  low?: number;
  high?: number;
}

interface Fields {
  fields: RowField[];
  rows: number;
  row: number | null;
  truth: string | number | null;
}

export function predictScreen(app: App): ScreenView {
  const element = h("section", { class: "screen-predict", "aria-labelledby": "tw-predict" });
  const title = h("h2", { id: "tw-predict", class: "hidden" }, "Predict a row");
  const form = h("div", { class: "pane row-form" });
  const result = h("div", { class: "result" });
  const values = new Map<string, string | number | null>();
  let shown = "";
  let row: number | null = 0;
  let found: Fields | null = null;
  let waiting = 0;
  let asGiven = true; // whether the form still says what the table says

  const update = async () => {
    const { state } = app;
    if (state.tree === null && state.model === null) {
      shown = "";
      replaceIn(element, title, askForTree(app));
      return;
    }
    const key = `${state.session}/${state.revision}/${JSON.stringify(state.pruned)}`;
    if (key === shown) return;
    shown = key;
    if (state.data === null) row = null;
    await load(row);
  };

  const load = async (wanted: number | null) => {
    found = await app.ask<Fields>("fields", { row: wanted });
    if (!found) {
      shown = "";
      return;
    }
    row = found.row;
    asGiven = true;
    values.clear();
    for (const field of found.fields) values.set(field.name, field.value);
    drawForm();
    replaceIn(element, title, h("div", { class: "split predict" }, form, result));
    await predict();
  };

  const drawForm = () => {
    const { fields, rows } = found!;
    const go = (to: number) => void load(Math.min(Math.max(0, to), rows - 1));
    const picker = rows ? h("div", { class: "row wrap" }, h("button", { type: "button", class: "small", "data-key": "row-back", "aria-label": "Row before", onclick: () => go((row ?? 1) - 1) }, "◀"), h("label", { class: "inline" }, "row ", h("input", { type: "number", min: 0, max: rows - 1, value: row ?? "", "data-key": "row-number", "aria-label": `Row, from 0 to ${rows - 1}`, onchange: (event: Event) => go(Number((event.target as HTMLInputElement).value)) })), h("button", { type: "button", class: "small", "data-key": "row-on", "aria-label": "Row after", onclick: () => go((row ?? -1) + 1) }, "▶"), h("span", { class: "soft" }, `of ${count(rows)}`)) : h("p", { class: "soft" }, "Type a row; an empty field is a missing value.");
    replaceIn(form, h("h3", null, "The row"), picker, h("div", { class: "fields" }, fields.map((field) => h("label", { class: "field" }, h("span", null, field.name), input(field)))));
  };

  const input = (field: RowField): HTMLElement => {
    const change = (event: Event) => {
      const given = (event.target as HTMLInputElement).value;
      values.set(field.name, given === "" ? null : field.kind === "numeric" ? Number(given) : given);
      asGiven = false;
      window.clearTimeout(waiting);
      waiting = window.setTimeout(() => void predict(), 120);
    };
    const key = `value-${field.name}`;
    if (field.kind === "numeric") return h("input", { type: "number", step: "any", "data-key": key, value: field.value ?? "", title: field.low === undefined ? "" : `${number(field.low)} … ${number(field.high)}`, oninput: change });
    if ((field.n_options ?? 0) > 200) return h("input", { type: "text", "data-key": key, value: field.value ?? "", oninput: change });
    return h("select", { "data-key": key, onchange: change }, h("option", { value: "", selected: field.value === null }, "(missing)"), (field.options ?? []).map((option) => h("option", { value: option, selected: option === field.value }, option)));
  };

  const tree = new TreeView({ label: "The tree with the way of the row", criterion: "gini" });
  let asked = 0;
  const predict = async () => {
    asked += 1;
    const own = asked;
    const answer = await app.ask<Prediction>("predict", { values: Object.fromEntries(values) });
    if (!answer || own !== asked) return;
    const truth = asGiven ? (found?.truth ?? null) : null;
    replaceIn(result,
      h("div", { class: "pane answer" }, h("p", { class: "soft" }, "The answer"), h("p", { class: "huge" }, answer.answer), truth === null ? null : h("p", { class: "soft" }, `the table says ${truth}`), shares(answer), answer.steps ? way(answer) : h("pre", { tabindex: 0, role: "region", "aria-label": "The report" }, answer.text), changes(answer), contributions(answer), h("details", null, h("summary", null, "In Python"), h("pre", { tabindex: 0, role: "region", "aria-label": "In Python" }, answer.python))),
      answer.tree ? h("div", { class: "pane tree-pane" }, tree.element) : null);
    if (answer.tree) tree.show(answer.tree, null, answer.way ?? []);
  };
  return { element, update: () => void update() };
}

function shares(answer: Prediction): HTMLElement | null {
  if (!answer.classes || !answer.prediction) return null;
  const all = answer.classes.map((name, k) => ({ name, k, share: answer.prediction![k] })).sort((a, b) => b.share - a.share).slice(0, 8);
  return h("ul", { class: "shares" }, all.map((one) => h("li", null, h("span", null, one.name), h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${(100 * one.share).toFixed(1)}%`, background: classColour(one.k, answer.classes!.length) } })), h("span", { class: "num" }, percent(one.share)))));
}

function way(answer: Prediction): HTMLElement {
  const said = (prediction: number[]) => {
    if (!answer.classes) return number(prediction[0]);
    let best = 0;
    prediction.forEach((share, k) => {
      if (share > prediction[best]) best = k;
    });
    return `${answer.classes[best]} ${percent(prediction[best])}`;
  };
  return h("div", null, h("h3", null, "The way"), h("ol", { class: "way" }, answer.steps!.map((step) => h("li", { class: step.end ? "end" : "" }, h("strong", null, step.words), ` – ${step.feature} is ${step.value}. `, h("span", { class: "soft" }, `${count(step.n)} training rows came here: ${said(step.prediction)}${step.share < 1 ? `, with ${percent(step.share)} of the row` : ""}.`), step.routing ? h("em", null, ` ${step.routing}`) : null))), answer.steps!.length === 0 ? h("p", null, "The tree is one leaf: it answers every row the same.") : null);
}

function changes(answer: Prediction): HTMLElement | null {
  if (!answer.changes) return null;
  return h("div", null, h("h3", null, "What would change the answer?"), answer.changes.length ? h("ul", null, answer.changes.map((one) => h("li", null, h("strong", null, `${one.feature} ${one.instead}`), ` instead of ${one.now} → ${one.answer}`))) : h("p", { class: "soft" }, "No change of a single column does."));
}

function contributions(answer: Prediction): HTMLElement | null {
  if (!answer.contributions?.length) return null;
  const most = Math.max(...answer.contributions.map((one) => Math.abs(one.value)), 1e-300);
  return h("div", null, h("h3", null, "What each column adds (SHAP)"), h("p", { class: "soft" }, `from ${number(answer.base)} when nothing is known, by ${answer.meaning ?? "answer"}`), h("ul", { class: "shares" }, answer.contributions.slice(0, 8).map((one) => h("li", null, h("span", null, one.feature), h("span", { class: "bar", "aria-hidden": "true" }, h("i", { class: one.value < 0 ? "minus" : "plus", style: { width: `${((100 * Math.abs(one.value)) / most).toFixed(1)}%` } })), h("span", { class: "num" }, `${one.value > 0 ? "+" : ""}${number(one.value)}`)))));
}
