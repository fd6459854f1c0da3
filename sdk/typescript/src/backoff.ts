// Pauses between attempts to connect.

/** Short, because a server that only dropped the stream is available at once. */
const FIRST_PAUSE_MS = 50;
/** Upper limit of a pause, and of the time that a bot loses after its server has restarted. */
const MAX_PAUSE_MS = 2_000;

/** Exponential backoff with a total time limit. */
export class Backoff {
  #pauseMs = FIRST_PAUSE_MS;
  #deadlineMs: number;

  /** Starts the time limit now. */
  constructor(limitMs: number) {
    this.#deadlineMs = performance.now() + limitMs;
  }

  /**
   * Starts a new time limit now. The pauses start over only if the last stream `progressed`, so
   * that a server that accepts a bot and then drops it is not flooded.
   */
  restart(limitMs: number, progressed: boolean): void {
    this.#deadlineMs = performance.now() + limitMs;
    if (progressed) this.#pauseMs = FIRST_PAUSE_MS;
  }

  /**
   * Returns the next pause, or undefined after the time limit. Pauses are randomized (50 to 100 %),
   * so that the bots of a lost server do not reconnect all at once.
   */
  nextPauseMs(): number | undefined {
    const leftMs = this.#deadlineMs - performance.now();
    if (leftMs <= 0) return undefined;
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    return Math.min(pauseMs, leftMs);
  }
}
