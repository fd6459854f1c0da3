// A browser for the tests of the page.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
/** The browser of Debian's package. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-dev-shm-usage", "--force-color-profile=srgb",
];

/** How long something may take that happens on its own; long, for busy machines. */
const PATIENCE_MS = 60_000;

/** Starts the browser. */
export function browse(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/** A tab, and everything in it that went wrong: errors of the script, and what the policy refused. */
export async function tab(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (process.env["PAGE_FROM_DIST"]) {
    // The bundle as it was built last: the program that serves the page may have an earlier one in it.
    await page.route(/\/page\.(js|css)$/, (route) =>
      route.fulfill({ path: join(ROOT, "dist", basename(new URL(route.request().url()).pathname)) }));
  }
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}

/** Keeps a picture of the page in `.work/shots`, for whoever looks at them. */
export async function shoot(page: Page, name: string, fullPage = true): Promise<void> {
  const folder = join(ROOT, ".work/shots");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
