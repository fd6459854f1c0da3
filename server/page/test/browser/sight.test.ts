// Views: that of a seat contains no facts hidden from it; the views of all seats are shown side by
// side.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { FaultAction, FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";
import type { WatchPositionsResponse } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { type Golden, goldens } from "../golden.ts";
import { assertNoOverflow } from "../looks.ts";
import { documents, loaded, seatsOf, shown } from "../match-page.ts";
import { ended, faultOf, live, oneOfEach } from "../scene.ts";

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

/** A seat; undefined for a spectator. */
type Viewer = number | undefined;
const addressOf = (name: string, viewer: Viewer | "all") => `${server.url}/m/${name}${viewer === undefined ? "" : `?seat=${viewer}`}`;

/** Distance to the position whose secrets replace those of a position, and the stride between the
 * positions that are compared. */
const AWAY = 47;
const STRIDE = 17;

/** Returns the playthrough as a match with notes and faults. */
function annotated(golden: Golden) {
  const match = ended(golden, "swap");
  match.sent.forEach(({ position }, index) => {
    if (!position?.played) return;
    position.played.note = `note ${index}`;
    if (index % 5 === 0) position.faults = [faultOf(position.played.seat, FaultReason.ILLEGAL, FaultAction.STRIKE, `answer ${index}`)];
  });
  return match;
}

/** Returns the same match with the facts replaced that are hidden from the viewer: observations, secret
 * decisions, notes and legal decisions of other seats. For spectators only the observations of the
 * seats are replaced, since the rest of a finished match is public. */
function swapped(golden: Golden, viewer: Viewer) {
  const match = annotated(golden);
  const others = annotated(golden).sent;
  match.sent.forEach((message: WatchPositionsResponse, index) => {
    const { position } = message;
    const away = others[(index + AWAY) % others.length]?.position;
    if (!position || !away) return;
    position.observations = position.observations.map((own, place) =>
      place === 0 || place - 1 === viewer ? own : (away.observations[place] ?? own));
    const { played } = position;
    if (viewer === undefined || !played || played.seat === viewer) return;
    Object.assign(played, {
      notation: "a secret choice", note: "a secret note", decision: away.played?.decision,
      legalDecisions: away.played?.legalDecisions ?? [], legalDecisionsCut: true,
    });
    for (const { fault } of position.faults) if (fault) fault.detail = "a secret answer";
  });
  return match;
}

/** Returns the first visible difference between two documents; empty if there is none. */
function difference(text: string, other: string): string {
  if (text === other) return "";
  const at = text.split("").findIndex((unit, place) => unit !== other[place]);
  const around = (each: string) => each.slice(Math.max(0, at - 100), at + 100);
  return `${around(text)}\n  or\n${around(other)}`;
}

for (const golden of oneOfEach(goldens())) {
  const seats = Array.from({ length: seatsOf(golden) }, (_, seat) => seat);
  const positions = golden.messages.map((_, index) => index).filter((index) => index % STRIDE === 0 || index === golden.messages.length - 1);

  test(`${golden.name}: the page of a viewer contains no facts hidden from that viewer`, async () => {
    const { page, errors } = await tab(browser);
    const looksAs = async (viewer: Viewer) => {
      if (viewer !== undefined) await page.getByText(`view of seat ${viewer}`).waitFor();
    };
    const open = async (match: ReturnType<typeof annotated>, viewer: Viewer) => {
      server.matches.set("swap", match);
      await page.goto(addressOf("swap", viewer));
      await loaded(page, golden);
      await looksAs(viewer);
    };
    const own = new Map<Viewer, string[]>();
    await open(annotated(golden), undefined);
    for (const viewer of [undefined, ...seats]) {
      if (viewer !== undefined) await page.keyboard.press(String(viewer + 1));
      await looksAs(viewer);
      const texts = await documents(page, positions);
      assert.ok(texts.some((text) => text.includes('class="legal"')), "what was legal for the viewer is shown");
      own.set(viewer, texts);
    }
    for (const [viewer, texts] of own) {
      await open(swapped(golden, viewer), viewer);
      const others = await documents(page, positions);
      texts.forEach((text, place) => assert.equal(difference(text, others[place] ?? ""), "", `viewer ${viewer ?? "spectator"} at ${positions[place]}`));
    }
    // The replaced facts are visible to other viewers, so the comparison can fail.
    await open(swapped(golden, 0), 1);
    assert.notDeepEqual(await documents(page, positions), own.get(1));
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test(`${golden.name}: the views of all seats are shown side by side`, async () => {
    server.matches.set("all", ended(golden, "all"));
    const { page, errors } = await tab(browser);
    const at = Math.floor(golden.messages.length * 0.6);
    const board = async (name: string) => (await page.getByRole("region", { name }).locator(".board").innerHTML()).replace(/<!--.*?-->/g, "");
    const alone: string[] = [];
    for (const seat of seats) {
      await page.goto(`${server.url}/m/all?at=${at}&seat=${seat}`);
      await loaded(page, golden);
      await shown(page, at);
      await page.getByText(`view of seat ${seat}`).waitFor();
      alone.push(await board("board"));
    }
    // In two of the games all information is public.
    const isOpen = /^(alhambra|carcassonne)/.test(golden.name);
    assert.equal(new Set(alone).size, isOpen ? 1 : seats.length, "seats know different things");
    await page.keyboard.press("a");
    await page.waitForURL(`**/m/all?at=${at}&seat=all`);
    for (const seat of seats) assert.equal(await board(`view of seat ${seat}`), alone[seat]);
    await page.keyboard.press("Escape");
    await page.getByText("views of all seats").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "view all" }).click();
    await page.getByText("views of all seats").waitFor();

    // The address alone selects them. On a phone they are stacked.
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${server.url}/m/all?at=${at}&seat=all`);
    await loaded(page, golden);
    const boxes = await Promise.all(seats.map((seat) => page.getByRole("region", { name: `view of seat ${seat}` }).boundingBox()));
    boxes.slice(1).forEach((box, before) => assert.ok((box?.y ?? 0) >= (boxes[before]?.y ?? 0) + (boxes[before]?.height ?? 0)));
    await assertNoOverflow(page);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

test("no view of a seat is available while the match runs", async () => {
  const [golden] = goldens();
  if (!golden) throw new Error("a playthrough");
  server.matches.set("runs", live(golden, "runs", 20).match);
  const { page } = await tab(browser);
  await page.goto(addressOf("runs", "all"));
  await shown(page, 19);
  await page.getByRole("button", { name: "view all", disabled: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "view as", disabled: false }).count(), 0);
  await page.keyboard.press("a");
  await page.keyboard.press("2");
  await page.keyboard.press("Home");
  await shown(page, 0);
  assert.equal(await page.getByText(/^views? of (all )?seat/).count(), 0);
  await page.context().close();
});
