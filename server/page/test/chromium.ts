// The browser of the page tests.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
/** Path of the browser; by default that of Debian's package. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-dev-shm-usage", "--force-color-profile=srgb",
];

/** Timeout of actions and waits, in ms; long, for busy machines. */
const TIMEOUT_MS = 60_000;

/** Starts a headless browser. */
export function browse(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/** Opens a tab, and collects its errors: script errors and violations of the security policy. */
export async function tab(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  if (process.env["PAGE_FROM_DIST"]) {
    // Use the newest bundle, since the server may have an older one built in.
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

/** Saves a screenshot of the page in `.work/shots`. */
export async function shoot(page: Page, name: string, fullPage = true): Promise<void> {
  const folder = join(ROOT, ".work/shots");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
