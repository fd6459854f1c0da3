// Builds the bundle in `dist` from `src`, reproducibly.
//
//   node build.mjs            writes dist
//   node build.mjs --check    compares dist with a new build, byte for byte
//
// The messages of the protocol are generated first, from proto.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

/** Limit of the compressed size of all files together. */
const MAX_GZIPPED_BYTES = 150_000;

const LICENSES = `/*! Bridgemaster, MIT OR Apache-2.0. Contains lit-html, Copyright 2017 Google LLC, BSD-3-Clause;
@bufbuild/protobuf, Copyright 2021-2026 Buf Technologies, Inc., Apache-2.0 AND BSD-3-Clause;
@connectrpc/connect and connect-web, Copyright 2021-2026 The Connect Authors, Apache-2.0. */`;

/** Generates the messages as TypeScript, in `gen`. */
export function generate() {
  execFileSync(join(here, "node_modules/.bin/buf"), ["generate"], { cwd: here, stdio: "inherit" });
}

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { page: "src/main.ts", style: "src/style/page.css" },
    outdir: "dist",
    bundle: true,
    minify: true,
    lineLimit: 160,
    charset: "utf8",
    legalComments: "none",
    format: "iife",
    target: ["chrome123", "firefox121", "safari17.5"],
    write: false,
    logLevel: "warning",
  });
  const text = (name) => result.outputFiles.find(({ path }) => path.endsWith(name)).text;
  return {
    "index.html": readFileSync(join(here, "src/index.html"), "utf8"),
    "single.html": readFileSync(join(here, "src/single.html"), "utf8"),
    "plain.html": readFileSync(join(here, "src/plain.html"), "utf8"),
    // The single file embeds both in elements, so they must not contain the end tags.
    "page.js": `${LICENSES}\n${text("page.js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}`,
    "page.css": text("style.css"),
  };
}

/** Returns the problems of the files, and their compressed size. */
function validate(files) {
  const problems = [];
  const once = (name, ...marks) => {
    for (const mark of marks) if (files[name].split(mark).length !== 2) problems.push(`${name}: ${mark} must occur once`);
  };
  once("single.html", "/*PAGE_CSS*/", "/*PAGE_JS*/", "POSITIONS_BASE64", "SCRIPT_SHA256", "STYLE_SHA256");
  once("plain.html", "/*PAGE_CSS*/", "STYLE_SHA256", "PAGE_TITLE", "<!--PAGE_CONTENT-->");
  if (/<\/script|<!--/i.test(files["page.js"])) problems.push("page.js contains the end of a script element");
  if (/<\/style/i.test(files["page.css"])) problems.push("page.css contains the end of a style element");
  const size = Object.values(files).reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  if (size > MAX_GZIPPED_BYTES) problems.push(`${size} bytes gzipped exceed the limit of ${MAX_GZIPPED_BYTES}`);
  return { problems, size };
}

async function main() {
  generate();
  const files = await bundle();
  const { problems, size } = validate(files);
  if (process.argv.includes("--check")) {
    for (const [name, text] of Object.entries(files)) {
      let committed = "";
      try {
        committed = readFileSync(join(dist, name), "utf8");
      } catch {
        // A missing file differs.
      }
      if (committed !== text) problems.push(`dist/${name} is out of date; run: npm run build`);
    }
  } else {
    mkdirSync(dist, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text);
  }
  for (const problem of problems) console.error(problem);
  console.log(`${size} bytes gzipped`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main();
