// The gain of every cut of a numeric column: drag the line, use the slider below it, or type a value.

import { h, svg } from "../dom";
import { count, measure, number } from "../format";
import type { Cuts } from "../types";
import { scale, tick } from "./axes";
import { withTable } from "./with_table";

const W = 520;
const H = 180;
const PAD = { left: 48, right: 12, top: 10, bottom: 26 };

export function gainCurve(cuts: Cuts, start: number | null, measureName: string, use: ((threshold: number) => void) | null): HTMLElement {
  const n = cuts.threshold.length;
  if (n === 0) return h("p", { class: "soft" }, `${cuts.feature} has one value here: there is nothing to cut.`);
  const x = scale(cuts.threshold[0], cuts.threshold[n - 1], PAD.left, W - PAD.right, 6);
  const y = scale(Math.min(0, ...cuts.gain), Math.max(...cuts.gain), H - PAD.bottom, PAD.top, 4);
  let best = 0;
  cuts.gain.forEach((gain, i) => {
    if (cuts.admissible[i] && (!cuts.admissible[best] || gain > cuts.gain[best])) best = i;
  });
  let value = start ?? cuts.threshold[best];
  const path = cuts.threshold.map((t, i) => `${i ? "L" : "M"}${x(t).toFixed(1)} ${y(cuts.gain[i]).toFixed(1)}`).join("");
  const line = svg("line", { class: "cut-line", y1: PAD.top, y2: H - PAD.bottom });
  const dot = svg("circle", { class: "cut-dot", r: 5 });
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `${measureName} against the threshold of ${cuts.feature}; highest at ${number(cuts.threshold[best], 5)} with ${measure(cuts.gain[best])}` },
    svg("g", { class: "axis", "aria-hidden": "true" }, x.ticks.map((t) => svg("text", { x: x(t), y: H - 8, "text-anchor": "middle" }, tick(t))), y.ticks.map((t) => svg("g", null, svg("line", { x1: PAD.left, x2: W - PAD.right, y1: y(t), y2: y(t) }), svg("text", { x: PAD.left - 6, y: y(t) + 4, "text-anchor": "end" }, tick(t))))),
    svg("path", { class: "area", d: `${path}L${x(cuts.threshold[n - 1])} ${y(0)}L${x(cuts.threshold[0])} ${y(0)}Z` }),
    svg("path", { class: "line", d: path }), line, dot);
  const facts = h("p", { class: "facts", "aria-live": "off" });
  const range = h("input", { type: "range", min: 0, max: n - 1, step: 1, class: "under-chart", "data-key": "cut-range", "aria-label": `Threshold of ${cuts.feature}` });
  const field = h("input", { type: "number", step: "any", "data-key": "cut-field", "aria-label": `Threshold of ${cuts.feature} as a number` });

  const nearest = (wanted: number): number => {
    let low = 0;
    let high = n - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts.threshold[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low > 0 && wanted - cuts.threshold[low - 1] < cuts.threshold[low] - wanted ? low - 1 : low;
  };
  const draw = (typed = false) => {
    const i = nearest(value);
    const at = Math.min(Math.max(value, cuts.threshold[0]), cuts.threshold[n - 1]);
    for (const end of ["x1", "x2"]) line.setAttribute(end, String(x(at)));
    dot.setAttribute("cx", String(x(cuts.threshold[i])));
    dot.setAttribute("cy", String(y(cuts.gain[i])));
    range.value = String(i);
    const said = `≤ ${number(cuts.threshold[i], 6)}: ${measureName} ${measure(cuts.gain[i])}, left ${count(cuts.left[i])}, right ${count(cuts.n - cuts.missing - cuts.left[i])}`;
    range.setAttribute("aria-valuetext", said.replace("≤", "at most") + (cuts.admissible[i] ? "" : ", breaks a limit of the algorithm"));
    facts.textContent = said + (cuts.missing ? ` · ${count(cuts.missing)} without a value` : "") + (cuts.admissible[i] ? "" : " · breaks a limit of the algorithm");
    if (!typed) field.value = String(Number(value.toPrecision(7)));
  };
  range.addEventListener("input", () => {
    value = cuts.threshold[Number(range.value)];
    draw();
  });
  field.addEventListener("input", () => {
    if (field.value !== "" && Number.isFinite(Number(field.value))) {
      value = Number(field.value);
      draw(true);
    }
  });
  const move = (event: PointerEvent) => {
    const place = picture.getBoundingClientRect();
    const wanted = ((event.clientX - place.left) / place.width) * W;
    const share = (wanted - PAD.left) / (W - PAD.left - PAD.right);
    value = cuts.threshold[nearest(x.low + Math.min(1, Math.max(0, share)) * (x.high - x.low))];
    draw();
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture((event as PointerEvent).pointerId);
    move(event as PointerEvent);
  });
  picture.addEventListener("pointermove", (event) => {
    if ((event as PointerEvent).buttons) move(event as PointerEvent);
  });
  draw();
  const step = Math.max(1, Math.ceil(n / 40));
  const rows = cuts.threshold.map((t, i) => [number(t, 6), measure(cuts.gain[i]), count(cuts.left[i])]).filter((_, i) => i % step === 0 || i === best);
  const shown = cuts.cuts > n ? ` (${n} of ${count(cuts.cuts)} cuts drawn, no peak left out)` : "";
  const controls = h("div", { class: "row wrap" }, h("label", { class: "inline" }, "≤ ", field), use ? h("button", { type: "button", class: "accent", "data-key": "cut-use", onclick: () => use(value) }, "Split here") : null);
  return withTable(`cut-${cuts.feature}`, `${measureName} against the threshold of ${cuts.feature}${shown}`, [picture, range], ["threshold", measureName, "rows at or below"], rows, h("div", null, facts, controls));
}
