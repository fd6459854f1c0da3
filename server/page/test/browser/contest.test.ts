// A finished contest in the browser, served by `bridgemaster contest open`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { assertNoOverflow, seriousFindings } from "../looks.ts";
import { OpenedContest } from "../real-server.ts";

let contest: OpenedContest;
let browser: Browser;
let url: string;
before(async () => {
  contest = new OpenedContest("--game", "bridges_to_nowhere", "--bot", "greedy", "--against", "random", "--groups", "1");
  url = await contest.url();
  browser = await browse();
});
after(async () => {
  await browser.close();
  await contest.stop();
});

test("the results link to each match, and each match links back", async () => {
  const { page, errors } = await tab(browser);
  await page.goto(url);
  await page.getByRole("heading", { name: /^Contest of Bridges to Nowhere/ }).waitFor();
  await page.getByRole("cell", { name: "greedy", exact: true }).first().waitFor();
  const links = page.locator('table a[href^="/match/"]');
  assert.ok((await links.count()) >= 2, "a match in each seat");
  await links.first().click();
  await page.locator(".match .board").waitFor();
  await page.getByRole("link", { name: "All matches of the contest" }).click();
  await page.getByRole("heading", { name: "Latest matches" }).waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

for (const [look, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { viewport: { width: 360, height: 780 } }],
] as const) {
  test(`${look}: no serious axe findings, no overflow`, async () => {
    const { page } = await tab(browser, options);
    await page.goto(url);
    await page.getByRole("heading", { name: "Latest matches" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await assertNoOverflow(page);
    await page.context().close();
  });
}
