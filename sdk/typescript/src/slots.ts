// The slots of an attending bot. A slot stays in use until nothing computes for its match any more,
// which can be later than the end of the match.

import type { Offer } from "./gen/bridgemaster/v1/lobby_service_pb.js";

/**
 * Interval of the checks for busy slots. A slot is reported as busy only after a whole interval,
 * since a bot needs some time after every match.
 */
export const CHECK_INTERVAL_MS = 1_000;
/**
 * Maximum time that an offer waits for a free slot. Then it is declined, because the other bots of
 * the match wait, too.
 */
const MAX_OFFER_WAIT_MS = 5_000;

interface WaitingOffer {
  readonly offer: Offer;
  readonly untilMs: number;
}

/** The slots of one attendance, and the offers that wait for a free slot. */
export class Slots {
  readonly #total: number;
  #inUse = 0;
  #usedAtServer: number | undefined;
  #waiting: WaitingOffer[] = [];
  /** The minimum number of busy slots since the last check. */
  #leastBusy = 0;
  /** The server's count of busy slots. */
  #reported = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Records the server's count of matches in play and open offers, and of busy slots. Undefined: the
   * stream is lost, and the server forgets busy slots.
   */
  setUsedAtServer(used: number | undefined, reported = 0): void {
    this.#usedAtServer = used;
    this.#reported = reported;
  }

  /** Takes a slot for an offer; if none is free, the offer waits, and false is returned. */
  take(offer: Offer): boolean {
    if (this.#inUse < this.#total) {
      this.#inUse += 1;
      return true;
    }
    const waitMs = Math.min(offer.timeLeftMs / 2, MAX_OFFER_WAIT_MS);
    this.#waiting.push({ offer, untilMs: performance.now() + waitMs });
    return false;
  }

  /** Passes a slot on to the offer that waits longest, which is returned, or frees it. */
  release(): Offer | undefined {
    this.#noteBusy();
    const next = this.#waiting.shift();
    if (!next) this.#inUse -= 1;
    return next?.offer;
  }

  /** Forgets an offer that waits. */
  withdraw(offerId: string): void {
    this.#waiting = this.#waiting.filter(({ offer }) => offer.offerId !== offerId);
  }

  /** Forgets all offers that wait. */
  withdrawAll(): void {
    this.#waiting = [];
  }

  /**
   * Returns the number of busy slots if it must be reported, and the offers to decline, which no
   * longer wait. Called once per interval. The number is returned until the server's count shows it,
   * since a report can fail.
   */
  check(): { readonly busy: number | undefined; readonly overdue: readonly Offer[] } {
    const nowMs = performance.now();
    const overdue = this.#waiting.filter(({ untilMs }) => untilMs <= nowMs);
    this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > nowMs);
    this.#noteBusy();
    const stuck = this.#leastBusy;
    this.#leastBusy = this.#busy();
    const isNews = stuck !== this.#reported && this.#usedAtServer !== undefined;
    return { busy: isNews ? stuck : undefined, overdue: overdue.map(({ offer }) => offer) };
  }

  #noteBusy(): void {
    this.#leastBusy = Math.min(this.#leastBusy, this.#busy());
  }

  /** Returns the number of slots in use whose matches have ended, by the server's count. */
  #busy(): number {
    const used = this.#usedAtServer;
    return used === undefined ? 0 : Math.max(0, this.#inUse + this.#waiting.length - used);
  }
}
