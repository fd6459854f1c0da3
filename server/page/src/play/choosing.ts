// From the legal decisions to one of them, choice by choice.

import type { Step } from "./picking.ts";

/** A way through the choices. */
export class Choosing {
  /** What was chosen so far, and what follows from it. */
  readonly path: Step[] = [];
  /** How many choices of each decision are made: also those where there was nothing to choose. */
  #depth = 0;
  #left: number[];

  constructor(private readonly decisions: readonly Step[][]) {
    this.#left = decisions.map((_, index) => index);
  }

  /** What can be chosen next, each once, in the order of the decisions. */
  get options(): Step[] {
    const options = new Map<string, Step>();
    for (const index of this.#left) {
      const step = this.decisions[index]?.[this.#depth];
      if (step && !options.has(step.key)) options.set(step.key, step);
    }
    return [...options.values()];
  }

  /** Chooses; gives the index of the decision once nothing is left to choose. */
  choose(key: string): number | undefined {
    const step = this.options.find((option) => option.key === key);
    if (!step) return undefined;
    this.path.push(step);
    this.#left = this.#left.filter((index) => this.decisions[index]?.[this.#depth]?.key === key);
    this.#depth += 1;
    // Where all that is left goes on alike there is nothing to choose.
    while (this.options.length === 1) {
      this.path.push(...this.options);
      this.#depth += 1;
    }
    return this.#left.length === 1 || this.options.length === 0 ? this.#left[0] : undefined;
  }

  /** From the beginning again. */
  reset(): void {
    this.path.length = 0;
    this.#depth = 0;
    this.#left = this.decisions.map((_, index) => index);
  }
}
