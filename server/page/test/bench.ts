// How fast the page is, in Chromium over loopback: `node test/bench.mjs`. Prints for one playthrough
// of each game the time from the navigation to the first board, and of a step of the scrubber: its
// script, layout and drawing up to the next frame, without the wait for the frame. Beside the step
// stands the processor time of the page's thread for all of it, which says more on a busy machine.
// Then the size of the bundle.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { browse, tab } from "./chromium.ts";
import { goldens } from "./golden.ts";
import { oneOfEach, staged } from "./scene.ts";

/** Loads, odd for the median. */
const LOADS = 7;

const median = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Reads the processor time of the page's thread so far, in ms. */
async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
}

const server = await staged();
const browser = await browse();
for (const { name, messages } of oneOfEach(goldens())) {
  const { page } = await tab(browser);
  const loads: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.goto(`${server.url}/m/${name}`, { waitUntil: "commit" });
    const board = await page.waitForFunction(() => document.querySelector(".board") && performance.now());
    loads.push(Number(await board.jsonValue()));
  }
  await page.locator(`input[type="range"][max="${messages.length - 1}"]`).waitFor();
  const busy = await processorTime(page);
  const before = await busy();
  const steps = await page.evaluate(async () => {
    const scrubber = document.querySelector<HTMLInputElement>('input[type="range"]');
    const times: number[] = [];
    for (let index = 0; scrubber && index <= Number(scrubber.max); index++) {
      scrubber.value = String(index);
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
      // The page draws in the next frame; this callback comes after its own, in the same frame.
      await new Promise<void>((done) => {
        const begun = performance.now();
        requestAnimationFrame((frame) => {
          void document.body.offsetHeight;
          times.push(performance.now() - Math.max(frame, begun));
          done();
        });
      });
    }
    return times;
  });
  const busyStep = ((await busy()) - before) / steps.length;
  const sorted = [...steps].sort((a, b) => a - b);
  console.log(`${name}, ${messages.length - 1} decisions: first board ${median(loads).toFixed(0)} ms; ` +
    `step ${median(steps).toFixed(1)} ms (${busyStep.toFixed(1)} ms busy), ` +
    `at most ${(sorted.at(-1) ?? 0).toFixed(1)} ms`);
  await page.context().close();
}
await browser.close();
server.stop();
const dist = join(process.env["PAGE_ROOT"] ?? process.cwd(), "dist");
const sizes = readdirSync(dist).map((name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length);
console.log(`bundle ${sizes.reduce((sum, size) => sum + size, 0)} bytes, compressed by gzip`);
