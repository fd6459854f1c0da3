// Takes the screenshots of the book, in `docs/page`: `node test/shots.mjs docs`.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { browse, tab } from "./chromium.ts";
import { playthrough } from "./match-page.ts";
import { staged } from "./scene.ts";

const DOCS = join(process.env["PAGE_ROOT"] ?? process.cwd(), "../../docs/page");
const WIDE: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 780 }, hasTouch: true };
/** Number of colours of a screenshot: enough for flat drawings, and a third of the bytes. */
const COLOURS = "256";

/** Screenshots: the file, and a playthrough with a position, or the path of another page. */
const PICTURES: readonly [file: string, of: readonly [name: string, at: number] | string, options: BrowserContextOptions][] = [
  ["london", ["old_london_bridge.four", 105], { ...WIDE, colorScheme: "light" }],
  ["alhambra", ["alhambra.three_seats", 93], { ...WIDE, colorScheme: "light" }],
  ["nowhere", ["bridges_to_nowhere.a_match", 238], { ...WIDE, colorScheme: "dark" }],
  ["carcassonne", ["carcassonne.two_seats", 150], { ...WIDE, colorScheme: "dark" }],
  ["list", "/", { ...WIDE, colorScheme: "light" }],
  ["narrow", ["old_london_bridge.two_seats_with_random", 60], { ...PHONE, colorScheme: "light" }],
];

const server = await staged();
const browser = await browse();
for (const [file, of, options] of PICTURES) {
  const { page } = await tab(browser, options);
  if (typeof of === "string") {
    await page.goto(server.url + of);
    await page.locator(".thumb .board").nth(3).waitFor();
  } else {
    const { name, messages } = playthrough(of[0]);
    await page.goto(`${server.url}/m/${name}?at=${of[1]}`);
    await page.locator(`input[type="range"][max="${messages.length - 1}"]`).waitFor();
    await page.getByRole("button", { name: "view all", disabled: false }).waitFor();
  }
  const path = join(DOCS, `${file}.png`);
  await page.screenshot({ path });
  execFileSync("pngquant", ["--force", "--strip", "--output", path, COLOURS, path]);
  await page.context().close();
}
await browser.close();
server.stop();
