// The matches in progress on the list, with their boards, over one stream.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { live, oneOfEach } from "../scene.ts";

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await new FakeServer().start();
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

test("all matches in progress are followed with their boards over one stream, and leave the list when they end", async () => {
  const games = oneOfEach(goldens()).map((golden, index) => ({ ...live(golden, `live-${index}`, 12), golden }));
  for (const { match } of games) server.matches.set(match.info.matchId, match);
  const { page, errors } = await tab(browser);
  await page.goto(server.url);
  const cards = page.getByRole("region", { name: "matches in progress" }).getByRole("listitem").filter({ has: page.locator(".cover") });
  const boards = page.locator(".thumb .board");
  await boards.nth(games.length - 1).waitFor();
  assert.equal(await cards.count(), games.length);

  const [first] = games;
  if (!first) throw new Error("a playthrough");
  const [next] = first.rest;
  if (!next) throw new Error("the match has a next position");
  first.match.info.decisions = 4321;
  first.match.push(next);
  await cards.getByText("4321 decisions").waitFor();
  assert.equal(await boards.count(), games.length);

  first.match.end();
  await page.getByRole("region", { name: "finished matches" }).getByRole("row").nth(1).waitFor();
  await boards.nth(games.length - 1).waitFor({ state: "detached" });
  assert.equal(await cards.count(), games.length - 1);
  assert.equal(server.overviews, 1, "streams of the list");
  assert.deepEqual(games.map(({ match }) => match.watchers), games.map(() => 0), "streams of single matches");
  assert.deepEqual(errors, []);
  await page.context().close();
});
