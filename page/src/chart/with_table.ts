// Every chart can be read as a table: one button changes between them.

import { h, type Child } from "../dom";
import { words } from "../messages";

const asTable = new Set<string>(); // charts that the user reads as tables, kept over redrawing

export function withTable(key: string, caption: string, chart: Child, headers: string[], rows: (string | number)[][], extra: Child = null): HTMLElement {
  const figure = h("figure", { class: "chart" });
  const draw = () => {
    const table = asTable.has(key);
    const button = h("button", { type: "button", class: "quiet small", "data-key": `table-${key}`, "aria-pressed": String(table), onclick: () => {
      if (!asTable.delete(key)) asTable.add(key);
      draw();
      (figure.querySelector("button") as HTMLElement | null)?.focus();
    } }, words.table);
    figure.replaceChildren(h("figcaption", null, h("span", null, caption), button), table ? plainTable(caption, headers, rows) : h("div", { class: "chart-body" }, chart));
    if (extra instanceof Node) figure.append(extra);
  };
  draw();
  return figure;
}

export function plainTable(caption: string, headers: string[], rows: (string | number)[][]): HTMLElement {
  return h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", null, h("caption", { class: "hidden" }, caption), h("thead", null, h("tr", null, headers.map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, rows.map((row) => h("tr", null, row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", null, cell))))))));
}
