// The chosen node: its candidates with margins and ties, the curve behind a test, the arithmetic, its rows.

import type { App } from "../app";
import { gainCurve } from "../chart/gain_curve";
import { plainTable } from "../chart/with_table";
import { h, replaceIn, type Child } from "../dom";
import { count, number } from "../format";
import { words } from "../messages";
import type { Candidate, Candidates, Cuts } from "../types";

const RANKING = { decrease: "decrease", gain: "gain", gain_ratio: "gain ratio" };
const FIRST = 8;
const MOST_BOXES = 1000;

interface Category {
  value: string;
  rows: number;
  first: boolean; // whether the best grouping sends it to the first branch
}

interface NodeRows {
  names: string[];
  rows: (string | number | null)[][];
  n: number;
}

export class NodePanel {
  readonly element = h("section", { class: "pane node-pane", "aria-label": "The chosen node" });
  private readonly table = h("div");
  private readonly test = h("div", { class: "test" });
  private readonly sum = h("div", { class: "sum" });
  private readonly others = h("div", { class: "others" });
  private readonly rows = h("div", { class: "rows" });
  private found: Candidates | null = null;
  private feature: number | null = null;
  private every = false;
  private shown = "";
  private wantsOthers = false;
  private wantsRows = false;

  constructor(private readonly app: App) {
    this.element.append(this.table, this.test, this.sum, this.others, this.rows);
  }

  async show(node: number): Promise<void> {
    const { app } = this;
    const key = `${app.state.session}/${app.state.revision}/${node}/${app.state.growing}`;
    if (key === this.shown) return;
    this.shown = key;
    this.element.classList.add("stale"); // what stands here is about another node until the answer comes
    const found = await app.ask<Candidates>("candidates", { node });
    if (this.shown !== key) return;
    this.element.classList.remove("stale");
    this.found = found;
    this.feature = found?.candidates.find((one) => one.used)?.index ?? found?.candidates.find((one) => one.best)?.index ?? null;
    this.draw();
    this.drawOthers();
    if (this.wantsRows) void this.showRows();
    else replaceIn(this.rows, this.rowsButton());
  }

  private get canSplit(): boolean {
    return this.app.state.growing && (this.found?.leaf ?? false);
  }

  private draw(): void {
    const { found, app } = this;
    if (found === null) {
      replaceIn(this.table, h("p", { class: "soft" }, "Nothing is known of this node."));
      replaceIn(this.test);
      replaceIn(this.sum);
      return;
    }
    const most = Math.max(1e-300, ...found.candidates.map((one) => one.score ?? 0));
    const list = this.every ? found.candidates : found.candidates.slice(0, FIRST);
    const split = app.state.growing && !found.leaf;
    replaceIn(this.table,
      h("div", { class: "row wrap between" }, h("h3", null, found.title.replace(/ {2,}/, " · ")), split ? h("button", { type: "button", class: "small", "data-key": "prune-node", onclick: () => void app.act("prune", { node: found.node }, () => `Node ${found.node} is a leaf again.`) }, "Make it a leaf again") : null),
      found.condition.length ? h("p", { class: "soft" }, found.condition.join(" and ")) : null,
      h("p", { class: "subject" }, found.subject),
      found.candidates.length ? h("table", { class: "candidates" }, h("caption", { class: "hidden" }, `Best test of each column, by ${RANKING[found.ranking]}`), h("thead", null, h("tr", null, h("th", { scope: "col" }, "test"), h("th", { scope: "col" }, "rows"), h("th", { scope: "col" }, RANKING[found.ranking]), h("th", { scope: "col" }, h("span", { class: "hidden" }, "use")))), h("tbody", null, list.map((one) => this.candidate(one, most)))) : null,
      found.candidates.length > FIRST ? h("button", { type: "button", class: "quiet small", "data-key": "every", onclick: () => { this.every = !this.every; this.draw(); } }, this.every ? "Show fewer" : `Show all ${count(found.candidates.length + found.more)} columns`) : null,
      found.below.filter((line) => !line.startsWith("…")).map((line) => h("p", { class: "note" }, line)));
    const lines: Child[] = [];
    if (found.worked.length) lines.push(h("h4", null, "The arithmetic"), h("pre", { class: "worked", tabindex: 0, role: "region", "aria-label": "The arithmetic" }, found.worked.join("\n")));
    if (found.notes.length) lines.push(found.notes.map((note) => h("p", { class: "soft" }, note)));
    lines.push(h("p", { class: "code" }, h("code", null, found.python)));
    replaceIn(this.sum, lines);
    void this.drawTest();
  }

  private candidate(one: Candidate, most: number): HTMLElement {
    const tests = one.branches.map((branch) => branch.words);
    const text = one.kind === "threshold" ? `${one.feature} ${tests[0] ?? ""}` : one.kind === "subset" ? `${one.feature} in {${tests[0] ?? ""}}` : one.feature;
    const sizes = one.branches.length <= 4 ? one.branches.map((branch) => (branch.n === null ? number(branch.weight) : count(branch.n))).join(" | ") : `${one.n_branches} branches`;
    const remark = one.used ? "used here" : one.best ? (this.found!.ties.length ? `best (tie: ${this.found!.tie_rule})` : "best") : one.tie ? "exact tie" : one.score === null ? one.reason : !one.admissible ? one.reason : one.margin_words;
    const width = one.score === null ? 0 : Math.max(0, (100 * one.score) / most);
    const chosen = one.index === this.feature;
    return h("tr", { class: [one.best ? "best" : "", one.used ? "used" : "", one.admissible ? "" : "barred", chosen ? "chosen" : ""].filter(Boolean).join(" ") },
      h("th", { scope: "row" }, h("button", { type: "button", class: "quiet name", "data-key": `feature-${one.index}`, "aria-pressed": String(chosen), title: text, onclick: () => { this.feature = one.index; this.draw(); } }, text), h("span", { class: "remark" }, remark)),
      h("td", { class: "num" }, sizes),
      h("td", { class: "score" }, h("span", { class: "num" }, one.score_words), h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${width.toFixed(1)}%` } }))),
      h("td", null, this.canSplit && one.score !== null ? h("button", { type: "button", class: "small", "data-key": `use-${one.index}`, "aria-label": `Use ${text}`, onclick: () => this.use(one) }, words.useThis) : null));
  }

  // The algorithm's own choice is the algorithm's; any other one is made by hand.
  private use(one: Candidate): void {
    const { app } = this;
    const node = this.found!.node;
    if (this.element.classList.contains("stale")) return;
    const said = () => `Node ${node} is split by ${one.feature}.`;
    if (one.best && one.admissible) void app.act("split", { node }, said);
    else void app.act("split", { node, feature: one.feature }, said);
  }

  private async drawTest(): Promise<void> {
    const { app } = this;
    const one = this.found?.candidates.find((candidate) => candidate.index === this.feature);
    if (!one || !app.state.growing) {
      this.test.classList.remove("stale");
      replaceIn(this.test);
      return;
    }
    this.test.classList.add("stale"); // until the answer comes, what stands here is about another test
    const node = this.found!.node;
    const column = app.state.data?.columns.find((data) => data.name === one.feature);
    const key = `${this.shown}/${one.index}`;
    if (column?.kind === "nominal") {
      const found = await app.ask<{ values: Category[]; missing: number }>("categories", { node, feature: one.index });
      if (found && key === `${this.shown}/${this.feature}`) this.drawGroups(node, one, found.values);
      return;
    }
    const cuts = await app.ask<Cuts>("cuts", { node, feature: one.index });
    if (!cuts || key !== `${this.shown}/${this.feature}`) return;
    const use = this.canSplit ? (threshold: number) => void app.act("split", { node, feature: one.feature, threshold }, () => `Node ${node} is split by ${one.feature} at ${number(threshold, 6)}.`) : null;
    this.test.classList.remove("stale");
    replaceIn(this.test, gainCurve(cuts, one.threshold, this.found!.ranking === "decrease" ? "decrease" : "gain", use));
  }

  private drawGroups(node: number, one: Candidate, values: Category[]): void {
    const { app } = this;
    const shown = values.slice(0, MOST_BOXES);
    const hidden = values.slice(MOST_BOXES).filter((value) => value.first).map((value) => value.value);
    this.test.classList.remove("stale");
    const boxes = shown.map((value) => h("label", { class: "inline group" }, h("input", { type: "checkbox", value: value.value, checked: value.first, "data-key": `group-${value.value}` }), ` ${value.value} `, h("span", { class: "soft" }, count(value.rows))));
    const split = () => {
      const categories = [...this.test.querySelectorAll<HTMLInputElement>("input:checked")].map((box) => box.value).concat(hidden);
      if (categories.length === 0 || categories.length === values.length) return app.say("Some categories go to the first branch, the others to the second one.", true);
      void app.act("split", { node, feature: one.feature, categories }, () => `Node ${node} is split by ${one.feature}.`);
    };
    replaceIn(this.test, h("fieldset", { class: "groups" }, h("legend", null, this.canSplit ? `Make your own groups: which ${one.feature} go to the first branch?` : `Values of ${one.feature}`), h("div", { class: "boxes" }, boxes), values.length > shown.length ? h("span", { class: "soft" }, `… ${count(values.length - shown.length)} more`) : null, this.canSplit ? h("button", { type: "button", "data-key": "group-use", onclick: split }, "Split by these groups") : null));
  }

  // --- what other algorithms would choose

  private drawOthers(): void {
    const { app } = this;
    if (!app.state.growing || app.state.data?.task !== "classification") {
      replaceIn(this.others);
      return;
    }
    if (!this.wantsOthers) {
      replaceIn(this.others, h("button", { type: "button", class: "quiet small", "data-key": "others", onclick: () => { this.wantsOthers = true; this.drawOthers(); } }, "What would ID3, C4.5 and CART choose here?"));
      return;
    }
    const key = this.shown;
    const node = this.found?.node ?? 0;
    void Promise.all(["id3", "c45", "cart"].map((name) => app.ask<Candidates>("candidates", { node, as: name }))).then((all) => {
      if (key !== this.shown) return;
      const lists = all.map((found, i) => h("div", { class: "other" }, h("h5", null, ["ID3", "C4.5", "CART"][i]), found === null ? null : [h("p", { class: "soft" }, `by ${RANKING[found.ranking]}`), h("ol", null, found.candidates.slice(0, 4).map((one) => h("li", { class: one.best ? "best" : "" }, one.kind === "threshold" ? `${one.feature} ${one.branches[0]?.words ?? ""}` : one.feature, h("span", { class: "num" }, ` ${one.score_words}`))))]));
      replaceIn(this.others, h("h4", null, "What ID3, C4.5 and CART would choose here"), h("div", { class: "row wrap top-aligned" }, lists), h("button", { type: "button", class: "quiet small", "data-key": "others", onclick: () => { this.wantsOthers = false; this.drawOthers(); } }, "Hide"));
    });
  }

  // --- the rows

  private rowsButton(): HTMLElement | null {
    if (!this.app.state.growing) return null;
    return h("button", { type: "button", class: "quiet small", "data-key": "rows", onclick: () => { this.wantsRows = !this.wantsRows; if (this.wantsRows) void this.showRows(); else replaceIn(this.rows, this.rowsButton()); } }, this.wantsRows ? "Hide the rows" : "Rows in this node");
  }

  private async showRows(): Promise<void> {
    if (!this.app.state.growing) return replaceIn(this.rows);
    const found = await this.app.ask<NodeRows>("rows", { node: this.found?.node ?? 0 });
    if (!found) return;
    const cells = found.rows.map((row) => row.map((cell) => (cell === null ? "·" : typeof cell === "number" ? number(cell, 6) : cell)));
    replaceIn(this.rows, this.rowsButton(), plainTable(`Rows of node ${this.found?.node}`, ["row", ...found.names], cells), found.n > found.rows.length ? h("p", { class: "soft" }, `The first ${found.rows.length} of ${count(found.n)} rows.`) : null);
  }
}
