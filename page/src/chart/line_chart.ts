// One curve: a score by the number of trees.

import { svg } from "../dom";
import { number } from "../format";
import { scale, tick } from "./axes";
import { withTable } from "./with_table";

const W = 640;
const H = 200;
const PAD = { left: 56, right: 14, top: 12, bottom: 28 };

export function lineChart(key: string, caption: string, xs: number[], ys: number[], xName: string, yName: string): HTMLElement {
  const x = scale(Math.min(...xs), Math.max(...xs), PAD.left, W - PAD.right, 6);
  const y = scale(Math.min(...ys), Math.max(...ys), H - PAD.bottom, PAD.top, 4);
  const path = xs.map((value, i) => `${i ? "L" : "M"}${x(value).toFixed(1)} ${y(ys[i]).toFixed(1)}`).join("");
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `${yName} by ${xName}, from ${number(ys[0])} to ${number(ys[ys.length - 1])}` },
    svg("g", { class: "axis", "aria-hidden": "true" }, x.ticks.map((t) => svg("text", { x: x(t), y: H - 8, "text-anchor": "middle" }, tick(t))), y.ticks.map((t) => svg("g", null, svg("line", { x1: PAD.left, x2: W - PAD.right, y1: y(t), y2: y(t) }), svg("text", { x: PAD.left - 6, y: y(t) + 4, "text-anchor": "end" }, tick(t))))),
    svg("path", { class: "line cv", d: path }));
  return withTable(key, caption, picture, [xName, yName], xs.map((value, i) => [value, number(ys[i])]));
}
