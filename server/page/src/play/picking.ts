// What somebody who plays may pick, on the board and beside it.

import { svg, type SVGTemplateResult, type TemplateResult } from "lit-html";

/** One choice of those that a decision is made of. */
export interface Step {
  /** What is chosen, the same for all decisions that choose it: "stack:3". */
  key: string;
  /** The choice in words. */
  label: string;
  /** What it looks like, where words are not enough. */
  picture?: TemplateResult;
}

/** What may be picked now. */
export interface Picking {
  /** The seat of the player. */
  seat: number;
  /** The choices in words, by their keys. */
  keys: ReadonlyMap<string, string>;
  pick(key: string): void;
}

/** Makes a part of a board one that can be picked with a pointer, if it can be picked now. The same
 * choices are buttons beside the board, for those who have none. */
export function pickable(picking: Picking | undefined, key: string, shape: SVGTemplateResult): SVGTemplateResult | undefined {
  const label = picking?.keys.get(key);
  if (!picking || label === undefined) return undefined;
  return svg`<g class="pick" data-pick=${key} @click=${() => picking.pick(key)}><title>${label}</title>${shape}</g>`;
}

/** The keys that begin with a word, each with what stands behind it: "cell" gives 3 and 4 of "cell:3:4". */
export function pickedPlaces(picking: Picking | undefined, word: string): { key: string; numbers: number[] }[] {
  const keys = [...(picking?.keys.keys() ?? [])].filter((key) => key.startsWith(`${word}:`));
  return keys.map((key) => ({ key, numbers: key.split(":").slice(1).map(Number) }));
}
