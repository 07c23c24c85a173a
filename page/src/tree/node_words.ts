// A node in words: what the card shows, and the sentence that screen readers say.

import { count, measure, number, percent } from "../format";
import type { Tree, TreeNode } from "../types";

export const MEASURES: Record<string, string> = {
  gini: "Gini",
  entropy: "entropy",
  squared_error: "MSE",
  absolute_error: "MAE",
  poisson: "Poisson",
  gain: "entropy",
  gain_ratio: "entropy",
};

export function answer(tree: Tree, node: TreeNode): string {
  if (!Array.isArray(node.value)) return number(node.value, 4);
  let best = 0;
  node.value.forEach((share, k) => {
    if (share > (node.value as number[])[best]) best = k;
  });
  return tree.classes?.[best] ?? String(best);
}

export function head(tree: Tree, node: TreeNode): string {
  return node.test ? `${node.test}?` : answer(tree, node);
}

export function meta(node: TreeNode, criterion: string): string {
  return `n ${count(node.n)} · ${MEASURES[criterion] ?? criterion} ${measure(node.impurity)}`;
}

export function sentence(tree: Tree, node: TreeNode, criterion: string): string {
  const parts = [`Node ${node.id}`];
  parts.push(node.words ? node.words.replace("≤", "at most").replace(">", "more than") : "all rows");
  parts.push(`${node.n} ${node.n === 1 ? "row" : "rows"}`);
  if (Array.isArray(node.value)) {
    const best = Math.max(...node.value);
    parts.push(`${percent(best).replace(" %", " percent")} ${answer(tree, node)}`);
  } else parts.push(`predicts ${number(node.value)}`);
  if (node.test) parts.push(`splits on ${node.feature ?? node.test}${node.hand ? ", by hand" : ""}`);
  else parts.push("leaf");
  parts.push(`${MEASURES[criterion] ?? criterion} ${measure(node.impurity)}`);
  return parts.join(", ");
}
