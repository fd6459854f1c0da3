// How long to wait until something that failed is tried again.

/** First pause, in ms. */
const FIRST_MS = 500;

/** Pauses that grow, up to a longest. */
export class Pauses {
  #nextMs = FIRST_MS;

  constructor(private readonly longestMs: number) {}

  /** It works: the next pause is a short one again. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /** Waits. */
  async pass(): Promise<void> {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(this.longestMs, ms * 2);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
