// The frame of the page: screens, what is loaded, copy and download, help, messages, and work in progress.

import { App, SCREENS, type Screen } from "./app";
import { h, replaceIn } from "./dom";
import { count } from "./format";
import { keys, words } from "./messages";

const THEME = "treewright-theme";
const SHORTCUTS = "treewright-shortcuts";

export interface ScreenView {
  element: HTMLElement;
  update(): void;
}

export class Shell {
  readonly element: HTMLElement;
  private readonly status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  private readonly alert = h("p", { class: "status error", role: "alert" });
  private readonly top = h("div", { class: "top-row" });
  private readonly progress = h("div", { class: "working", hidden: true });
  private readonly banner = h("div", { class: "banner", role: "alert", hidden: true });
  private readonly main = h("main", { id: "tw-main", tabindex: -1 });
  private readonly dialog: HTMLDialogElement;
  private views = new Map<Screen, ScreenView>();
  private shown: Screen | null = null;
  private lastBusy: unknown = null;
  private hide = 0;
  private touched = false;
  app!: App;

  constructor(private readonly makers: Record<Screen, (app: App) => ScreenView>, private readonly inNotebook: boolean) {
    this.dialog = this.help();
    this.element = h("div", { class: `treewright${inNotebook ? " inside" : ""}` }, inNotebook ? null : h("a", { class: "skip", href: "#tw-main", onclick: (event: Event) => { event.preventDefault(); this.main.focus(); } }, words.skip), this.banner, h("header", { class: "top" }, this.top), this.progress, this.main, h("div", { class: "toasts" }, this.status, this.alert), this.dialog);
    this.setTheme(this.store()?.getItem(THEME) ?? null);
    (inNotebook ? this.element : document).addEventListener("keydown", (event) => this.key(event as KeyboardEvent));
  }

  private store(): Storage | null {
    try {
      return localStorage;
    } catch {
      return null;
    }
  }

  say = (text: string, isError = false): void => {
    const place = isError ? this.alert : this.status;
    (isError ? this.status : this.alert).textContent = "";
    place.textContent = text;
    window.clearTimeout(this.hide);
    this.hide = window.setTimeout(() => (place.textContent = ""), isError ? 12000 : 5000);
  };

  attach(app: App): void {
    this.app = app;
    app.onChange(() => this.update());
    if (!this.inNotebook) {
      window.addEventListener("popstate", () => {
        const screen = new URLSearchParams(location.hash.slice(1)).get("screen") as Screen | null;
        if (screen && SCREENS.includes(screen) && screen !== app.screen) app.go(screen);
      });
      if (app.host.kind === "page") this.takeDrops();
    }
  }

  // A file that misses the frame of Data would make the browser leave the page.
  private takeDrops(): void {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (!file || !this.app.state || this.app.busy) return;
      void this.app.upload(file).then((taken) => taken && this.app.go("data"));
    });
  }

  update(): void {
    const { app } = this;
    if (!app.state) return;
    this.drawTop();
    this.drawProgress();
    this.drawBanner();
    if (app.busy) return;
    if (this.shown !== app.screen) {
      if (!this.views.has(app.screen)) this.views.set(app.screen, this.makers[app.screen](app));
      this.main.replaceChildren(this.views.get(app.screen)!.element);
      this.shown = app.screen;
      if (!this.inNotebook) document.title = `${words.screens[app.screen]} · ${words.title}`;
    }
    this.views.get(app.screen)!.update();
    // Where the control that was used is gone, the keyboard goes on in the content and not at the top.
    if (!this.inNotebook && document.activeElement === document.body && this.touched) this.main.focus({ preventScroll: true });
    this.touched = true;
  }

  private drawTop(): void {
    const { app } = this;
    const { state } = app;
    const readOnly = app.host.kind === "static";
    const screens = readOnly ? (["grow", "prune"] as Screen[]) : SCREENS;
    const tabs = h("nav", { class: "screens", "aria-label": "Screens" }, screens.map((screen, i) => h("button", { type: "button", class: "screen", "data-key": `screen-${screen}`, "aria-current": app.screen === screen ? "page" : null, title: `${i + 1}`, onclick: () => app.go(screen) }, readOnly && screen === "grow" ? "Tree" : words.screens[screen])));
    const facts = [state.data?.name, state.tree || state.model ? state.title : null, state.tree ? `${count(state.tree.leaves)} ${state.tree.leaves === 1 ? "leaf" : "leaves"}${state.pruned_leaves ? `, pruned to ${count(state.pruned_leaves)}` : ""}` : null].filter(Boolean).join(" · ");
    const about = h("p", { class: "about" }, facts, state.tree?.edited ? h("span", { class: "badge" }, words.edited) : null);
    const icon = (label: string, sign: string, act: (event: Event) => void, key: string, more: Record<string, string> = {}) => h("button", { type: "button", class: "quiet icon", title: label, "aria-label": label, "data-key": key, onclick: act, ...more }, sign);
    const tools = h("div", { class: "tools" },
      readOnly ? null : this.menu(),
      icon(words.theme, "◐", () => this.switchTheme(), "theme"),
      icon(words.help, "?", () => this.dialog.showModal(), "help"));
    replaceIn(this.top, h("span", { class: "brand", "aria-hidden": "true" }, "Treewright"), this.inNotebook ? null : h("h1", { class: "hidden" }, words.title), tabs, about, tools);
  }

  private menu(): HTMLElement {
    const { app } = this;
    const { state } = app;
    const nothing = state.python.length <= 1;
    const close = (event: Event) => (event.target as Element).closest("details")?.removeAttribute("open");
    const entry = (text: string, act: () => void, key: string, off = false) => h("button", { type: "button", class: "quiet", disabled: off, "data-key": key, onclick: (event: Event) => { close(event); act(); } }, text);
    const noTree = state.tree === null && state.model === null;
    const menu = h("details", { class: "menu" }, h("summary", { "data-key": "menu" }, "Copy and download"),
      h("div", { class: "menu-body" },
        entry(words.python, () => void this.copy(state.python.join("\n")), "copy-python", nothing),
        entry(words.command, () => void this.copy(state.command.join("\n")), "copy-command", state.command.length === 0),
        h("hr"),
        Object.entries(words.forms).map(([form, text]) => entry(text, () => void this.download(form), `download-${form}`, noTree)),
        h("hr"),
        this.inNotebook ? null : entry(words.print, () => window.print(), "print"),
        h("h2", null, "In Python"), h("pre", { tabindex: 0, role: "region", "aria-label": "In Python" }, state.python.join("\n")),
        state.command.length ? [h("h2", null, "On the command line"), h("pre", { tabindex: 0, role: "region", "aria-label": "On the command line" }, state.command.join("\n"))] : null));
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary")!.focus();
      event.stopPropagation();
    });
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget as Node)) menu.open = false;
    });
    menu.open = this.top.querySelector<HTMLDetailsElement>("details.menu")?.open ?? false;
    return menu;
  }

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = h("textarea", { class: "hidden", value: text });
      this.element.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    this.say(words.copied);
  }

  private async download(form: string): Promise<void> {
    const { app } = this;
    try {
      const { name, body } = await app.host.download(form, app.state.session);
      const link = h("a", { href: URL.createObjectURL(body), download: name });
      this.element.append(link);
      link.click();
      link.remove();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      this.say(`${name} is downloaded.`);
    } catch (error) {
      app.failed(error);
    }
  }

  private drawProgress(): void {
    const { app } = this;
    const { busy } = app;
    this.progress.hidden = busy === null;
    this.main.classList.toggle("busy", busy !== null);
    this.main.setAttribute("aria-busy", String(busy !== null));
    if (busy === null) {
      this.lastBusy = null;
      return;
    }
    const at = busy.progress;
    const text = at?.words ? `${busy.words} ${count(at.done)}${at.total ? ` of ${count(at.total)}` : ""} ${at.words}` : busy.words;
    if (this.lastBusy === busy) {
      this.progress.querySelector("span")!.textContent = text;
      const bar = this.progress.querySelector("progress")!;
      if (at?.total) bar.value = at.done / at.total;
      return;
    }
    this.lastBusy = busy;
    const bar = h("progress", { max: 1, "aria-label": busy.words });
    replaceIn(this.progress, bar, h("span", null, text), busy.cancel ? h("button", { type: "button", "data-key": "cancel", onclick: () => busy.cancel!.abort() }, words.cancel) : null);
  }

  private drawBanner(): void {
    const { app } = this;
    const was = this.banner.dataset.why ?? "";
    this.banner.hidden = app.lost === null;
    if (was === (app.lost ?? "")) return;
    this.banner.dataset.why = app.lost ?? "";
    if (app.lost === "gone") this.banner.replaceChildren(h("p", null, words.gone));
    else if (app.lost === "other") {
      const field = h("input", { type: "text", "aria-label": words.address, size: 40, autocomplete: "off" });
      const go = (event: Event) => {
        event.preventDefault();
        const found = /token=([\w-]+)/.exec(field.value);
        const origin = /^(https?:\/\/[^/#]+)/.exec(field.value.trim())?.[1];
        if (!found) return this.say("The address ends with #token=…", true);
        if (origin && origin !== location.origin) location.href = `${origin}/#token=${found[1]}&${location.hash.slice(1)}`;
        else void app.reconnect(found[1]);
      };
      this.banner.replaceChildren(h("form", { class: "row wrap", onsubmit: go }, h("p", null, words.other), field, h("button", { type: "submit" }, words.reconnect)));
    } else this.banner.replaceChildren();
  }

  // --- help, theme, keys

  private help(): HTMLDialogElement {
    const on = h("input", { type: "checkbox", checked: this.store()?.getItem(SHORTCUTS) !== "off", onchange: (event: Event) => this.store()?.setItem(SHORTCUTS, (event.target as HTMLInputElement).checked ? "on" : "off") });
    const dialog = h("dialog", { class: "help", "aria-labelledby": "tw-help-title" }, h("h2", { id: "tw-help-title" }, words.help), h("dl", null, keys.map(([key, what]) => [h("dt", null, h("kbd", null, key)), h("dd", null, what)])), h("label", { class: "inline" }, on, ` ${words.shortcutsOn}`), h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")));
    return dialog;
  }

  private setTheme(theme: string | null): void {
    const root = this.inNotebook ? this.element : document.documentElement;
    if (theme) root.setAttribute("data-theme", theme);
    else root.removeAttribute("data-theme");
  }

  private switchTheme(): void {
    const root = this.inNotebook ? this.element : document.documentElement;
    const now = root.getAttribute("data-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    this.setTheme(next);
    this.store()?.setItem(THEME, next);
  }

  private key(event: KeyboardEvent): void {
    const { app } = this;
    const target = event.target as Element;
    if (!app?.state || this.dialog.open) return;
    if (event.key === "Escape" && app.busy?.cancel) {
      app.busy.cancel.abort();
      return;
    }
    if (target.closest?.("input, select, textarea, [contenteditable]")) return;
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey && (letter === "z" || letter === "y")) {
      event.preventDefault();
      this.history(letter === "y" || event.shiftKey ? "redo" : "undo");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || this.store()?.getItem(SHORTCUTS) === "off") return;
    const number = Number(event.key);
    if (number >= 1 && number <= SCREENS.length && app.host.kind !== "static") app.go(SCREENS[number - 1]);
    else if (event.key === "?") this.dialog.showModal();
    else if (app.screen !== "grow" || !app.state.growing || app.busy) return;
    else if (letter === "n") void app.act("next", { order: app.order });
    else if (letter === "l") void app.act("grow", { levels: 1 });
    else if (letter === "a") void app.act("grow");
    else if (letter === "u") this.history("undo");
    else if (letter === "r") this.history("redo");
    else return;
    event.preventDefault();
  }

  private history(action: "undo" | "redo"): void {
    const tree = this.app.state.tree;
    if (this.app.state.growing && tree && tree[action] > 0 && !this.app.busy) void this.app.act(action);
  }
}
