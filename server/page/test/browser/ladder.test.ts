// The pages of a ladder; long lists are loaded page by page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { Browser, Locator, Page } from "playwright-core";
import { LadderHeadToHeadSchema, StandingSchema } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { MatchInfoSchema } from "../../gen/bridgemaster/v1/match_pb.ts";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { ladderOf } from "../scene.ts";

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await new FakeServer().start();
  const names = Array.from({ length: 120 }, (_, index) => `bot ${index}`);
  server.ladders = {
    ...ladderOf(),
    standings: names.map((botName) => create(StandingSchema, { botName, botVersion: "1" })),
    others: names.map((botName) => create(LadderHeadToHeadSchema, { against: { botName, botVersion: "1" }, headToHead: { matches: 4 } })),
    // Every second match is one of the first bot.
    matches: names.slice(0, 90).map((_, index) => create(MatchInfoSchema, {
      matchId: `match-${index}`, seats: [{ seat: 0, botName: `bot ${index % 2}` }, { seat: 1, botName: "bot 2" }],
    })),
  };
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

/** Presses the button until it disappears. Returns the number of entries before each press and at the
 * end. */
async function readOn(page: Page, button: string, entries: Locator, counts: readonly number[]): Promise<void> {
  const more = page.getByRole("button", { name: button });
  for (const [presses, count] of counts.entries()) {
    if (presses > 0) await more.click();
    await entries.nth(count - 1).waitFor();
    assert.equal(await entries.count(), count);
  }
  await more.waitFor({ state: "detached" });
}

test("standings and the matches of a ladder are loaded page by page", async () => {
  const { page, errors } = await tab(browser);
  await page.goto(`${server.url}/ladder/main`);
  await page.getByRole("heading", { level: 1, name: "main" }).waitFor();
  const bots = page.getByRole("table").getByRole("rowheader");
  const matches = page.getByRole("list", { name: "Latest matches" }).getByRole("listitem");
  await readOn(page, "More bots", bots, [50, 100, 120]);
  await readOn(page, "Older matches", matches, [20, 40, 60, 80, 90]);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("the opponents and the matches of a bot are loaded page by page", async () => {
  const { page, errors } = await tab(browser);
  await page.goto(`${server.url}/ladder/main/bot%201`);
  await page.getByRole("heading", { level: 1, name: "bot 1" }).waitFor();
  const opponents = page.getByRole("table").last().getByRole("rowheader");
  const matches = page.getByRole("list", { name: "Latest matches" }).getByRole("listitem");
  await readOn(page, "More opponents", opponents, [50, 100, 120]);
  await readOn(page, "Older matches", matches, [20, 40, 45]);
  assert.deepEqual(errors, []);
  await page.context().close();
});
