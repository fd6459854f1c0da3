// A tab with an API key shows the views of its own seats, and their notes, while a match runs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { playthrough, shown } from "../match-page.ts";
import { live } from "../scene.ts";

const LONDON = playthrough("old_london_bridge.four");
const KEY = "secret";

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await new FakeServer().start();
  server.needsKey = KEY;
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

/** Returns a running match with notes, in which the key has these seats. */
function owned(name: string, positions: number, ...seats: number[]) {
  const { match, rest } = live(LONDON, name, positions);
  match.info.seats.forEach((seat) => (seat.botName = `bot ${seats.includes(seat.seat) ? "own" : seat.seat}`));
  for (const { position } of [...match.sent, ...rest]) if (position?.played) position.played.note = `note of seat ${position.played.seat}`;
  match.keys.set(KEY, seats);
  server.matches.set(name, match);
  return { match, rest };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(server.url + path);
  await page.getByLabel("API key").fill(KEY);
  await page.getByRole("button", { name: "Use it in this tab" }).click();
}

const viewAs = (page: Page, seat: number) => page.getByRole("region", { name: "seats" }).getByRole("button", { name: "view as" }).nth(seat);
const notes = (page: Page) => page.locator(".transcript .note").allTextContents();

test("only the own seats and their notes are shown while the match runs", async () => {
  const { match, rest } = owned("owned", 30, 1, 3);
  const { page, errors } = await tab(browser);
  await open(page, "/m/owned");
  await page.locator(".transcript .note").first().waitFor();
  await shown(page, 29);
  assert.deepEqual([...new Set(await notes(page))].sort(), ["note of seat 1", "note of seat 3"]);
  for (const [seat, isOwn] of [[0, false], [1, true], [2, false], [3, true]] as const) {
    assert.equal(await viewAs(page, seat).isEnabled(), isOwn, `seat ${seat}`);
  }
  assert.equal(await page.getByRole("button", { name: "view all" }).isEnabled(), false);
  // The view of one of them does not have the decisions and notes of the other.
  await page.keyboard.press("2");
  await page.getByText("view of seat 1").waitFor();
  assert.deepEqual([...new Set(await notes(page))], ["note of seat 1"]);
  await page.waitForURL("**/m/owned?seat=1");
  // New positions are added.
  rest.slice(0, 8).forEach((message) => match.push(message));
  await shown(page, 37);
  await page.getByText("view of seat 1").waitFor();
  assert.deepEqual(errors.filter((error) => !error.includes("401")), []);
  await page.context().close();
});

test("an own bot that joins later is recognized", async () => {
  const { match, rest } = owned("later", 0, 2);
  match.info.state = MatchState.WAITING;
  const names = match.info.seats.map(({ botName }) => botName);
  match.info.seats.forEach((seat) => (seat.botName = ""));
  match.keys.clear();
  const { page } = await tab(browser);
  await open(page, "/m/later");
  await page.getByText("The match has not started.").waitFor();
  match.keys.set(KEY, [2]);
  match.info.seats.forEach((seat, index) => (seat.botName = names[index] ?? ""));
  match.info.state = MatchState.RUNNING;
  match.resendInfo();
  rest.slice(0, 12).forEach((message) => match.push(message));
  await shown(page, 11);
  await viewAs(page, 2).and(page.locator(":enabled")).click();
  await page.getByText("view of seat 2").waitFor();
  await page.context().close();
});

test("a seat in the address is shown at once, but only to its key", async () => {
  owned("linked", 30, 1);
  const { page } = await tab(browser);
  await open(page, "/m/linked?seat=1");
  await page.getByText("view of seat 1").waitFor();
  await page.goto(`${server.url}/m/linked?seat=0`);
  await shown(page, 29);
  await page.locator(".transcript .note").first().waitFor();
  assert.equal(await page.getByText(/view of seat \d/).count(), 0);
  await page.context().close();
});
