// Refused calls: the page retries temporary refusals, and explains the others.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { loaded, playthrough, shown } from "../match-page.ts";
import { DATA_LOSS, Refused, UNAVAILABLE } from "../refused.ts";
import { ended, live, ladderOf } from "../scene.ts";

const LONDON = playthrough("old_london_bridge.four");

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await new FakeServer().start();
  server.ladders = ladderOf();
  server.matches.set("over", ended(LONDON, "over"));
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

const superseded = () => new Refused(UNAVAILABLE, "another node might have taken over this node's matches", "NODE_SUPERSEDED");
const damaged = () => new Refused(DATA_LOSS, "the stored match cannot be read", "DATA_DAMAGED");
const calls = (method: string) => server.calls.filter((call) => call === method).length;

test("a match is requested again while its server is superseded", async () => {
  server.refusals.set("WatchPositions", [superseded(), superseded()]);
  const { page, errors } = await tab(browser);
  await page.goto(`${server.url}/m/over`);
  await page.getByText("another server of the cluster is taking over").waitFor();
  await loaded(page, LONDON);
  assert.equal(await page.getByText("another server of the cluster is taking over").count(), 0);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a followed match continues after the takeover by another server", async () => {
  const { match, rest } = live(LONDON, "followed", 10);
  const from = match.from.bind(match);
  let isSuperseded = false;
  match.from = async function* (decision, viewers) {
    for await (const message of from(decision, viewers)) {
      if (isSuperseded) throw superseded();
      yield message;
    }
  };
  server.matches.set("followed", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/followed`);
  await shown(page, 9);
  isSuperseded = true;
  rest.slice(0, 5).forEach((message) => match.push(message));
  await page.getByText("another server of the cluster is taking over").waitFor();
  isSuperseded = false;
  await shown(page, 14);
  await page.getByText("another server of the cluster is taking over").waitFor({ state: "detached" });
  await page.context().close();
});

test("requests for lists are retried, but not endlessly", async () => {
  server.refusals.set("ListStandings", [superseded()]);
  server.refusals.set("ListMatches", Array.from({ length: 50 }, superseded));
  const { page } = await tab(browser);
  await page.goto(`${server.url}/ladder/main`);
  await page.getByRole("table").getByText("mason").waitFor();
  await page.goto(`${server.url}/`);
  await page.getByRole("alert").getByText("another server of the cluster is taking over").waitFor();
  assert.equal(calls("ListMatches"), 7);
  server.refusals.clear();
  await page.context().close();
});

test("the stream of a seat is reopened while its server is superseded", async () => {
  // The fake server does not implement seats; its error shows that the call was retried.
  server.refusals.set("WatchSeat", [superseded(), superseded()]);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/play#ticket=${"0".repeat(32)}`);
  await page.getByRole("button", { name: "Take the seat" }).click();
  await page.getByText("another server of the cluster is taking over").waitFor();
  await page.getByRole("alert").getByText("WatchSeat is not implemented").waitFor();
  assert.equal(calls("WatchSeat"), 3);
  await page.context().close();
});

test("a match that cannot be read is not requested again", async () => {
  server.refusals.set("WatchPositions", [damaged()]);
  const before = calls("WatchPositions");
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/over`);
  await page.getByRole("alert").getByText("the stored match cannot be read").waitFor();
  assert.equal(calls("WatchPositions"), before + 1);
  server.refusals.set("WatchSeat", [damaged()]);
  await page.goto(`${server.url}/play#ticket=${"0".repeat(32)}`);
  await page.getByRole("button", { name: "Take the seat" }).click();
  await page.getByRole("alert").getByText("the stored match cannot be read").waitFor();
  await page.context().close();
});

test("a match that cannot be read any more keeps its loaded positions", async () => {
  const { match, rest } = live(LONDON, "damaged", 10);
  const from = match.from.bind(match);
  let isDamaged = false;
  match.from = async function* (decision, viewers) {
    for await (const message of from(decision, viewers)) {
      if (isDamaged) throw damaged();
      yield message;
    }
  };
  server.matches.set("damaged", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/damaged`);
  await shown(page, 9);
  isDamaged = true;
  rest.slice(0, 1).forEach((message) => match.push(message));
  await page.getByRole("status").getByText("the stored match cannot be read").waitFor();
  await page.keyboard.press("Home");
  await shown(page, 0);
  await page.context().close();
});
