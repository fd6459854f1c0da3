// Measures the page: `node test/bench.mjs`.

import { join, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../.work/bench.mjs");
await build({ entryPoints: [join(here, "bench.ts")], outfile: out, bundle: true, platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "warning" });
await import(pathToFileURL(out).href);
