// Helpers for tests of the page of a match.

import type { Page } from "playwright-core";
import { type Golden, goldens } from "./golden.ts";

/** Returns the playthrough whose name contains this part. */
export function playthrough(part: string): Golden {
  const found = goldens().find(({ name }) => name.includes(part));
  if (!found) throw new Error(part);
  return found;
}

/** Waits until the position after this number of decisions is shown. */
export const shown = (page: Page, decision: number) =>
  page.locator(".count b", { hasText: new RegExp(`^${decision}$`) }).waitFor();

/** Waits until all positions of the playthrough are loaded. */
export const loaded = (page: Page, golden: Golden) =>
  page.locator(`input[type="range"][max="${golden.messages.length - 1}"]`).waitFor();

/** Returns the number of seats of the playthrough. */
export const seatsOf = (golden: Golden): number => golden.messages[0]?.match?.config?.seats ?? 0;

/** Returns the whole document at each of these positions, as text, with the list of legal decisions
 * open if there is one. */
export async function documents(page: Page, positions: readonly number[]): Promise<string[]> {
  return page.evaluate(async (positions) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const texts: string[] = [];
    for (const position of positions) {
      const scrubber = document.querySelector<HTMLInputElement>('input[type="range"]');
      if (!scrubber) throw new Error("no scrubber");
      scrubber.value = String(position);
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
      while (document.querySelector(".count b")?.textContent !== String(position)) await frame();
      const legal = document.querySelector<HTMLDetailsElement>(".inspector details");
      if (legal) {
        legal.open = true;
        while (!document.querySelector(".inspector .legal")) await frame();
      }
      texts.push(document.documentElement.outerHTML.replace(/<!--.*?-->/g, ""));
    }
    return texts;
  }, positions);
}
