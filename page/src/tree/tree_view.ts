// TreeView: a tree as cards and edges in SVG, and an ARIA tree for keys and screen readers.

import { classColour } from "../colours";
import { svg, h, uniqueId } from "../dom";
import { count } from "../format";
import type { Tree, TreeNode } from "../types";
import { layout, type Places } from "./layout";
import { answer, head, meta, sentence } from "./node_words";
import { fitted, textWidth } from "./text_width";

export interface TreeOptions {
  label: string;
  criterion: string;
  onChoose?: (id: number) => void; // click, Enter, Space
  onRoot?: (id: number) => void; // show the part below this node
  way?: number[]; // the nodes of a row
}

const LEVEL = { full: 112, compact: 78, minimal: 54 };
const HEIGHT = { full: 62, compact: 34, minimal: 20 };
type Detail = keyof typeof LEVEL;
const FULL = 40;
const COMPACT = 150;
const MOST_DRAWN = 600;

export class TreeView {
  readonly element: HTMLElement;
  private readonly scroll: HTMLElement;
  private readonly crumbs: HTMLElement;
  private tree: Tree | null = null;
  private byId = new Map<number, TreeNode>();
  private closed = new Set<number>();
  private items = new Map<number, SVGElement>();
  private edges = new Map<number, SVGElement>();
  private order: TreeNode[] = [];
  private places: Places | null = null;
  private detail: Detail = "full";
  private focused = 0;
  private chosen: number | null = null;
  private zoom = 1;
  private fitted = true;
  private typed = "";
  private typedAt = 0;

  constructor(private readonly options: TreeOptions) {
    this.scroll = h("div", { class: "tree-scroll" });
    this.crumbs = h("nav", { class: "crumbs", "aria-label": "Way to the drawn part", hidden: true });
    const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "quiet small", "aria-label": label, title: label, onclick: act }, text);
    const tools = h("div", { class: "tree-tools", role: "group", "aria-label": "Size of the picture" }, button("−", "Smaller picture", () => this.setZoom(this.zoom / 1.25)), button("+", "Larger picture", () => this.setZoom(this.zoom * 1.25)), button("Fit", "Fit the picture into its frame", () => this.fit()));
    this.element = h("div", { class: "tree-view" }, this.crumbs, this.scroll, tools);
    this.pan();
    new ResizeObserver(() => this.fitted && this.fit()).observe(this.scroll);
  }

  show(tree: Tree, chosen: number | null, way: number[] = this.options.way ?? []): void {
    const before = this.tree;
    const old = this.places;
    const oldIds = new Set(this.items.keys());
    this.tree = tree;
    this.chosen = chosen;
    this.options.way = way;
    this.byId = new Map(tree.nodes.map((node) => [node.id, node]));
    for (const id of this.closed) if (!this.byId.get(id)?.kids.length) this.closed.delete(id);
    if (!this.byId.has(this.focused)) this.focused = tree.root;
    this.draw();
    if (before && before.root === tree.root && before.classes?.length === tree.classes?.length) this.rowsFall(oldIds, old);
  }

  private visible(): TreeNode[] {
    const found: TreeNode[] = [];
    const waiting = [this.tree!.root];
    while (waiting.length && found.length < MOST_DRAWN) {
      const node = this.byId.get(waiting.pop()!);
      if (!node) continue;
      found.push(node);
      if (!this.closed.has(node.id)) waiting.push(...[...node.kids].reverse());
    }
    return found;
  }

  private cardWidth(node: TreeNode): number {
    if (this.detail === "minimal") return 34;
    const text = head(this.tree!, node);
    const least = this.detail === "full" ? 118 : 70;
    const wide = Math.max(textWidth(text) + 24, this.detail === "full" ? 152 : 0);
    return Math.min(Math.max(least, wide), 270);
  }

  private draw(): void {
    const tree = this.tree!;
    const hadFocus = this.element.contains((this.element.getRootNode() as Document).activeElement) && (this.element.getRootNode() as Document).activeElement?.getAttribute("role") === "treeitem";
    this.order = this.visible();
    this.detail = this.order.length <= FULL ? "full" : this.order.length <= COMPACT ? "compact" : "minimal";
    const shown = new Set(this.order.map((node) => node.id));
    const boxes = this.order.map((node) => ({ id: node.id, kids: this.closed.has(node.id) ? [] : node.kids.filter((kid) => shown.has(kid)), width: this.cardWidth(node) }));
    this.places = layout(boxes, tree.root);
    const height = (this.places.levels - 1) * LEVEL[this.detail] + HEIGHT[this.detail] + 40;
    const width = this.places.width;
    const title = uniqueId("tree");
    const lines = svg("g", { class: "edges", "aria-hidden": "true" });
    const cards = svg("g", { class: "cards", role: "tree", "aria-labelledby": title });
    this.items.clear();
    this.edges.clear();
    const heaviest = this.byId.get(tree.root)?.weight || 1;
    for (const node of this.order) {
      if (node.id !== tree.root) lines.append(this.edge(node, heaviest));
      const card = this.card(node);
      this.items.set(node.id, card);
      cards.append(card);
    }
    const picture = svg("svg", { class: `tree ${this.detail}`, viewBox: `-12 -12 ${width + 24} ${height + 12}`, "data-width": width + 24, "data-height": height + 12 }, svg("title", { id: title }, this.options.label), lines, cards);
    this.scroll.replaceChildren(picture);
    this.drawCrumbs();
    if (this.fitted) this.fit();
    else this.setZoom(this.zoom);
    this.roving(hadFocus);
  }

  private drawCrumbs(): void {
    const path = this.tree!.path;
    this.crumbs.hidden = path.length <= 1;
    this.crumbs.replaceChildren(
      ...path.map((step, i) => h("button", { type: "button", class: "quiet small", "aria-current": i === path.length - 1 ? "true" : null, onclick: () => this.options.onRoot?.(step.id) }, step.words)),
    );
  }

  private at(id: number): [number, number] {
    return [this.places!.x.get(id)!, this.places!.level.get(id)! * LEVEL[this.detail]];
  }

  private edge(node: TreeNode, heaviest: number): SVGElement {
    const [x1, y1] = this.at(node.parent);
    const [x2, y2] = this.at(node.id);
    const from = y1 + HEIGHT[this.detail];
    const middle = (from + y2) / 2;
    const path = svg("path", { d: `M${x1} ${from}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`, "stroke-width": Math.max(1, 9 * Math.sqrt(Math.max(0, node.weight) / heaviest)).toFixed(2) });
    const group = svg("g", { class: this.onWay(node.id) ? "edge way" : "edge" }, path);
    if (this.detail === "full") {
      const parent = this.byId.get(node.parent)!;
      const label = parent.kids.length === 2 && parent.test === this.byId.get(parent.kids[0])?.words ? (parent.kids[0] === node.id ? "yes" : "no") : short(node.words, parent.feature);
      group.append(svg("text", { class: "branch", x: (x1 + 2 * x2) / 3, y: y2 - 9, "text-anchor": "middle" }, cut(label, 26)));
    }
    this.edges.set(node.id, group);
    return group;
  }

  private onWay(id: number): boolean {
    return this.options.way?.includes(id) ?? false;
  }

  private card(node: TreeNode): SVGElement {
    const tree = this.tree!;
    const [x, y] = this.at(node.id);
    const width = this.cardWidth(node);
    const height = HEIGHT[this.detail];
    const leaf = !node.test;
    const closed = this.closed.has(node.id) || (node.below > 0 && node.kids.length === 0);
    const siblings = this.byId.get(node.parent)?.kids ?? [node.id];
    const names = ["card", leaf ? "leaf" : "inner", node.hand ? "hand" : "", this.onWay(node.id) ? "way" : "", node.id === this.chosen ? "chosen" : ""];
    const group = svg("g", {
      class: names.filter(Boolean).join(" "),
      role: "treeitem",
      tabindex: "-1",
      "data-node": node.id,
      "aria-level": (this.places!.level.get(node.id) ?? 0) + 1,
      "aria-setsize": siblings.length,
      "aria-posinset": Math.max(1, siblings.indexOf(node.id) + 1),
      "aria-expanded": node.below > 0 ? String(!closed) : null,
      "aria-selected": String(node.id === this.chosen),
      "aria-label": sentence(tree, node, this.options.criterion) + (closed ? `, ${node.below} nodes below are not shown` : ""),
      transform: `translate(${(x - width / 2).toFixed(1)} ${y})`,
      onclick: (event: MouseEvent) => {
        if ((event.target as Element).closest(".more")) return;
        this.focus(node.id);
        this.options.onChoose?.(node.id);
      },
      ondblclick: () => this.toggle(node.id),
    });
    group.append(svg("title", {}, `${node.words || "all rows"}\n${head(tree, node)}\n${meta(node, this.options.criterion)}`));
    group.append(svg("rect", { class: "box", width, height, rx: this.detail === "minimal" ? 5 : 8 }));
    if (this.detail !== "minimal") {
      group.append(svg("text", { class: "head", x: width / 2, y: this.detail === "full" ? 20 : 16, "text-anchor": "middle" }, fitted(head(tree, node), width - 14)));
    }
    group.append(this.bar(node, width));
    if (this.detail === "full") group.append(svg("text", { class: "meta", x: width / 2, y: 54, "text-anchor": "middle" }, meta(node, this.options.criterion)));
    if (closed && node.below > 0) {
      const chip = svg("g", { class: "more", transform: `translate(${width / 2} ${height + 12})`, "aria-hidden": "true", onclick: () => this.toggle(node.id) });
      const text = `+ ${count(node.below)}`;
      const wide = text.length * 6.4 + 14;
      chip.append(svg("rect", { x: -wide / 2, y: -12, width: wide, height: 24, rx: 12 }), svg("text", { y: 4, "text-anchor": "middle" }, text));
      group.append(chip);
    }
    return group;
  }

  private bar(node: TreeNode, width: number): SVGElement {
    const tree = this.tree!;
    const y = { full: 29, compact: 22, minimal: 6 }[this.detail];
    const height = { full: 10, compact: 7, minimal: 8 }[this.detail];
    const inset = this.detail === "minimal" ? 4 : 10;
    const room = width - 2 * inset;
    const group = svg("g", { class: "bar" });
    if (Array.isArray(node.value)) {
      let x = inset;
      node.value.forEach((share, k) => {
        if (share <= 0) return;
        group.append(svg("rect", { x: x.toFixed(2), y, width: (share * room).toFixed(2), height, fill: classColour(k, tree.classes?.length ?? 2) }));
        x += share * room;
      });
      group.append(svg("rect", { class: "frame", x: inset, y, width: room, height }));
    } else {
      const values = tree.nodes.map((one) => one.value as number);
      const low = Math.min(...values);
      const high = Math.max(...values);
      const share = high > low ? (node.value - low) / (high - low) : 0.5;
      group.append(svg("rect", { class: "frame", x: inset, y: y + height / 2 - 1, width: room, height: 2 }), svg("circle", { class: "value", cx: inset + share * room, cy: y + height / 2, r: height / 2 }));
    }
    return group;
  }

  // --- pruning: one class per card that changes, so that a frame of the slider costs next to nothing

  fade(alpha: number): void {
    const limit = alpha * (1 + 1e-10);
    let next = Infinity;
    for (const node of this.order) {
      if (node.test && (node.alpha ?? 0) > limit) next = Math.min(next, node.alpha!);
    }
    for (const node of this.order) {
      const parent = this.byId.get(node.parent);
      const gone = parent !== undefined && node.id !== this.tree!.root && (parent.alpha ?? 0) <= limit;
      const cutHere = !gone && node.test !== "" && (node.alpha ?? 0) <= limit;
      const weakest = !gone && !cutHere && node.test !== "" && (node.alpha ?? 0) <= next * (1 + 1e-10);
      const card = this.items.get(node.id)!;
      card.classList.toggle("gone", gone);
      card.classList.toggle("cut", cutHere);
      card.classList.toggle("weakest", weakest);
      this.edges.get(node.id)?.classList.toggle("gone", gone);
    }
  }

  // --- rows fall into new branches

  private rowsFall(before: Set<number>, old: Places | null): void {
    if (!old || matchMedia("(prefers-reduced-motion: reduce)").matches || this.detail === "minimal") return;
    const fresh = this.order.filter((node) => !before.has(node.id) && before.has(node.parent));
    if (fresh.length === 0 || fresh.length > 12) return;
    const layer = this.scroll.querySelector("svg")!;
    for (const node of fresh) {
      const card = this.items.get(node.id)!;
      card.animate?.([{ opacity: 0 }, { opacity: 1 }], { duration: 450, easing: "ease-out" });
      const [x1, y1] = this.at(node.parent);
      const [x2, y2] = this.at(node.id);
      const from = y1 + HEIGHT[this.detail];
      const parent = this.byId.get(node.parent)!;
      const dots = Math.max(2, Math.round((14 * node.n) / Math.max(1, parent.n)));
      for (let i = 0; i < dots; i += 1) {
        const dot = svg("circle", { class: "row", r: 3, cx: x1, cy: from, fill: this.rowColour(node, i / dots) });
        layer.append(dot);
        const side = (((i * 0.618) % 1) - 0.5) * 26;
        const falls = dot.animate?.([{ transform: "translate(0,0)", opacity: 0 }, { opacity: 1, offset: 0.2 }, { transform: `translate(${x2 - x1 + side}px,${y2 - from}px)`, opacity: 0.9 }], { duration: 520, delay: i * 28, easing: "cubic-bezier(.4,0,.6,1)", fill: "both" });
        if (falls) falls.onfinish = () => dot.remove();
        else dot.remove();
      }
    }
  }

  private rowColour(node: TreeNode, place: number): string {
    if (!Array.isArray(node.value)) return "currentColor";
    let sum = 0;
    for (let k = 0; k < node.value.length; k += 1) {
      sum += node.value[k];
      if (place < sum) return classColour(k, node.value.length);
    }
    return "currentColor";
  }

  // --- size and place

  private setZoom(zoom: number): void {
    this.fitted = false;
    this.zoom = Math.min(4, Math.max(0.1, zoom));
    this.apply();
  }

  fit(): void {
    this.fitted = true;
    const picture = this.scroll.querySelector("svg");
    if (!picture) return;
    const width = Number(picture.getAttribute("data-width"));
    const height = Number(picture.getAttribute("data-height"));
    const room = this.scroll.clientWidth || 600;
    const tall = this.scroll.clientHeight || 400;
    this.zoom = Math.max(0.55, Math.min(1.2, room / width, Math.max(tall / height, 0.55)));
    this.apply();
    const x = this.places?.x.get(this.tree!.root) ?? 0;
    this.scroll.scrollLeft = Math.max(0, (x + 12) * this.zoom - room / 2);
  }

  private apply(): void {
    const picture = this.scroll.querySelector("svg");
    if (!picture) return;
    picture.setAttribute("width", String(Number(picture.getAttribute("data-width")) * this.zoom));
    picture.setAttribute("height", String(Number(picture.getAttribute("data-height")) * this.zoom));
  }

  private pan(): void {
    let from: [number, number, number, number] | null = null;
    this.scroll.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || (event.target as Element).closest("[role=treeitem]") || event.pointerType === "touch") return;
      from = [event.clientX, event.clientY, this.scroll.scrollLeft, this.scroll.scrollTop];
      this.scroll.setPointerCapture(event.pointerId);
    });
    this.scroll.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.scroll.scrollLeft = from[2] - (event.clientX - from[0]);
      this.scroll.scrollTop = from[3] - (event.clientY - from[1]);
    });
    const end = () => (from = null);
    this.scroll.addEventListener("pointerup", end);
    this.scroll.addEventListener("pointercancel", end);
    this.scroll.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.setZoom(this.zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }, { passive: false });
    this.scroll.addEventListener("keydown", (event) => this.key(event));
  }

  // --- keys: the tree pattern of the ARIA practices

  private roving(focus = false): void {
    for (const [id, item] of this.items) item.setAttribute("tabindex", id === this.focused ? "0" : "-1");
    if (!this.items.has(this.focused)) this.items.get(this.tree!.root)?.setAttribute("tabindex", "0");
    if (focus) this.items.get(this.focused)?.focus({ preventScroll: true });
  }

  focus(id: number): void {
    this.focused = id;
    this.roving();
    const item = this.items.get(id);
    item?.focus({ preventScroll: true });
    item?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private toggle(id: number): void {
    const node = this.byId.get(id)!;
    if (node.below === 0) return;
    if (node.kids.length === 0) {
      this.options.onRoot?.(id);
      return;
    }
    if (!this.closed.delete(id)) this.closed.add(id);
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (!(event.target as Element).closest?.("[role=treeitem]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.order.findIndex((node) => node.id === this.focused);
    const node = this.order[place];
    if (!node) return;
    const open = node.kids.length > 0 && !this.closed.has(node.id);
    let to: number | undefined;
    switch (event.key) {
      case "ArrowDown": to = this.order[place + 1]?.id; break;
      case "ArrowUp": to = this.order[place - 1]?.id; break;
      case "Home": to = this.order[0].id; break;
      case "End": to = this.order[this.order.length - 1].id; break;
      case "ArrowRight":
        if (open) to = node.kids[0];
        else this.toggle(node.id);
        break;
      case "ArrowLeft":
        if (open && node.id !== this.tree!.root) this.toggle(node.id);
        else if (this.byId.has(node.parent)) to = node.parent;
        break;
      case "Enter":
      case " ":
        this.options.onChoose?.(node.id);
        break;
      default:
        if (event.key.length !== 1 || !/\S/.test(event.key) || event.key === "?") return;
        to = this.typeAhead(event.key, place); // letters belong to the tree while it has the focus
    }
    event.preventDefault();
    event.stopPropagation();
    if (to !== undefined) this.focus(to);
  }

  private typeAhead(letter: string, place: number): number | undefined {
    const now = performance.now();
    this.typed = now - this.typedAt < 600 ? this.typed + letter : letter;
    this.typedAt = now;
    const wanted = this.typed.toLowerCase();
    const rest = [...this.order.slice(place + 1), ...this.order.slice(0, place + 1)];
    return rest.find((node) => (node.test || answer(this.tree!, node)).toLowerCase().startsWith(wanted))?.id;
  }
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
}

function short(text: string, feature: string | null): string {
  return feature && text.startsWith(`${feature} `) ? text.slice(feature.length + 1).replace(/^= /, "") : text;
}
