// The interface that a bot author implements.

import type { GameDecision } from "./gen/bridgemaster/v1/game_pb.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { DecisionRejected, MatchStarted, SeatStatus } from "./gen/bridgemaster/v1/play_pb.js";
import type { Request } from "./request.js";

/** A complete decision: a Decision of a game, or a GameDecision. */
export type CompleteDecision = NonNullable<GameDecision["game"]["value"]> | GameDecision;

/** A choice that resigns the match: the seat forfeits and takes the last place. */
export const RESIGN: unique symbol = Symbol("resign");

/** A choice with a note for people who read the replay. */
export interface Answer {
  /** An index into the legal decisions, or a complete decision. */
  readonly choice: number | CompleteDecision;
  /**
   * The bot's comment on the position: at most 1 KiB in UTF-8. The note has no effect on the game,
   * and other bots do not see it. A note that the server does not accept is dropped; the choice
   * still counts.
   */
  readonly note: string;
}

/**
 * The answer to a request: an index into the legal decisions (from 0), a complete decision, either
 * of these in an `Answer` with a note, or `RESIGN`.
 */
export type Choice = number | CompleteDecision | Answer | typeof RESIGN;

/** The result of a method: a value, or a promise of it. */
type MaybePromise<T> = T | Promise<T>;

/**
 * Decides for one seat of one match.
 *
 * All methods are called in sequence; each call waits for the promise of the previous one. A bot
 * can compute for as long as its clock allows, with or without `await`: the connection has its own
 * thread, which answers Pings in the meantime.
 */
export interface Bot {
  /**
   * 1 to 64 printable characters; by default the name of the program's file. A server that requires
   * API keys uses the name of the key instead.
   */
  readonly name?: string;
  /** At most 64 printable characters. */
  readonly version?: string;
  /** Identifiers of the games that the bot plays, such as `alhambra`; empty for all. */
  readonly games?: readonly string[];

  /**
   * Answers a request.
   *
   * The clock of the seat, `request.clock`, runs until the answer reaches the server. Called again
   * with the same request after `decisionRejected`, as long as the request is still open.
   *
   * A long computation should end early once `request.isCancelled` is true or `request.signal`
   * aborts: until `decide` has returned, the bot cannot play in this slot again.
   */
  decide(request: Request): MaybePromise<Choice>;

  /**
   * Called when the match starts, before the first `decide`. Called again if the server has lost
   * the last part of the match: discard everything derived from earlier requests. The next request
   * is complete, as every request is.
   */
  matchStarted?(started: MatchStarted): MaybePromise<void>;

  /** Called when a decision was refused; see `rejected.field` and `rejected.detail`. */
  decisionRejected?(rejected: DecisionRejected): MaybePromise<void>;

  /** Called when any seat disconnects, reconnects, forfeits or gets a strike. */
  seatChanged?(status: SeatStatus): MaybePromise<void>;

  /** Called when the match has ended. Not called if the server is lost before then. */
  matchEnded?(result: MatchResult): MaybePromise<void>;
}

/** A bot that consists of its `decide` function. */
export type Decide = (request: Request) => MaybePromise<Choice>;
