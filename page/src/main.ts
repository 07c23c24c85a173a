// The one module of the page. As an AFM module (`render({ model, el })`) it lives in notebooks; in the document of
// our server it starts by itself; with data in the document it is a file that shows a tree.

import { App, type Screen } from "./app";
import { h } from "./dom";
import type { Host } from "./hosts/host";
import { PageHost } from "./hosts/page_host";
import { StaticHost, type StaticData } from "./hosts/static_host";
import { WidgetHost, type WidgetModel } from "./hosts/widget_host";
import { compareScreen } from "./screens/compare";
import { dataScreen } from "./screens/data";
import { growScreen } from "./screens/grow";
import { predictScreen } from "./screens/predict";
import { pruneScreen } from "./screens/prune";
import { Shell, type ScreenView } from "./shell";

const SCREEN_MAKERS: Record<Screen, (app: App) => ScreenView> = {
  data: dataScreen,
  grow: growScreen,
  prune: pruneScreen,
  predict: predictScreen,
  compare: compareScreen,
};

async function start(host: Host, place: HTMLElement): Promise<App> {
  const shell = new Shell(SCREEN_MAKERS, host.kind === "widget");
  const app = new App(host, shell.say);
  shell.attach(app);
  place.replaceChildren(shell.element);
  try {
    await app.start();
  } catch (error) {
    const text = host.kind === "page" ? "Open the page with the whole address that treewright app prints, with what stands behind the #." : String(error);
    place.replaceChildren(h("main", { class: "treewright refused" }, h("h1", null, "Treewright"), h("p", { role: "alert" }, text)));
  }
  return app;
}

export default {
  render({ model, el }: { model: WidgetModel; el: HTMLElement }): void {
    const data = model.get("_static") as StaticData | null | undefined;
    void start(data ? new StaticHost(data) : new WidgetHost(model), el);
  },
};

const place = typeof document === "undefined" ? null : document.getElementById("treewright");
if (place) {
  const inlined = document.getElementById("treewright-data");
  void start(inlined ? new StaticHost(JSON.parse(inlined.textContent ?? "null")) : new PageHost(), place);
}
