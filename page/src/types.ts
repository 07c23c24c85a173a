// What the server says, as plain data. web/state.py, tree_nodes.py and calls_*.py write it.

export interface TreeNode {
  id: number;
  parent: number;
  depth: number;
  kids: number[];
  below: number;
  words: string;
  test: string;
  feature: string | null;
  n: number;
  weight: number;
  impurity: number;
  value: number[] | number;
  hand: boolean;
  alpha?: number | null;
}

export interface Tree {
  root: number;
  path: { id: number; words: string }[];
  nodes: TreeNode[];
  total: number;
  leaves: number;
  depth: number;
  classes: string[] | null;
}

export interface GrownTree extends Tree {
  undo: number;
  redo: number;
  edited: boolean;
  log: string[];
  measure: string;
  center: string | null;
  error: number | null;
}

export interface Column {
  name: string;
  kind: string;
  role: string;
  distinct: number;
  missing: number;
  smallest?: number | null;
  median?: number | null;
  largest?: number | null;
  problems: string[];
  chosen: boolean;
  top: { value: string; rows: number }[];
  bins: number[];
}

export interface Data {
  name: string;
  origin: string;
  rows: number;
  columns: Column[];
  target: string | null;
  weight: string | null;
  task: "classification" | "regression";
  fixed: boolean;
}

export interface State {
  session: string;
  revision: number;
  data: Data | null;
  algorithm: string;
  title: string;
  params: Record<string, unknown>;
  tree: GrownTree | null;
  growing: boolean;
  model: string | null;
  before: string | null;
  pruned: Record<string, unknown> | null;
  pruned_leaves: number | null;
  python: string[];
  command: string[];
}

export interface Field {
  name: string;
  words: string;
  default: unknown;
  kind: "choice" | "flag" | "number";
  options: string[];
}

export interface Algorithm {
  name: string;
  title: string;
  tasks: string[];
  single: boolean;
  fields: Record<string, Field[]>;
}

export interface Hello {
  version: string;
  bundled: { name: string; words: string }[];
  algorithms: Algorithm[];
  state: State;
  known: boolean;
  most_bytes: number;
}

export interface Candidate {
  feature: string;
  index: number;
  kind: string | null;
  threshold: number | null;
  branches: { words: string; n: number | null; weight: number; impurity: number; classes: number[] | null; value: number | null }[];
  n_branches: number;
  score: number | null;
  gain: number | null;
  split_info: number | null;
  score_words: string;
  margin: number | null;
  margin_words: string;
  admissible: boolean;
  reason: string;
  best: boolean;
  tie: boolean;
  used: boolean;
}

export interface Candidates {
  node: number;
  title: string;
  subject: string;
  n: number;
  impurity: number;
  criterion: string;
  ranking: "decrease" | "gain" | "gain_ratio";
  condition: string[];
  candidates: Candidate[];
  more: number;
  average_gain: number | null;
  ties: string[];
  tie_rule: string;
  worked: string[];
  notes: string[];
  below: string[];
  leaf: boolean;
  python: string;
}

export interface Cuts {
  feature: string;
  threshold: number[];
  gain: number[];
  left: number[];
  admissible: boolean[];
  cuts: number;
  n: number;
  missing: number;
}

export interface Step {
  alpha: number;
  leaves: number;
  risk: number;
  train: number;
  cv: number | null;
  se: number | null;
}

export interface Pruning {
  tree: Tree;
  steps: Step[];
  n_steps: number;
  index_min: number | null;
  index_1se: number | null;
  limit: number | null;
  measure: string | null;
  folds: number;
  why: string;
  chosen: Record<string, unknown> | null;
  nodes: { node: number; words: string; weight: number; loss: number; as_leaf: number; below: number; leaves: number }[];
  confidence: number | null;
  edited: boolean;
  has_data: boolean;
}

export interface Prediction {
  text: string;
  answer: string;
  python: string;
  classes?: string[] | null;
  prediction?: number[];
  steps?: { node: number; words: string; value: string; n: number; share: number; prediction: number[]; end: boolean; routing: string; feature: string }[];
  changes?: { feature: string; now: string; instead: string; answer: string }[];
  way?: number[];
  tree?: Tree;
  contributions?: { feature: string; value: number }[];
  base?: number;
  meaning?: string;
}
