// Pauses between attempts to connect.

/** A server that only dropped the stream is back at once. */
const FIRST_PAUSE_MS = 50;
/** What a bot loses of its clock at most when the server comes back. */
const LONGEST_PAUSE_MS = 2_000;

/** Pauses that double up to a limit, until a span of time is over. */
export class Backoff {
  #pauseMs = FIRST_PAUSE_MS;
  #endsMs: number;

  /** Starts a span now. */
  constructor(spanMs: number) {
    this.#endsMs = performance.now() + spanMs;
  }

  /**
   * Starts another span now. The pauses begin anew only when the last stream `progressed`: a server
   * that welcomes a bot and drops it at once is not hammered.
   */
  restart(spanMs: number, progressed: boolean): void {
    this.#endsMs = performance.now() + spanMs;
    if (progressed) this.#pauseMs = FIRST_PAUSE_MS;
  }

  /**
   * The next pause, or undefined when the span is over. A pause has half to all of its length, so
   * that the bots of a lost server do not return all at once.
   */
  nextPauseMs(): number | undefined {
    const leftMs = this.#endsMs - performance.now();
    if (leftMs <= 0) return undefined;
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    return Math.min(pauseMs, leftMs);
  }
}
