// The choice of a legal decision, step by step.

import type { Step } from "./picking.ts";

/** The path of choices to one of several decisions. */
export class Choosing {
  /** The steps chosen so far, including those without an alternative. */
  readonly path: Step[] = [];
  /** The number of completed steps, including those without an alternative. */
  #depth = 0;
  #left: number[];

  constructor(private readonly decisions: readonly Step[][]) {
    this.#left = decisions.map((_, index) => index);
  }

  /** The distinct options of the next step, in the order of the decisions. */
  get options(): Step[] {
    const options = new Map<string, Step>();
    for (const index of this.#left) {
      const step = this.decisions[index]?.[this.#depth];
      if (step && !options.has(step.key)) options.set(step.key, step);
    }
    return [...options.values()];
  }

  /** Chooses an option; returns the index of the decision once the choice is complete. */
  choose(key: string): number | undefined {
    const step = this.options.find((option) => option.key === key);
    if (!step) return undefined;
    this.path.push(step);
    this.#left = this.#left.filter((index) => this.decisions[index]?.[this.#depth]?.key === key);
    this.#depth += 1;
    // Skip steps without an alternative.
    while (this.options.length === 1) {
      this.path.push(...this.options);
      this.#depth += 1;
    }
    return this.#left.length === 1 || this.options.length === 0 ? this.#left[0] : undefined;
  }

  /** Discards the choices made so far. */
  reset(): void {
    this.path.length = 0;
    this.#depth = 0;
    this.#left = this.decisions.map((_, index) => index);
  }
}
