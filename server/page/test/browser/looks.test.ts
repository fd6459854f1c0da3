// Every page in light, dark and narrow: open to everybody, and nothing wider than the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import type { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { narrower, serious } from "../looks.ts";
import { oneOfEach, staged } from "../scene.ts";

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
  ["the form for a seat", "/play"],
  ["an unknown page", "/nowhere"],
  ...oneOfEach(goldens()).map(({ name, messages }): [string, string] => [name, `/m/${name}?at=${messages.length - 1}`]),
];

const LOOKS: readonly [name: string, options: BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
];

for (const [look, options] of LOOKS) {
  for (const [name, path] of PAGES) {
    test(`${name}, ${look}: no serious finding of axe, nothing wider than the page`, async () => {
      const { page, errors } = await tab(browser, options);
      await page.goto(server.url + path);
      await page.getByRole("main").getByRole("heading", { level: 1 }).first().waitFor();
      assert.deepEqual(await serious(page), []);
      await narrower(page);
      assert.deepEqual(errors, []);
      await page.context().close();
    });
  }
}
