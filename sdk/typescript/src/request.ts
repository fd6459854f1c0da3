// A request as a bot sees it, with its clock.

import type { Charge, Clock as ClockMessage } from "./gen/bridgemaster/v1/clock_pb.js";
import { GameRequestSchema, type GameRequest } from "./gen/bridgemaster/v1/game_pb.js";
import type { DecisionRequest } from "./gen/bridgemaster/v1/play_pb.js";

/** Now, in ms on a clock that all threads of the program share. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * A decision that the bot is asked for. It is complete: no earlier request is needed to answer it
 * well.
 *
 * `game` has what is asked in the entry of its game, fully typed:
 *
 *     if (request.game.case === "alhambra") {
 *       const { observation, legalDecisions, events } = request.game.value;
 *     }
 */
export class Request {
  /** The clock of the seat, which runs until the answer is at the server. */
  readonly clock: Clock;

  /**
   * Made by the package; a test of a bot can make one too.
   *
   * @param message The message as it came.
   * @param seat The seat that is asked, from 0.
   * @param receivedMs When it came, by `performance.timeOrigin + performance.now()`.
   */
  constructor(
    readonly message: DecisionRequest,
    readonly seat = 0,
    receivedMs = nowMs(),
  ) {
    this.clock = new Clock(message.clock, receivedMs);
  }

  /** Number of the request: counts from 1 for each seat. */
  get requestId(): number {
    return this.message.requestId;
  }

  /** Length of the list of legal decisions, at least 1: any index below it can be answered. */
  get legalCount(): number {
    return this.message.legalCount;
  }

  /** Whether the list was cut: any other legal decision is accepted too, if given in full. */
  get legalDecisionsCut(): boolean {
    return this.message.legalDecisionsCut;
  }

  /** What is asked, in the entry of its game; `case` is undefined for a game of a newer server. */
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
 * The clock of a seat while it decides, in ms, counted from the receipt of the request. It leaves
 * out the time on the network in both directions: the server credits the measured round trip, up
 * to the limit in the clock rules of the match.
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

  /** Time left for this decision, now; 0 when it is late. */
  get decisionLeftMs(): number {
    return Math.max(0, (this.#atReceipt?.decisionLeftMs ?? 0) - this.usedMs);
  }

  /** Time left in the bank, now; 0 when it is empty. */
  get bankLeftMs(): number {
    return Math.max(0, (this.#atReceipt?.bankLeftMs ?? 0) - this.usedMs);
  }

  /** What the last answer of this seat was charged, and how; undefined before the first. */
  get lastCharge(): Charge | undefined {
    return this.#atReceipt?.lastCharge;
  }
}
