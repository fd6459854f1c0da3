// Pictures of every page, in `.work/shots`: light, dark, narrow. For people; no test looks at them.

import { browse, shoot, tab } from "./chromium.ts";
import { goldens } from "./golden.ts";
import { staged } from "./scene.ts";

const only = process.argv[2] ?? "";
const server = await staged();
const browser = await browse();
const all: [name: string, path: string][] = [
  ["list", "/"], ["ladders", "/ladder"], ["ladder", "/ladder/main"], ["bot", "/ladder/main/mason"], ["hostile", "/m/hostile?at=33"], ["live", "/m/live"], ["missing", "/m/none"],
  ...goldens().map(({ name, messages }): [string, string] => [name, `/m/${name}?at=${Math.floor(messages.length * 0.6)}`]),
  ...goldens().map(({ name, messages }): [string, string] => [`${name}-end`, `/m/${name}?at=${messages.length - 1}`]),
];
const pages = all.filter(([name]) => name.includes(only));
for (const [look, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
] as const) {
  if (process.argv[3] && process.argv[3] !== look) continue;
  const { page, errors } = await tab(browser, { ...options });
  for (const [name, path] of pages) {
    await page.goto(server.url + path);
    await page.locator("main h1, main.match .board, .trouble").first().waitFor();
    await page.locator("main").waitFor();
    await shoot(page, `${name}-${look}`);
  }
  if (errors.length > 0) console.log(look, errors);
}
await browser.close();
server.stop();
