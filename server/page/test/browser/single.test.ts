// The single file, opened from disk.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { goldens } from "../golden.ts";
import { oneOfEach } from "../scene.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();

let browser: Browser;
before(async () => {
  browser = await browse();
});
after(() => browser.close());

/** Fills the template, as `bridgemaster replay html` does. */
function single(positions: Uint8Array): string {
  const dist = (name: string) => readFileSync(join(ROOT, "dist", name), "utf8");
  const hash = (text: string) => createHash("sha256").update(text).digest("base64");
  const [script, style] = [dist("page.js"), dist("page.css")];
  const put = (text: string, mark: string, value: string) => text.split(mark).join(value);
  let text = dist("single.html");
  text = put(text, "SCRIPT_SHA256", hash(script));
  text = put(text, "STYLE_SHA256", hash(style));
  text = put(text, "/*PAGE_CSS*/", style);
  text = put(text, "POSITIONS_BASE64", Buffer.from(positions).toString("base64"));
  return put(text, "/*PAGE_JS*/", script);
}

for (const golden of oneOfEach(goldens())) {
  test(`${golden.name} in a single file works from disk without network requests`, async () => {
    const folder = join(ROOT, ".work/single");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${golden.name}.html`);
    writeFileSync(file, single(golden.bytes));
    const { page, errors } = await tab(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const url = pathToFileURL(file).href;
    await page.goto(`${url}#at=12&seat=1`);
    await page.locator(".count b", { hasText: /^12$/ }).waitFor();
    await page.getByText("view of seat 1").waitFor();
    await page.keyboard.press("End");
    const last = golden.messages.length - 1;
    await page.locator(".count b", { hasText: new RegExp(`^${last}$`) }).waitFor();
    await page.waitForURL(`${url}#at=${last}&seat=1`);
    assert.deepEqual(asked.filter((each) => !each.startsWith(url) && !each.startsWith("data:")), []);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}
