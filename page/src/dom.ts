// Elements from data, as text and attributes only: nothing that comes from a table is ever parsed as markup.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | ((event: any) => void) | Record<string, string>;
export type Props = Record<string, Value>;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, props: Props | null, children: Child[]): void {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else if (name === "style") {
      for (const [key, text] of Object.entries(value as Record<string, string>)) {
        (element as HTMLElement).style.setProperty(key, text);
      }
    } else if (name === "value" || name === "checked" || name === "selected") {
      (element as any)[name] = value;
      if (name !== "value") element.setAttribute(name, "");
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(String(child));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props | null = null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

export function svg(tag: string, props: Props | null = null, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  fill(element, props, children);
  return element;
}

let numbers = 0;
export function uniqueId(stem: string): string {
  numbers += 1;
  return `tw-${stem}-${numbers}`;
}

// Replaces what is in an element and gives the focus back to the control that had it, known by its data-key.
export function replaceIn(element: Element, ...children: Child[]): void {
  const root = element.getRootNode() as Document | ShadowRoot;
  const active = root.activeElement;
  const key = active && element.contains(active) ? active.getAttribute("data-key") : null;
  element.replaceChildren();
  append(element, children);
  if (key !== null) focusKey(element, key);
}

export function focusKey(element: Element, key: string): boolean {
  const found = element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  found?.focus({ preventScroll: true });
  return found !== null;
}
