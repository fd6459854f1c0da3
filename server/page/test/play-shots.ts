// Takes screenshots of the page of a player, in `.work/shots`: each game, light, dark and narrow.
// They are for manual review.

import { browse, shoot, tab } from "./chromium.ts";
import { RealServer } from "./real-server.ts";

const only = process.argv[2] ?? "";
const GAMES = ["old_london_bridge", "alhambra", "bridges_to_nowhere", "carcassonne"].filter((game) => game.includes(only));
/** Number of choices before each screenshot. */
const CHOICES = [2, 11, 26];

const server = await new RealServer().start();
const browser = await browse();
for (const game of GAMES) {
  for (const [look, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 360, height: 780 }, hasTouch: true }],
  ] as const) {
    if (process.argv[3] && process.argv[3] !== look) continue;
    const made = server.create("--game", game, "--seats", "2", "--seed", "pictures");
    server.bot(made.tickets[1] ?? "", "greedy");
    const { page, errors } = await tab(browser, { ...options });
    await page.goto(made.links[0] ?? "");
    await page.getByRole("button", { name: "Take the seat" }).click();
    const list = page.getByRole("list", { name: "your options" });
    const over = page.getByRole("heading", { name: "The match is over" });
    for (let choice = 0; choice <= Math.max(...CHOICES); choice++) {
      await list.or(over).first().waitFor();
      if (await over.isVisible()) break;
      if (CHOICES.includes(choice)) await shoot(page, `play-${game}-${choice}-${look}`);
      const buttons = list.getByRole("button");
      await buttons.nth((choice * 5) % Math.max(1, await buttons.count())).click({ timeout: 5_000 }).catch(() => undefined);
    }
    await page.getByRole("button", { name: "Resign", exact: true }).click({ timeout: 1_000 }).catch(() => undefined);
    if (errors.length > 0) console.log(game, look, errors);
    await page.context().close();
  }
}
await browser.close();
await server.stop();
