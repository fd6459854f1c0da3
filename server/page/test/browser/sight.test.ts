// Whose eyes the page looks with: a seat's view has no hidden fact, and all of them stand side by side.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { FaultAction, FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";
import type { WatchPositionsResponse } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { browse, tab } from "../chromium.ts";
import { FakeServer } from "../fake-server.ts";
import { type Golden, goldens } from "../golden.ts";
import { narrower } from "../looks.ts";
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

/** A seat, or a spectator. */
type Viewer = number | undefined;
const addressOf = (name: string, viewer: Viewer | "all") => `${server.url}/m/${name}${viewer === undefined ? "" : `?seat=${viewer}`}`;

/** How far away the moment is whose secrets take the place of those of a position, and how many
 * positions are passed over between two that are compared. */
const AWAY = 47;
const STRIDE = 17;

/** The playthrough as a match with notes and faults. */
function told(golden: Golden) {
  const match = ended(golden, "swap");
  match.sent.forEach(({ position }, index) => {
    if (!position?.played) return;
    position.played.note = `note ${index}`;
    if (index % 5 === 0) position.faults = [faultOf(position.played.seat, FaultReason.ILLEGAL, FaultAction.STRIKE, `answer ${index}`)];
  });
  return match;
}

/** The same with other facts in place of those that the viewer could not know: what others saw, what
 * they chose in secret, wrote on it, and could have chosen. What spectators are told of a match that is
 * over is no secret to them, and so only what seats saw is another for a spectator. */
function swapped(golden: Golden, viewer: Viewer) {
  const match = told(golden);
  const others = told(golden).sent;
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

/** Where two documents differ first, as far as people read; empty where they do not. */
function difference(text: string, other: string): string {
  if (text === other) return "";
  const at = text.split("").findIndex((unit, place) => unit !== other[place]);
  const around = (each: string) => each.slice(Math.max(0, at - 100), at + 100);
  return `${around(text)}\n  or\n${around(other)}`;
}

for (const golden of oneOfEach(goldens())) {
  const seats = Array.from({ length: seatsOf(golden) }, (_, seat) => seat);
  const positions = golden.messages.map((_, index) => index).filter((index) => index % STRIDE === 0 || index === golden.messages.length - 1);

  test(`${golden.name}: the page of each viewer has nothing that others alone knew`, async () => {
    const { page, errors } = await tab(browser);
    const looksAs = async (viewer: Viewer) => {
      if (viewer !== undefined) await page.getByText(`what seat ${viewer} knew`).waitFor();
    };
    const open = async (match: ReturnType<typeof told>, viewer: Viewer) => {
      server.matches.set("swap", match);
      await page.goto(addressOf("swap", viewer));
      await loaded(page, golden);
      await looksAs(viewer);
    };
    const own = new Map<Viewer, string[]>();
    await open(told(golden), undefined);
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
    // The swap shows to others: the comparison can fail.
    await open(swapped(golden, 0), 1);
    assert.notDeepEqual(await documents(page, positions), own.get(1));
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test(`${golden.name}: what all seats knew stands side by side`, async () => {
    server.matches.set("all", ended(golden, "all"));
    const { page, errors } = await tab(browser);
    const at = Math.floor(golden.messages.length * 0.6);
    const board = async (name: string) => (await page.getByRole("region", { name }).locator(".board").innerHTML()).replace(/<!--.*?-->/g, "");
    const alone: string[] = [];
    for (const seat of seats) {
      await page.goto(`${server.url}/m/all?at=${at}&seat=${seat}`);
      await loaded(page, golden);
      await shown(page, at);
      await page.getByText(`what seat ${seat} knew`).waitFor();
      alone.push(await board("board"));
    }
    // In two of the games seats know nothing that others do not.
    const isOpen = /^(alhambra|carcassonne)/.test(golden.name);
    assert.equal(new Set(alone).size, isOpen ? 1 : seats.length, "seats know different things");
    await page.keyboard.press("a");
    await page.waitForURL(`**/m/all?at=${at}&seat=all`);
    for (const seat of seats) assert.equal(await board(`what seat ${seat} knew`), alone[seat]);
    await page.keyboard.press("Escape");
    await page.getByText("what each seat knew").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "view all" }).click();
    await page.getByText("what each seat knew").waitFor();

    // The address alone leads there, and on a phone they stand one below the other.
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${server.url}/m/all?at=${at}&seat=all`);
    await loaded(page, golden);
    const boxes = await Promise.all(seats.map((seat) => page.getByRole("region", { name: `what seat ${seat} knew` }).boundingBox()));
    boxes.slice(1).forEach((box, before) => assert.ok((box?.y ?? 0) >= (boxes[before]?.y ?? 0) + (boxes[before]?.height ?? 0)));
    await narrower(page);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

test("of a match that runs no seat is shown, and not all of them", async () => {
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
  assert.equal(await page.getByText(/^what (each )?seat/).count(), 0);
  await page.context().close();
});
