// Benchmark of the page in Chromium over loopback: `node test/bench.mjs`. For one playthrough of
// each game it prints the time from navigation to the first board, and the time of a step of the
// scrubber: script, layout and rendering up to the next frame, without the wait for the frame. It
// also prints the CPU time of the page's thread per step, which is more reliable on a busy machine,
// and the size of the bundle.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { browse, tab } from "./chromium.ts";
import { goldens } from "./golden.ts";
import { oneOfEach, staged } from "./scene.ts";

/** Number of loads; odd, for the median. */
const LOADS = 7;

const median = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Returns a function that reads the CPU time of the page's thread, in ms. */
async function cpuTime(page: Page): Promise<() => Promise<number>> {
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
  const busy = await cpuTime(page);
  const before = await busy();
  const steps = await page.evaluate(async () => {
    const scrubber = document.querySelector<HTMLInputElement>('input[type="range"]');
    const times: number[] = [];
    for (let index = 0; scrubber && index <= Number(scrubber.max); index++) {
      scrubber.value = String(index);
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
      // The page renders in the next frame; this callback runs after the page's, in the same frame.
      await new Promise<void>((done) => {
        const startedAt = performance.now();
        requestAnimationFrame((frame) => {
          void document.body.offsetHeight;
          times.push(performance.now() - Math.max(frame, startedAt));
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
