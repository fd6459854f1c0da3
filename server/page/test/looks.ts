// What every page has to be: open to everybody, and nothing wider than the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(join(process.env["PAGE_ROOT"] ?? process.cwd(), "node_modules/axe-core/axe.min.js"), "utf8");

interface Axe {
  run(context: unknown, options: unknown): Promise<{
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  }>;
}

/** What axe finds serious. */
export async function serious(page: Page): Promise<string[]> {
  // Through the debugger: the policy of the page lets no other script in.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
  });
}

/** Makes sure that nothing is wider than the page. */
export async function narrower(page: Page): Promise<void> {
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok((inner ?? 0) <= (outer ?? 0), `${inner} is wider than ${outer}`);
}
