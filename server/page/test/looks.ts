// Checks for every page: accessibility, and no horizontal overflow.

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

/** Returns the serious and critical findings of axe. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated through the debugger, since the page's security policy forbids other scripts.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
  });
}

/** Asserts that nothing is wider than the page. */
export async function assertNoOverflow(page: Page): Promise<void> {
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok((inner ?? 0) <= (outer ?? 0), `${inner} is wider than ${outer}`);
}
