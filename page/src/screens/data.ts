// Data: load a table, see what its columns are, say what they are for.

import type { App } from "../app";
import { h, replaceIn, svg } from "../dom";
import { bytes, count, number, plural } from "../format";
import { words } from "../messages";
import type { ScreenView } from "../shell";
import type { Column } from "../types";
import { bringBack } from "./missing";

const MOST_COLUMNS = 300;
const FEW_COLUMNS = 40;

export function dataScreen(app: App): ScreenView {
  const element = h("section", { class: "screen-data", "aria-labelledby": "tw-data" });
  const file = h("input", { type: "file", class: "hidden-file", id: "tw-file", accept: ".csv,.tsv,.txt,.data,.tab,.parquet,.pq,.arrow,.feather,.ipc,.jsonl,.ndjson,.gz,.tree", onchange: () => {
    const chosen = file.files?.[0];
    if (chosen) void app.upload(chosen);
    file.value = "";
  } });
  const drop = h("div", { class: "drop" }, h("p", { class: "big" }, words.drop, " ", h("label", { class: "button accent", for: "tw-file" }, words.browse), file), h("p", { class: "soft" }, words.fileKinds), h("p", { class: "soft lock" }, words.nothingLeaves));
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", () => drop.classList.remove("over")); // the frame takes files, wherever they are dropped
  const bundledTables = h("div", { class: "bundled-tables" });
  const table = h("div", { class: "columns-panel" });
  element.append(h("h2", { id: "tw-data" }, "Data"), app.host.kind === "page" ? drop : h("p", { class: "soft" }, "The rows come from Python."), bundledTables, table);

  let named = "";
  const rows = h("tbody");
  const more = h("p", { class: "soft" });
  const find = h("input", { type: "search", placeholder: words.findColumn, "aria-label": words.findColumn, "data-key": "find-column", oninput: () => drawRows() });
  const drawRows = () => {
    const { columns } = app.state.data!;
    const letters = find.value.trim().toLowerCase();
    const found = columns.filter((column) => column.name.toLowerCase().includes(letters));
    const target = letters ? -1 : found.findIndex((column) => column.role === "target");
    if (target >= MOST_COLUMNS) found.unshift(...found.splice(target, 1)); // what is predicted is always in view
    replaceIn(rows, found.slice(0, MOST_COLUMNS).map(row));
    const left = found.length - MOST_COLUMNS;
    more.textContent = left > 0 ? `… and ${plural(left, "more column")}: find them by their names.` : found.length ? "" : "No column has this in its name.";
  };

  const update = () => {
    replaceIn(bundledTables, app.host.kind !== "page" ? null : [h("span", { class: "soft" }, words.bundled), app.hello.bundled.map((bundled) => h("button", { type: "button", class: "bundled", "data-key": `bundled-${bundled.name}`, "aria-pressed": String(app.state.data?.origin === "bundled" && app.state.data.name === bundled.name), title: bundled.words, onclick: () => void app.change("bundled", { name: bundled.name }, words.busy, (state) => `${state.data!.name}: ${plural(state.data!.rows, "row")}`) }, h("strong", null, bundled.name), h("span", null, bundled.words)))]);
    const { data } = app.state;
    drop.classList.toggle("small", data !== null);
    if (data === null) {
      replaceIn(table, app.state.model ? h("p", { class: "soft" }, `The model ${app.state.title} is open without its rows: Prune and Predict work; Grow and Compare need the table.`) : null);
      return;
    }
    if (data.name !== named) find.value = "";
    named = data.name;
    const notes = data.columns.filter((column) => column.problems.length);
    replaceIn(table,
      h("div", { class: "row wrap between" }, h("h3", null, data.name, h("span", { class: "soft" }, ` ${plural(data.rows, "row")}, ${plural(data.columns.length, "column")}`)), h("div", { class: "row" }, h("span", { class: "soft" }, data.target === null ? "choose a target" : data.task === "classification" ? `predicts classes of ${data.target}` : `predicts the number ${data.target}`), h("button", { type: "button", class: "accent", "data-key": "to-grow", disabled: data.target === null, onclick: () => app.go("grow") }, `${words.startGrowing} →`))),
      notes.length ? h("ul", { class: "problems" }, notes.slice(0, 30).map((column) => h("li", null, column.problems.join(" "), " ", data.fixed || column.role === "target" ? null : h("button", { type: "button", class: "small", "data-key": `anyway-${column.name}`, onclick: () => setRole(column, column.role === "ignored" ? "input" : "ignored") }, column.role === "ignored" ? "Use it anyway" : "Leave it out")))) : null,
      bringBack(app),
      data.columns.length > FEW_COLUMNS ? find : null,
      h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": `Columns of ${data.name}` }, h("table", { class: "columns" }, h("caption", { class: "hidden" }, `Columns of ${data.name}`), h("thead", null, h("tr", null, ["column", "kind", "role", "missing", "values"].map((name) => h("th", { scope: "col" }, name)))), rows)),
      more,
      h("p", { class: "soft" }, app.hello.most_bytes && app.host.kind === "page" ? `Files up to ${bytes(app.hello.most_bytes)}; larger ones with treewright app FILE.` : ""));
    drawRows();
  };

  const setRole = (column: Column, role: string) => void app.change("columns", { roles: { [column.name]: role } }, words.busy, () => `${column.name} is ${role}.`);
  const setKind = (column: Column, kind: string) => void app.change("columns", { kinds: { [column.name]: kind } }, words.busy, () => `${column.name} is ${kind}.`);

  const row = (column: Column): HTMLElement => {
    const { data } = app.state;
    const fixed = data!.fixed;
    const select = (label: string, key: string, value: string, options: string[], act: (value: string) => void, off = false) => h("select", { "aria-label": `${label} of ${column.name}`, "data-key": `${key}-${column.name}`, disabled: fixed || off, onchange: (event: Event) => act((event.target as HTMLSelectElement).value) }, options.map((option) => h("option", { value: option, selected: option === value }, option)));
    const kinds = column.kind === "ordinal" ? ["ordinal"] : ["numeric", "nominal"];
    return h("tr", { class: `role-${column.role}` }, h("th", { scope: "row" }, column.name), h("td", null, select("Kind", "kind", column.kind, kinds, (kind) => setKind(column, kind), data!.origin === "python")), h("td", null, select("Role", "role", column.role, ["input", "target", "weight", "ignored"], (role) => setRole(column, role))), h("td", { class: "num" }, count(column.missing)), h("td", { class: "values" }, values(column)));
  };
  return { element, update };
}

function values(column: Column): (HTMLElement | SVGElement)[] {
  if (column.bins.length) {
    const most = Math.max(...column.bins);
    const width = 120;
    const step = width / column.bins.length;
    const picture = svg("svg", { class: "spark", viewBox: `0 0 ${width} 26`, width, height: 26, role: "img", "aria-label": `Distribution of ${column.name}` }, column.bins.map((n, i) => svg("rect", { x: (i * step).toFixed(2), width: Math.max(0.5, step - 0.6).toFixed(2), y: (26 - (26 * n) / most).toFixed(2), height: ((26 * n) / most).toFixed(2) })));
    return [picture, h("span", { class: "soft" }, `${number(column.smallest)} … ${number(column.median)} … ${number(column.largest)}`)];
  }
  const most = Math.max(1, ...column.top.map((one) => one.rows));
  const shown = column.top.slice(0, 5);
  return [h("span", { class: "bars" }, shown.map((one) => h("span", { class: "value-bar" }, h("i", { style: { width: `${Math.max(2, (44 * one.rows) / most)}px` } }), `${one.value} ${count(one.rows)}`)), column.distinct > shown.length ? h("span", { class: "soft" }, `… ${count(column.distinct - shown.length)} more`) : null)];
}
