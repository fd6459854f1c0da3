// A person plays whole matches against a house bot on a real server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { GAMES } from "../../src/games/registry.ts";
import { browse, tab } from "../chromium.ts";
import { Demo, RealServer } from "../real-server.ts";
import { assertNoOverflow, seriousFindings } from "../looks.ts";

let server: RealServer;
let browser: Browser;
before(async () => {
  server = await new RealServer().start();
  browser = await browse();
});
after(async () => {
  await browser.close();
  await server.stop();
});

const options = (page: Page) => page.getByRole("list", { name: "your options" });
const over = (page: Page) => page.getByRole("heading", { name: "The match is over" });
/** Waits until it is the player's turn or the match is over. */
const turn = (page: Page) => options(page).or(over(page)).first().waitFor();

async function take(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.getByRole("button", { name: "Take the seat" }).click();
}

/** Chooses an option by a number, modulo the number of options. */
async function choose(page: Page, number: number): Promise<void> {
  const buttons = options(page).getByRole("button");
  const count = await buttons.count();
  // The list may have disappeared, if the previous choice completed the decision.
  if (count > 0) await buttons.nth(number % count).click({ timeout: 5_000 }).catch(() => undefined);
}

async function playOn(page: Page, most = 3_000): Promise<void> {
  for (let number = 0; number < most; number++) {
    await turn(page);
    if (await over(page).isVisible()) return;
    await choose(page, number * 7);
  }
  throw new Error("the match does not end");
}

for (const { id: game } of GAMES) {
  test(`${game}: a person plays a whole match against a house bot without a fault`, async () => {
    const made = server.create("--game", game, "--seats", "2", "--seed", "by-hand");
    const [link = ""] = made.links;
    server.bot(made.tickets[1] ?? "");
    const { page, errors } = await tab(browser, { viewport: { width: 360, height: 780 } });
    await take(page, link);
    assert.equal(new URL(page.url()).hash, "", "the ticket is not left in the address");
    await turn(page);
    assert.deepEqual(await seriousFindings(page), []);
    await assertNoOverflow(page);
    await playOn(page);
    await page.getByText(/You finished in place [12]/).waitFor();
    assert.equal(await page.getByText("forfeited").count(), 0);
    await page.getByRole("link", { name: "View the match" }).click();
    await page.waitForURL(`**/m/${made.matchId}?seat=0`);
    await page.getByText("view of seat 0").waitFor();
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

for (const { id: game } of GAMES) {
  test(`${game}: options are chosen on the board`, async () => {
    const made = server.create("--game", game, "--seats", "2", "--seed", "by-hand");
    server.bot(made.tickets[1] ?? "");
    const { page, errors } = await tab(browser);
    await take(page, made.links[0] ?? "");
    // The heading has the current choices; the paragraph below it has those of the last decision.
    const texts = async () => (await page.locator(".deciding h2, .deciding p.quiet").allTextContents()).join(" ");
    const picks = page.getByRole("region", { name: "board" }).locator("[data-pick]");
    for (let number = 0, picked = 0; picked < 3; number++) {
      await turn(page);
      assert.equal(await over(page).isVisible(), false, `${picked} choices on the board`);
      const before = await texts();
      const labels = await picks.locator("> title").allTextContents();
      // A label that is already there, such as after two equal decisions, would not show that it was chosen.
      const fresh = [...labels.entries()].filter(([, label]) => !before.includes(label));
      const [index, label] = fresh[(number * 7) % Math.max(1, fresh.length)] ?? [];
      if (index === undefined || label === undefined) {
        await choose(page, number);
        continue;
      }
      await picks.nth(index).click();
      await page.waitForFunction((label) => {
        const words = document.querySelectorAll(".deciding h2, .deciding p.quiet");
        return [...words].some(({ textContent }) => textContent?.includes(label));
      }, label);
      picked += 1;
    }
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

/** Moves the focus to an element with the Tab key. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 60; presses++) {
    if (await element.evaluate((each) => each === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the Tab key does not lead there");
}

test("a whole match is played and viewed with the keyboard alone", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--seed", "by-hand");
  server.bot(made.tickets[1] ?? "");
  const { page, errors } = await tab(browser);
  await page.goto(made.links[0] ?? "");
  await tabTo(page, page.getByRole("textbox", { name: "Your name" }));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Ada");
  await page.keyboard.press("Enter");
  await turn(page);
  // The first option is chosen by Tab and Enter, as a button; the others by their digits.
  await tabTo(page, options(page).getByRole("button").last());
  await page.keyboard.press("Enter");
  for (let number = 0; ; number++) {
    await turn(page);
    if (await over(page).isVisible()) break;
    const count = Math.min(9, await options(page).getByRole("button").count());
    if (count > 0) await page.keyboard.press(String(1 + ((number * 7) % count)));
  }
  await page.getByText(/You finished in place [12]/).waitFor();
  assert.equal(await page.getByText("forfeited").count(), 0);
  await tabTo(page, page.getByRole("link", { name: "View the match" }));
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/m/${made.matchId}?seat=0`);
  await page.getByText("view of seat 0").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(`**/m/${made.matchId}?at=1&seat=0`);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a hidden tab keeps the stream of its seat", async () => {
  const made = server.create("--game", "bridges_to_nowhere", "--seats", "2", "--seed", "by-hand");
  const { page, errors } = await tab(browser);
  await take(page, made.links[0] ?? "");
  await page.getByText("Waiting for other players to join").waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  server.bot(made.tickets[1] ?? "");
  // All requests arrive over the stream.
  await playOn(page);
  await page.getByText(/You finished in place [12]/).waitFor();
  assert.equal(await page.getByText("forfeited").count(), 0);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("a match continues after a reload and after a restart of the server", async () => {
  const made = server.create("--game", "alhambra", "--seats", "2", "--seed", "again");
  server.bot(made.tickets[1] ?? "");
  const { page } = await tab(browser);
  await take(page, made.links[0] ?? "");
  for (let number = 0; number < 6; number++) {
    await turn(page);
    await choose(page, number);
  }
  await turn(page);
  await page.reload();
  await turn(page);
  await choose(page, 3);
  await turn(page);
  await server.kill();
  await page.getByText("The connection is lost").waitFor();
  await server.start();
  await page.getByText("The connection is lost").waitFor({ state: "detached" });
  await playOn(page);
  await page.getByText(/You finished in place [12]/).waitFor();
  assert.equal(await page.getByText("forfeited").count(), 0);
  await page.context().close();
});

test("a demo prints the link of a seat against house bots", async () => {
  const demo = new Demo("--game", "bridges_to_nowhere");
  const { page } = await tab(browser);
  await take(page, await demo.link());
  await turn(page);
  await choose(page, 0);
  // The text of one choice, or of the whole decision.
  await page.getByRole("heading", { name: /^You / }).or(page.getByText("You decided:")).first().waitFor();
  await page.context().close();
  await demo.stop();
});

test("the newest tab has the seat; the older one shows this and can take it back", async () => {
  const made = server.create("--game", "alhambra", "--seats", "2");
  const [first, second] = [await tab(browser), await tab(browser)];
  await take(first.page, made.links[0] ?? "");
  await first.page.getByText("Waiting for other players to join").waitFor();
  await take(second.page, made.links[0] ?? "");
  await first.page.getByText("The seat is now played elsewhere").waitFor();
  await first.page.getByRole("button", { name: "Play it here" }).click();
  await second.page.getByText("The seat is now played elsewhere").waitFor();
  await first.page.context().close();
  await second.page.context().close();
});

test("a pasted ticket is used; an unknown one is refused with a text, and another can be entered", async () => {
  // With some seeds the first tile has only one legal cell, and then there is no option for the cell.
  const made = server.create("--game", "carcassonne", "--seats", "2", "--seed", "by-hand");
  server.bot(made.tickets[1] ?? "");
  const { page } = await tab(browser);
  await page.goto(`${server.pageUrl}/play`);
  await page.getByRole("textbox", { name: "Ticket" }).fill("0".repeat(32));
  await page.getByRole("button", { name: "Take the seat" }).click();
  await page.getByText("This ticket does not belong to a match of this server.").waitFor();
  await page.getByRole("button", { name: "Play another seat" }).click();
  await page.getByRole("textbox", { name: "Ticket" }).fill(made.tickets[0] ?? "");
  await page.getByRole("button", { name: "Take the seat" }).click();
  await turn(page);
  // The note contains digits, which choose no options while it is being typed.
  await page.getByRole("textbox", { name: "Note on this decision" }).fill("1 of 2 corners");
  // The cell is chosen on the board, the rest with the keyboard.
  const place = page.locator("[data-pick^='cell:']").first();
  const [, x, y] = (await place.getAttribute("data-pick"))?.split(":") ?? [];
  await place.click();
  const chosen = page.getByRole("heading", { name: `You place it at (${x}, ${y})` });
  const decided = page.getByText(`You decided: place it at (${x}, ${y})`);
  await chosen.or(decided).first().waitFor();
  if (await chosen.isVisible()) await page.keyboard.press("1");
  await decided.waitFor();
  await page.getByRole("button", { name: "Resign", exact: true }).click();
  await page.getByRole("button", { name: "Resign for good" }).click();
  await page.getByText("The seat is forfeited; the house plays it to the end.").waitFor();
  await page.goto(`${server.pageUrl}/m/${made.matchId}`);
  await page.locator(".transcript").getByText("1 of 2 corners").waitFor();
  await page.context().close();
});
