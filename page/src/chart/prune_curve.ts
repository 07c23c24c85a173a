// Error by size of the tree: training, cross-validated with its band of one standard error, and the two rules.

import { h, svg } from "../dom";
import { number } from "../format";
import type { Pruning } from "../types";
import { scale, tick } from "./axes";
import { withTable } from "./with_table";

const W = 860;
const H = 250;
const PAD = { left: 52, right: 14, top: 12, bottom: 30 };

export interface PruneCurve {
  element: HTMLElement;
  mark(index: number): void;
}

export function pruneCurve(pruning: Pruning, choose: (index: number) => void): PruneCurve {
  const steps = pruning.steps;
  const sizes = steps.map((step) => Math.log2(step.leaves));
  const hasCv = steps.some((step) => step.cv !== null);
  const values = steps.flatMap((step) => [step.train, ...(step.cv === null ? [] : [step.cv + (step.se ?? 0), step.cv - (step.se ?? 0)])]);
  const x = scale(0, Math.max(1, ...sizes), W - PAD.right, PAD.left); // large trees left, as the books draw it
  const y = scale(Math.min(0, ...values), Math.max(...values, 1e-9), H - PAD.bottom, PAD.top, 4);
  const at = (i: number, value: number) => `${x(sizes[i]).toFixed(1)} ${y(value).toFixed(1)}`;
  const known = steps.map((step, i) => [step, i] as const).filter(([step]) => step.cv !== null);
  const joined = (points: string[]) => points.map((point, k) => `${k ? "L" : "M"}${point}`).join("");
  const ticks = [...new Set([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 1024, 4096, 16384, 65536, 262144])].filter((leaves) => leaves <= steps[0].leaves);
  const marker = svg("line", { class: "cut-line", y1: PAD.top, y2: H - PAD.bottom });
  const points = svg("g", { class: "points" });
  if (steps.length <= 120) {
    steps.forEach((step, i) => {
      const hit = svg("g", { class: "point", onclick: () => choose(i) }, svg("circle", { class: "hit", cx: x(sizes[i]), cy: y(step.cv ?? step.train), r: 12 }), svg("circle", { class: hasCv ? "cv" : "train", cx: x(sizes[i]), cy: y(step.cv ?? step.train), r: 3.5 }), svg("title", {}, `${step.leaves} leaves`));
      points.append(hit);
    });
  }
  const rule = (index: number | null, words: string, below: boolean) => {
    if (index === null || !steps[index]) return null;
    const px = x(sizes[index]);
    const py = y(steps[index].cv ?? 0);
    return svg("g", { class: "rule" }, svg("circle", { cx: px, cy: py, r: 7 }), svg("text", { x: Math.min(W - 60, px), y: below ? py + 24 : py - 14, "text-anchor": "middle" }, words));
  };
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve prune", role: "img", "aria-label": `Error by number of leaves, from ${steps[0].leaves} to 1` },
    svg("g", { class: "axis", "aria-hidden": "true" }, y.ticks.map((t) => svg("g", null, svg("line", { x1: PAD.left, x2: W - PAD.right, y1: y(t), y2: y(t) }), svg("text", { x: PAD.left - 6, y: y(t) + 4, "text-anchor": "end" }, tick(t)))), ticks.map((leaves) => svg("text", { x: x(Math.log2(leaves)), y: H - 10, "text-anchor": "middle" }, leaves)), svg("text", { x: W - PAD.right, y: H - 10, class: "axis-name", "text-anchor": "end", dy: -14 }, "leaves")),
    known.length ? svg("path", { class: "band", d: `${joined(known.map(([s, i]) => at(i, s.cv! + (s.se ?? 0))))}${[...known].reverse().map(([s, i]) => `L${at(i, s.cv! - (s.se ?? 0))}`).join("")}Z` }) : null,
    pruning.limit !== null ? svg("line", { class: "limit", x1: PAD.left, x2: W - PAD.right, y1: y(pruning.limit), y2: y(pruning.limit) }) : null,
    svg("path", { class: "line train", d: joined(steps.map((step, i) => at(i, step.train))) }),
    known.length ? svg("path", { class: "line cv", d: joined(known.map(([s, i]) => at(i, s.cv!))) }) : null,
    points, rule(pruning.index_min, "lowest", true), pruning.index_1se !== pruning.index_min ? rule(pruning.index_1se, "1-SE", false) : null, marker);
  const legend = h("p", { class: "legend" }, h("span", { class: "key train" }, "training error"), hasCv ? h("span", { class: "key cv" }, "cross-validated error ± 1 SE") : null, pruning.limit !== null ? h("span", { class: "key limit" }, `1-SE limit ${number(pruning.limit)}`) : null);
  const rows = steps.map((step) => [step.leaves, number(step.alpha, 4), number(step.train), step.cv === null ? "–" : number(step.cv), step.se === null ? "–" : number(step.se)]);
  const element = withTable("prune", "Error by size of the tree", picture, ["leaves", "α", "training error", "CV error", "± SE"], rows, legend);
  return {
    element,
    mark(index) {
      for (const end of ["x1", "x2"]) marker.setAttribute(end, String(x(sizes[index])));
    },
  };
}
