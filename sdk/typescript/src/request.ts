// A decision request and its clock.

import type { Charge, Clock as ClockMessage } from "./gen/bridgemaster/v1/clock_pb.js";
import { GameRequestSchema, type GameRequest } from "./gen/bridgemaster/v1/game_pb.js";
import type { DecisionRequest } from "./gen/bridgemaster/v1/play_pb.js";

/** Returns the current time in ms, on a clock that all threads of the program share. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * A decision request. Every request is complete: a bot needs no earlier request to answer it.
 *
 * `game` has the contents in the field of its game, fully typed:
 *
 *     if (request.game.case === "alhambra") {
 *       const { observation, legalDecisions, events } = request.game.value;
 *     }
 */
export class Request {
  /** The clock of the seat, which runs until the answer reaches the server. */
  readonly clock: Clock;
  /**
   * Aborts once the answer is no longer needed: the match has ended, or the server has replaced the
   * request. What `decide` then returns or throws is ignored. A computation without an `await`
   * checks `isCancelled` instead.
   */
  readonly signal: AbortSignal;
  readonly #isCancelled: () => boolean;

  /**
   * Creates a request. Bots get requests from the package; this is for tests of a bot.
   *
   * @param message The message as received.
   * @param seat The seat that decides, from 0.
   * @param receivedMs Time of receipt, by `performance.timeOrigin + performance.now()`.
   * @param signal Cancels the request.
   * @param isCancelled Returns whether the request is cancelled, also while this thread computes.
   */
  constructor(
    readonly message: DecisionRequest,
    readonly seat = 0,
    receivedMs = nowMs(),
    signal: AbortSignal = new AbortController().signal,
    isCancelled = () => signal.aborted,
  ) {
    this.signal = signal;
    this.#isCancelled = isCancelled;
    this.clock = new Clock(message.clock, receivedMs);
  }

  /** Number of the request, from 1 for each seat. */
  get requestId(): number {
    return this.message.requestId;
  }

  /**
   * True once the answer is no longer needed, as `signal`, but also during a computation without an
   * `await`. A long computation should check this, and return any choice.
   */
  get isCancelled(): boolean {
    return this.#isCancelled();
  }

  /** Number of legal decisions, at least 1; every index below it is valid. */
  get legalCount(): number {
    return this.message.legalCount;
  }

  /**
   * True if the list is truncated. Complete decisions that are not in the list are accepted too.
   */
  get legalDecisionsCut(): boolean {
    return this.message.legalDecisionsCut;
  }

  /** The contents in the field of its game; `case` is undefined for a game of a newer server. */
  get game(): GameRequest["game"] {
    return this.message.game?.game ?? { case: undefined };
  }

  /** Identifier of the game, such as `old_london_bridge`; empty for a game of a newer server. */
  get gameName(): string {
    const { case: entry } = this.game;
    return GameRequestSchema.fields.find((field) => field.localName === entry)?.name ?? "";
  }
}

/**
 * The clock of a seat while it decides, in ms. It counts from the receipt of the request and so
 * excludes network time in both directions. The server credits the measured round trip, up to the
 * limit in the clock rules of the match.
 */
export class Clock {
  readonly #atReceipt: ClockMessage | undefined;
  readonly #receivedMs: number;

  constructor(atReceipt: ClockMessage | undefined, receivedMs: number) {
    this.#atReceipt = atReceipt;
    this.#receivedMs = receivedMs;
  }

  /** Time since the request was received. */
  get usedMs(): number {
    return nowMs() - this.#receivedMs;
  }

  /** Time left for this decision; 0 after the deadline. */
  get decisionLeftMs(): number {
    return Math.max(0, (this.#atReceipt?.decisionLeftMs ?? 0) - this.usedMs);
  }

  /** Time left in the bank; 0 if it is empty. */
  get bankLeftMs(): number {
    return Math.max(0, (this.#atReceipt?.bankLeftMs ?? 0) - this.usedMs);
  }

  /** The time charged for the previous answer of this seat; undefined before the first answer. */
  get lastCharge(): Charge | undefined {
    return this.#atReceipt?.lastCharge;
  }
}
