// The page of a match: keys, address, views of seats, live matches, hostile text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { Browser, Page } from "playwright-core";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { WatchPositionsResponseSchema } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { loaded, playthrough, shown } from "../match-page.ts";
import { copied, ended, HOSTILE, hostile, live } from "../scene.ts";

const LONDON = playthrough("old_london_bridge.four");
const NOWHERE = playthrough("bridges_to_nowhere.a_match");

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

test("the keys of the help work, and buttons keep their own keys", async () => {
  server.matches.set("keys", hostile(LONDON, "keys"));
  const { page, errors } = await tab(browser);
  await page.goto(`${server.url}/m/keys`);
  await loaded(page, LONDON);
  await shown(page, 0);
  await page.keyboard.press("ArrowRight");
  await shown(page, 1);
  await page.keyboard.press("End");
  await shown(page, LONDON.messages.length - 1);
  await page.keyboard.press("Home");
  await shown(page, 0);
  await page.keyboard.press("j");
  await shown(page, 7);
  await page.keyboard.press("j");
  await shown(page, 32);
  await page.keyboard.press("k");
  await shown(page, 7);
  await page.keyboard.press("3");
  await page.getByText("view of seat 2").waitFor();
  await page.waitForURL("**/m/keys?at=7&seat=2");
  await page.keyboard.press("Escape");
  await page.getByText("view of seat 2").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Space on a button only presses it.
  await page.getByRole("button", { name: "next decision", exact: true }).focus();
  await page.keyboard.press(" ");
  await shown(page, 8);
  await page.getByRole("button", { name: "play", exact: true }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "pause" }).waitFor();
  // Playback continues, so a decision may be over before the check.
  await page.locator(".count b", { hasText: /^(9|\d\d+)$/ }).waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("the address contains the state", async () => {
  server.matches.set("address", ended(LONDON, "address"));
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/address?at=37&seat=2&speed=4`);
  await loaded(page, LONDON);
  await shown(page, 37);
  await page.getByText("view of seat 2").waitFor();
  assert.equal(await page.getByLabel("decisions per second").inputValue(), "4");
  await page.getByRole("button", { name: "next decision of seat 1" }).click();
  const next = LONDON.messages.findIndex(({ position }) => (position?.number ?? 0) > 37 && position?.played?.seat === 1);
  await shown(page, next);
  await page.waitForURL(`**/m/address?at=${next}&seat=2&speed=4`);
  // Each line of the transcript is a link to its position.
  const link = page.locator('.transcript li[data-index="20"] > a');
  assert.equal(await link.getAttribute("href"), "?at=20&seat=2&speed=4");
  await link.click();
  await shown(page, 20);
  await page.context().close();
});

test("a swipe goes to the next decision", async () => {
  server.matches.set("touch", ended(LONDON, "touch"));
  const { page } = await tab(browser, { hasTouch: true, viewport: { width: 360, height: 780 } });
  await page.goto(`${server.url}/m/touch?at=5`);
  await loaded(page, LONDON);
  await shown(page, 5);
  await page.evaluate(() => {
    const board = document.querySelector(".board");
    const touch = (clientX: number) => new Touch({ identifier: 1, target: board as Element, clientX, clientY: 100 });
    board?.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: [touch(300)] }));
    board?.dispatchEvent(new TouchEvent("touchend", { bubbles: true, changedTouches: [touch(100)] }));
  });
  await shown(page, 6);
  await page.context().close();
});

test("two tabs follow a live match; a hidden one has no open stream", async () => {
  const { match, rest } = live(LONDON, "live", 10);
  server.matches.set("live", match);
  const first = await tab(browser);
  const second = await tab(browser);
  for (const { page } of [first, second]) {
    await page.goto(`${server.url}/m/live`);
    await page.locator(".tag.live").waitFor();
    await shown(page, 9);
    await page.getByRole("log").waitFor();
  }
  await match.watchedBy(2);
  const hide = (page: Page, isHidden: boolean) => page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await hide(second.page, true);
  await match.watchedBy(1);
  rest.slice(0, 20).forEach((message) => match.push(message));
  await shown(first.page, 29);
  await first.page.locator(".transcript .decision", { hasText: /decided$/ }).first().waitFor();
  // Going back stops following.
  await first.page.keyboard.press("Home");
  await shown(first.page, 0);
  rest.slice(20, 25).forEach((message) => match.push(message));
  await first.page.locator('input[type="range"][max="34"]').waitFor();
  await shown(first.page, 0);
  await hide(second.page, false);
  await shown(second.page, 34);
  rest.slice(25).forEach((message) => match.push(message));
  const result = copied(LONDON.messages)[0]?.match?.result;
  if (result) match.info.result = result;
  match.end();
  await second.page.locator(".match-head .tag", { hasText: "ended" }).waitFor();
  await shown(second.page, LONDON.messages.length - 1);
  // The match is over, so everything is shown once it is loaded.
  await second.page.locator(".acts button[aria-pressed]:enabled").first().waitFor();
  await second.page.keyboard.press("2");
  await second.page.getByText("view of seat 1").waitFor();
  await second.page.keyboard.press("Escape");
  await second.page.getByText("view of seat 1").waitFor({ state: "detached" });
  const lines = await second.page.locator(".transcript .decision, .transcript .event").allTextContents();
  assert.deepEqual(lines, LONDON.lines);
  assert.deepEqual([...first.errors, ...second.errors], []);
  await first.page.context().close();
  await second.page.context().close();
});

test("a match that is waiting for bots starts on the page", async () => {
  const { match, rest } = live(LONDON, "waits", 0);
  match.info.state = MatchState.WAITING;
  server.matches.set("waits", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/waits`);
  await page.getByText("The match has not started.").waitFor();
  rest.slice(0, 2).forEach((message) => match.push(message));
  await shown(page, 1);
  await page.locator(".board").waitFor();
  await page.context().close();
});

test("hostile names, notes and lines are shown as text", async () => {
  server.matches.set("hostile", hostile(LONDON, "hostile"));
  const { page, errors } = await tab(browser);
  for (const path of ["/m/hostile?at=32", `/m/hostile?at=${LONDON.messages.length - 1}`, "/", `/?${new URLSearchParams({ bot: HOSTILE[0] ?? "" })}`]) {
    await page.goto(server.url + path);
    if (path.startsWith("/m/")) await loaded(page, LONDON);
    else await page.getByRole("main").getByRole("link", { name: HOSTILE[0] ?? "", exact: true }).first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.equal(await page.evaluate(() => document.body.dataset["broken"]), undefined);
    assert.doesNotMatch(await page.locator("body").innerText(), /[\u202a-\u202e\u2066-\u2069]/);
  }
  await page.goto(`${server.url}/m/hostile`);
  await page.getByRole("region", { name: "seats" }).getByText(HOSTILE[0] ?? "", { exact: true }).first().waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a match of an unsupported game still has a transcript", async () => {
  const match = ended(LONDON, "unknown");
  if (match.info.config) delete match.info.config.game;
  match.sent.forEach(({ position }) => position && (position.observations = []));
  server.matches.set("unknown", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/unknown?at=3`);
  await page.getByText("does not support the game").waitFor();
  await page.locator(".transcript .decision").first().waitFor();
  await page.context().close();
});

test("a dropped replay file opens, and a refused one shows the reason", async () => {
  const { page } = await tab(browser);
  await page.goto(`${server.url}/replay`);
  await page.getByRole("heading", { name: "Open a replay" }).waitFor();
  const file = { name: "a.replay.binpb", mimeType: "application/octet-stream", buffer: Buffer.from([1, 2, 3]) };
  await page.setInputFiles("[data-open-replay]", file);
  await page.getByRole("alert").getByText("the checksum does not hold").waitFor();
  server.replay = LONDON.bytes;
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([1])], "b.replay.binpb"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
  });
  await loaded(page, LONDON);
  assert.equal(new URL(page.url()).pathname, "/replay");
  await page.getByRole("button", { name: "view as" }).first().click();
  await page.getByText("view of seat 0").waitFor();
  await page.context().close();
});

test("a lost connection is shown and reopened", async () => {
  const { match } = live(LONDON, "lost", 10);
  const from = match.from.bind(match);
  let isLost = true;
  match.from = async function* (decision, viewers) {
    if (!isLost) return yield* from(decision, viewers);
    yield create(WatchPositionsResponseSchema, { match: match.info });
    throw new Error("the stream broke");
  };
  server.matches.set("lost", match);
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/lost`);
  // Lost repeatedly, until the notice was seen.
  await page.getByText("the stream broke").waitFor();
  isLost = false;
  await shown(page, 9);
  await page.getByText("the stream broke").waitFor({ state: "detached" });
  await page.context().close();
});

test("the list is filtered, and the address contains the filter", async () => {
  server.matches.set("named", hostile(LONDON, "named"));
  server.matches.set("other", ended(NOWHERE, "other"));
  const { page, errors } = await tab(browser);
  await page.goto(`${server.url}/`);
  await page.locator('a[href="/m/other"]').waitFor();
  await page.getByLabel("Bot").fill(HOSTILE[0] ?? "");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("heading", { level: 1, name: "Matches of" }).waitFor();
  await page.locator('a[href="/m/named"]').waitFor();
  assert.equal(await page.locator('a[href="/m/other"]').count(), 0);
  assert.equal(new URL(page.url()).searchParams.get("bot"), HOSTILE[0]);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("calls to a server with keys contain the entered key", async () => {
  server.needsKey = "secret";
  server.matches.set("keyed", ended(LONDON, "keyed"));
  const { page } = await tab(browser);
  await page.goto(`${server.url}/m/keyed`);
  await page.getByLabel("API key").fill("secret");
  await page.getByRole("button", { name: "Use it in this tab" }).click();
  await loaded(page, LONDON);
  assert.doesNotMatch(page.url(), /secret/);
  server.needsKey = "";
  await page.context().close();
});
