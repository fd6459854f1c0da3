// How fast the page is, in Chromium over loopback: `node test/bench.mjs`. Prints for one playthrough
// of each game the time from the navigation to the first board, and of a step of the scrubber: its
// script, layout and drawing up to the next frame, without the wait for the frame.

import { browse, tab } from "./chromium.ts";
import { goldens } from "./golden.ts";
import { oneOfEach, staged } from "./scene.ts";

/** Loads, odd for the median. */
const LOADS = 7;

const median = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

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
  const sorted = [...steps].sort((a, b) => a - b);
  console.log(`${name}, ${messages.length - 1} decisions: first board ${median(loads).toFixed(0)} ms; ` +
    `step ${median(steps).toFixed(1)} ms, at most ${(sorted.at(-1) ?? 0).toFixed(1)} ms`);
  await page.context().close();
}
await browser.close();
server.stop();
