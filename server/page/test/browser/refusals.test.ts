// Refused calls: the page retries temporary refusals, and explains the others.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { loaded, playthrough, shown } from "../match-page.ts";
import { FAILED_PRECONDITION, Refused, UNAVAILABLE } from "../refused.ts";
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
const moved = () => new Refused(FAILED_PRECONDITION, "the match is played on another server", "MOVED", { address: "10.0.0.7:50051" });
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

test("a match on another server is not requested again, and the error has the address", async () => {
  server.refusals.set("WatchPositions", [moved()]);
  const before = calls("WatchPositions");
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/over`);
  await page.getByRole("alert").getByText("at 10.0.0.7:50051").waitFor();
  assert.equal(calls("WatchPositions"), before + 1);
  server.refusals.set("WatchSeat", [moved()]);
  await page.goto(`${server.url}/play#ticket=${"0".repeat(32)}`);
  await page.getByRole("button", { name: "Take the seat" }).click();
  await page.getByRole("alert").getByText("at 10.0.0.7:50051").waitFor();
  await page.context().close();
});

test("a match that moves while it is followed keeps its loaded positions", async () => {
  const { match, rest } = live(LONDON, "moves", 10);
  const from = match.from.bind(match);
  let isMoved = false;
  match.from = async function* (decision, viewers) {
    for await (const message of from(decision, viewers)) {
      if (isMoved) throw moved();
      yield message;
    }
  };
  server.matches.set("moves", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/moves`);
  await shown(page, 9);
  isMoved = true;
  rest.slice(0, 1).forEach((message) => match.push(message));
  await page.getByRole("status").getByText("at 10.0.0.7:50051").waitFor();
  await page.keyboard.press("Home");
  await shown(page, 0);
  await page.context().close();
});
