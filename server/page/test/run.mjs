// Runs the tests of a folder: `node test/run.mjs pure` or `browser`. Further arguments select files by
// name, without `.test.ts`.

import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [folder = "pure", ...names] = process.argv.slice(2);
// A separate folder for each run, so that concurrent runs do not conflict.
const out = join(here, "../.work", `${folder}-${process.pid}`);
const files = readdirSync(join(here, folder))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => names.length === 0 || names.includes(name.replace(".test.ts", "")));
await build({
  entryPoints: files.map((name) => join(here, folder, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  packages: folder === "browser" ? "external" : "bundle",
  logLevel: "warning",
});
const built = files.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
// One file at a time: concurrent browsers would be slower.
const run = spawn(process.execPath, ["--enable-source-maps", "--test", "--test-concurrency=1", ...built], { stdio: "inherit" });
run.on("exit", (code) => {
  rmSync(out, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
