// Every page in light, dark and narrow: accessibility, and no horizontal overflow.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import type { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { assertNoOverflow, seriousFindings } from "../looks.ts";
import { seatsOf } from "../match-page.ts";
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

/** A page: its name, its path, and an element that neither other pages nor error pages have. */
type Looked = readonly [name: string, path: string, has: (page: Page) => Locator];

const PAGES: readonly Looked[] = [
  ["the list of matches", "/", (page) => page.getByRole("region", { name: "finished matches" }).getByRole("row").nth(1)],
  ["the ladders", "/ladder", (page) => page.getByRole("link", { name: "main" })],
  ["the standings", "/ladder/main", (page) => page.getByRole("rowheader", { name: "mason" })],
  ["a bot of a ladder", "/ladder/main/mason", (page) => page.getByRole("img", { name: "rating over time" })],
  ["a live match", "/m/live", (page) => page.getByRole("log").locator(".decision").nth(18)],
  ["a match with hostile text", "/m/hostile?at=33", (page) => page.getByRole("region", { name: "decision" }).locator("blockquote")],
  ["a match that is not there", "/m/none", (page) => page.getByRole("alert").getByText("no match none")],
  ["the form for a seat", "/play", (page) => page.getByRole("textbox", { name: "Ticket" })],
  ["an unknown page", "/nowhere", (page) => page.getByRole("heading", { name: "Page not found" })],
  ...oneOfEach(goldens()).flatMap((golden): Looked[] => {
    const last = golden.messages.length - 1;
    return [
      [golden.name, `/m/${golden.name}?at=${last}`, (page) => page.getByText("place 1", { exact: true }).first()],
      [`all seats of ${golden.name}`, `/m/${golden.name}?at=${Math.floor(last * 0.6)}&seat=all`,
        (page) => page.getByRole("region", { name: `view of seat ${seatsOf(golden) - 1}` }).locator(".board svg").first()],
    ];
  }),
];

const LOOKS: readonly [name: string, options: BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
];

for (const [look, options] of LOOKS) {
  for (const [name, path, has] of PAGES) {
    test(`${name}, ${look}: no serious axe findings, no overflow`, async () => {
      const { page, errors } = await tab(browser, options);
      await page.goto(server.url + path);
      await has(page).waitFor();
      assert.deepEqual(await seriousFindings(page), []);
      await assertNoOverflow(page);
      assert.deepEqual(errors, []);
      await page.context().close();
    });
  }
}
