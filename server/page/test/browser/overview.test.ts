// The matches in progress on the list, with their boards, over one stream.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { Refused, UNIMPLEMENTED } from "../refused.ts";
import { ended, live, oneOfEach } from "../scene.ts";

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

test("a match in progress is listed although newer matches fill the first page", async () => {
  const [golden] = goldens();
  if (!golden) throw new Error("a playthrough");
  const crowded = await new FakeServer().start();
  for (let index = 0; index < 60; index++) crowded.matches.set(`over-${index}`, ended(golden, `over-${index}`));
  crowded.matches.set("oldest", live(golden, "oldest", 12).match);
  // Without this stream, the page has only the list.
  crowded.refusals.set("WatchMatches", [new Refused(UNIMPLEMENTED, "no streams")]);
  const { page } = await tab(browser);
  await page.goto(crowded.url);
  const inProgress = page.getByRole("region", { name: "matches in progress" }).getByRole("listitem").filter({ has: page.locator(".cover") });
  const over = page.getByRole("region", { name: "finished matches" }).locator("tbody tr");
  await inProgress.first().waitFor();
  assert.deepEqual([await inProgress.count(), await over.count()], [1, 50]);
  await page.getByRole("button", { name: "Older matches" }).click();
  await over.nth(59).waitFor();
  assert.equal(await inProgress.count(), 1, "cards of the match, which is also on the second page");
  await page.context().close();
  crowded.stop();
});
