// Scrubs every golden playthrough to its end: no errors, and the transcript equals that of the file.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browse, tab } from "../chromium.ts";
import type { FakeServer } from "../fake-server.ts";
import { goldens } from "../golden.ts";
import { staged } from "../scene.ts";

let server: FakeServer;
let browser: Browser;
before(async () => {
  server = await staged();
  browser = await browse();
});
after(async () => {
  await browser.close();
  server.stop();
});

/** Moves the scrubber through every position, one per frame. */
async function scrub(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const scrubber = document.querySelector<HTMLInputElement>('input[type="range"]');
    if (!scrubber) throw new Error("no scrubber");
    const last = Number(scrubber.max);
    for (let index = 0; index <= last; index++) {
      scrubber.value = String(index);
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(done));
      const shown = document.querySelector(".count b")?.textContent;
      if (shown !== String(index)) throw new Error(`at ${index} the page shows ${shown}`);
      if (!document.querySelector(".board svg")) throw new Error(`no board at ${index}`);
    }
    return last + 1;
  });
}

for (const golden of goldens()) {
  test(`${golden.name} is scrubbed to its end, and its transcript equals that of the file`, async () => {
    const { page, errors } = await tab(browser);
    await page.goto(`${server.url}/m/${golden.name}`);
    const last = golden.messages.length - 1;
    await page.locator(`input[type="range"][max="${last}"]`).waitFor();
    assert.equal(await scrub(page), golden.messages.length);
    const lines = await page.getByRole("region", { name: "events", exact: true }).locator(".decision, .event").allTextContents();
    assert.deepEqual(lines, golden.lines);
    await page.waitForURL(`**/m/${golden.name}?at=${last}`);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}
