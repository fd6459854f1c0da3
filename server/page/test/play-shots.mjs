// Takes screenshots of the page of a player: `node test/play-shots.mjs [GAME PART] [light|dark|narrow]`.

import { join, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../.work/play-shots.mjs");
await build({ entryPoints: [join(here, "play-shots.ts")], outfile: out, bundle: true, platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "warning" });
await import(pathToFileURL(out).href);
