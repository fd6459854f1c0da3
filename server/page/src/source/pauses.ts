// Exponential backoff of retries.

/** First pause, in ms. */
const FIRST_MS = 500;

/** Growing pauses between retries. */
export class Pauses {
  #nextMs = FIRST_MS;

  constructor(private readonly maxMs: number) {}

  /** Resets the next pause after a success. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /** Waits for the next pause. */
  async wait(): Promise<void> {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(this.maxMs, ms * 2);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
