// The page over HTTPS, on a server that asks for API keys.

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
  // A server that runs knows a new key only after a while.
  key = server.key("ada", "read", "create", "play");
  other = server.key("bob", "read", "play");
  await server.start();
  browser = await browse();
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** Types the key in where the page asks for one. */
async function use(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use it in this tab" }).click();
}

test("a key opens the page over HTTPS for its tab alone, and is in no address", async () => {
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
  await page.getByText("waits for bots").first().waitFor();
  await page.reload();
  await page.getByText("waits for bots").first().waitFor();

  assert.equal(await page.evaluate(() => Object.values(sessionStorage).length), 1);
  assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
  assert.deepEqual(asked.filter((url) => !url.startsWith("https:") || url.includes(key)), []);
  // The wrong key and the page before it are refused, and nothing else goes wrong.
  assert.deepEqual(errors.filter((error) => !error.includes("401")), []);

  const other = await tab(browser, { ignoreHTTPSErrors: true });
  await other.page.goto(`${server.pageUrl}/m/${made.matchId}`);
  await other.page.getByLabel("API key").waitFor();
  await other.page.context().close();
  await page.context().close();
});

test("a seat is taken over HTTPS with a link and a key, and neither stays in the address", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--key", key);
  const { page } = await tab(browser, { ignoreHTTPSErrors: true });
  await page.goto(made.links[0] ?? "");
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.getByRole("button", { name: "Take the seat" }).click();
  await use(page, key);
  await page.getByText("Waiting for the others to come").waitFor();
  assert.equal(page.url(), `${server.pageUrl}/play`);
  await page.context().close();
});

test("while a match runs, a tab with a key sees the seat of that key, and no other", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--key", key);
  for (const [index, own] of [key, other].entries()) {
    const { page } = await tab(browser, { ignoreHTTPSErrors: true });
    await page.goto(made.links[index] ?? "");
    await page.getByRole("button", { name: "Take the seat" }).click();
    await use(page, own);
    await page.getByText(index === 0 ? "Waiting for the others to come" : /It is for you to decide|Others decide/).waitFor();
  }
  const { page } = await tab(browser, { ignoreHTTPSErrors: true });
  await page.goto(`${server.pageUrl}/m/${made.matchId}`);
  await use(page, other);
  await page.getByRole("log").waitFor();
  const viewAs = page.getByRole("region", { name: "seats" }).getByRole("button", { name: "view as" });
  await viewAs.nth(1).and(page.locator(":enabled")).click();
  await page.getByText("what seat 1 knew").waitFor();
  assert.equal(await viewAs.nth(0).isEnabled(), false);
  await Promise.all(browser.contexts().map((context) => context.close()));
});
