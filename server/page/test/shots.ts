// Takes screenshots of every page, in `.work/shots`: light, dark and narrow. They are for manual
// review.

import { browse, shoot, tab } from "./chromium.ts";
import { goldens } from "./golden.ts";
import { staged } from "./scene.ts";

const only = process.argv[2] ?? "";
const server = await staged();
const browser = await browse();
/** The pages, and for finished matches the number of positions. */
const all: [name: string, path: string, positions?: number][] = [
  ["list", "/"], ["ladders", "/ladder"], ["ladder", "/ladder/main"], ["bot", "/ladder/main/mason"], ["hostile", "/m/hostile?at=33"], ["live", "/m/live"], ["missing", "/m/none"],
  ...goldens().flatMap(({ name, messages: { length } }): [string, string, number][] => [
    [name, `/m/${name}?at=${Math.floor(length * 0.6)}`, length],
    [`${name}-side-by-side`, `/m/${name}?at=${Math.floor(length * 0.6)}&seat=all`, length],
    [`${name}-end`, `/m/${name}?at=${length - 1}`, length],
  ]),
];
const pages = all.filter(([name]) => name.includes(only));
for (const [look, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
] as const) {
  if (process.argv[3] && process.argv[3] !== look) continue;
  const { page, errors } = await tab(browser, { ...options });
  for (const [name, path, positions] of pages) {
    await page.goto(server.url + path);
    await page.locator("main h1, main.match .board, .failure").first().waitFor();
    if (positions !== undefined) await page.locator(`input[type="range"][max="${positions - 1}"]`).waitFor();
    await shoot(page, `${name}-${look}`);
  }
  if (errors.length > 0) console.log(look, errors);
}
await browser.close();
server.stop();
