// Every page in light, dark and narrow: open to everybody, and nothing wider than the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import type { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { oneOfEach, staged } from "../scene.ts";

const AXE = readFileSync(join(process.env["PAGE_ROOT"] ?? process.cwd(), "node_modules/axe-core/axe.min.js"), "utf8");

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await staged();
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

const PAGES: readonly [name: string, path: string][] = [
  ["the list of matches", "/"],
  ["the ladders", "/ladder"],
  ["the standings", "/ladder/main"],
  ["a bot of a ladder", "/ladder/main/mason"],
  ["a live match", "/m/live"],
  ["a match with hostile text", "/m/hostile?at=33"],
  ["a match that is not there", "/m/none"],
  ["an unknown page", "/nowhere"],
  ...oneOfEach(goldens()).map(({ name, messages }): [string, string] => [name, `/m/${name}?at=${messages.length - 1}`]),
];

const LOOKS: readonly [name: string, options: BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
];

interface Axe {
  run(context: unknown, options: unknown): Promise<{
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  }>;
}

/** What axe finds serious. */
async function serious(page: Page): Promise<string[]> {
  // Through the debugger: the policy of the page lets no other script in.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
  });
}

for (const [look, options] of LOOKS) {
  for (const [name, path] of PAGES) {
    test(`${name}, ${look}: no serious finding of axe, nothing wider than the page`, async () => {
      const { page, errors } = await tab(browser, options);
      await page.goto(server.url + path);
      await page.getByRole("main").getByRole("heading", { level: 1 }).first().waitFor();
      assert.deepEqual(await serious(page), []);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok((inner ?? 0) <= (outer ?? 0), `${inner} is wider than ${outer}`);
      assert.deepEqual(errors, []);
      await page.context().close();
    });
  }
}
