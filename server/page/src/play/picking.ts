// The options of a player, on the board and next to it.

import { svg, type SVGTemplateResult, type TemplateResult } from "lit-html";

/** One step of the choice of a decision. */
export interface Step {
  /** Identifies the option, equal for all decisions with it: "stack:3". */
  key: string;
  /** The option in words. */
  label: string;
  /** A picture, if words are not sufficient. */
  picture?: TemplateResult;
}

/** The options of the current step. */
export interface Picking {
  /** The seat of the player. */
  seat: number;
  /** The options in words, by key. */
  keys: ReadonlyMap<string, string>;
  pick(key: string): void;
}

/** Renders a part of a board that can be picked with a pointer, if it is an option. The same options
 * are buttons next to the board, for the keyboard. */
export function pickable(picking: Picking | undefined, key: string, shape: SVGTemplateResult): SVGTemplateResult | undefined {
  const label = picking?.keys.get(key);
  if (!picking || label === undefined) return undefined;
  return svg`<g class="pick" data-pick=${key} @click=${() => picking.pick(key)}><title>${label}</title>${shape}</g>`;
}

/** Returns the keys with a prefix, each with its numbers: for "cell", "cell:3:4" has 3 and 4. */
export function pickedPlaces(picking: Picking | undefined, word: string): { key: string; numbers: number[] }[] {
  const keys = [...(picking?.keys.keys() ?? [])].filter((key) => key.startsWith(`${word}:`));
  return keys.map((key) => ({ key, numbers: key.split(":").slice(1).map(Number) }));
}
