// The page over HTTPS, on a server that requires API keys.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { RealServer } from "../real-server.ts";

let server: RealServer;
let browser: Browser;
let key: string;
let other: string;
before(async () => {
  server = new RealServer({ isSecure: true });
  // A running server reloads the keys only at intervals.
  key = server.key("ada", "read", "create", "play");
  other = server.key("bob", "read", "play");
  await server.start();
  browser = await browse();
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** Enters the key in the form of the page. */
async function use(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use it in this tab" }).click();
}

test("a key opens the page over HTTPS for its tab only, and is not in the address", async () => {
  const made = server.create("--game", "alhambra", "--seats", "2", "--key", key);
  const { page, errors } = await tab(browser, { ignoreHTTPSErrors: true });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(server.pageUrl);
  assert.match(page.url(), /^https:/);
  await use(page, `${key.slice(0, -4)}0000`);
  await use(page, key);
  await page.getByRole("link", { name: "Alhambra" }).click();
  await page.waitForURL(`**/m/${made.matchId}`);
  await page.getByText("waiting for bots").first().waitFor();
  await page.reload();
  await page.getByText("waiting for bots").first().waitFor();

  assert.equal(await page.evaluate(() => Object.values(sessionStorage).length), 1);
  assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
  assert.deepEqual(asked.filter((url) => !url.startsWith("https:") || url.includes(key)), []);
  // Only the calls with the wrong key and without a key were refused.
  assert.deepEqual(errors.filter((error) => !error.includes("401")), []);

  const other = await tab(browser, { ignoreHTTPSErrors: true });
  await other.page.goto(`${server.pageUrl}/m/${made.matchId}`);
  await other.page.getByLabel("API key").waitFor();
  await other.page.context().close();
  await page.context().close();
});

test("a seat is taken over HTTPS with a link and a key, and neither remains in the address", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--key", key);
  const { page } = await tab(browser, { ignoreHTTPSErrors: true });
  await page.goto(made.links[0] ?? "");
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.getByRole("button", { name: "Take the seat" }).click();
  await use(page, key);
  await page.getByText("Waiting for other players to join").waitFor();
  assert.equal(page.url(), `${server.pageUrl}/play`);
  await page.context().close();
});

test("a tab with a key shows only the seat of that key while a match runs", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--key", key);
  for (const [index, own] of [key, other].entries()) {
    const { page } = await tab(browser, { ignoreHTTPSErrors: true });
    await page.goto(made.links[index] ?? "");
    await page.getByRole("button", { name: "Take the seat" }).click();
    await use(page, own);
    await page.getByText(index === 0 ? "Waiting for other players to join" : /Your turn to decide|Waiting for other seats to decide/).waitFor();
  }
  const { page } = await tab(browser, { ignoreHTTPSErrors: true });
  await page.goto(`${server.pageUrl}/m/${made.matchId}`);
  await use(page, other);
  await page.getByRole("log").waitFor();
  const viewAs = page.getByRole("region", { name: "seats" }).getByRole("button", { name: "view as" });
  await viewAs.nth(1).and(page.locator(":enabled")).click();
  await page.getByText("view of seat 1").waitFor();
  assert.equal(await viewAs.nth(0).isEnabled(), false);
  await Promise.all(browser.contexts().map((context) => context.close()));
});
