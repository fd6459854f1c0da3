// Takes screenshots of every page: `node test/shots.mjs [NAME PART] [light|dark|narrow]`; or those of
// the book, compressed with `pngquant`: `node test/shots.mjs docs`.

import { join, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const name = process.argv[2] === "docs" ? "docs-shots" : "shots";
const out = join(here, `../.work/${name}.mjs`);
await build({ entryPoints: [join(here, `${name}.ts`)], outfile: out, bundle: true, platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "warning" });
await import(pathToFileURL(out).href);
