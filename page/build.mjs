// Bundles the page into src/treewright/web/static: one ES module, one style sheet. The same bytes on every machine.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/treewright/web/static");
await mkdir(out, { recursive: true });
const shared = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };
await build({ ...shared, entryPoints: [join(here, "src/main.ts")], outfile: join(out, "page.js"), format: "esm", target: "es2022" });
await build({ ...shared, entryPoints: [join(here, "src/styles/page.css")], outfile: join(out, "page.css") });
for (const file of ["index.html", "icon.svg"]) await copyFile(join(here, file), join(out, file));
