// What a bot author writes.

import type { GameDecision } from "./gen/bridgemaster/v1/game_pb.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { DecisionRejected, MatchStarted, SeatStatus } from "./gen/bridgemaster/v1/play_pb.js";
import type { Request } from "./request.js";

/** A decision in full: a Decision of a game, or a GameDecision. */
export type FullDecision = NonNullable<GameDecision["game"]["value"]> | GameDecision;

/** A choice that gives the match up: the seat forfeits and takes the last place. */
export const RESIGN: unique symbol = Symbol("resign");

/** A choice with a note for people who read the replay. */
export interface Answer {
  /** A position in the list of legal decisions, or a decision in full. */
  readonly choice: number | FullDecision;
  /**
   * What the bot thinks of the position: at most 1 KiB in UTF-8, which no rule and no other bot
   * reads. A note that the server does not keep is dropped; the choice counts all the same.
   */
  readonly note: string;
}

/**
 * The answer to a request: a position in the list of legal decisions (from 0), a decision in full,
 * either of them in an `Answer` with a note, or `RESIGN`.
 */
export type Choice = number | FullDecision | Answer | typeof RESIGN;

/** What a method may return: the value, or a promise of it. */
type Soon<T> = T | Promise<T>;

/**
 * Decides for one seat of one match.
 *
 * All methods are called one after the other; the next waits for the promise of the one before. A
 * bot may think as long as its clock allows, with or without `await`: the connection has a thread
 * of its own, and Pings are answered meanwhile.
 */
export interface Bot {
  /**
   * 1 to 64 printable characters; by default the name of the program's file. On a server that asks
   * for API keys, the name of the key counts instead.
   */
  readonly name?: string;
  /** At most 64 printable characters. */
  readonly version?: string;
  /** Identifiers of the games that the bot plays, such as `alhambra`; empty for all. */
  readonly games?: readonly string[];

  /**
   * Answers a request.
   *
   * The clock of the seat runs until the answer is at the server; `request.clock` tells it. When the
   * answer is refused and the request still open, `decisionRejected` is called, and then this method
   * with the same request.
   */
  decide(request: Request): Soon<Choice>;

  /**
   * Learns what stays the same during the match. Called before the first `decide`, and again when
   * the server has lost the end of what was played: forget all requests before. What is asked next
   * is complete, as ever.
   */
  matchStarted?(started: MatchStarted): Soon<void>;

  /** Learns why a decision was refused; `rejected.field` and `rejected.detail` say it. */
  decisionRejected?(rejected: DecisionRejected): Soon<void>;

  /** Learns that a seat's bot, perhaps this one, is gone, back, has a strike or forfeited. */
  seatChanged?(status: SeatStatus): Soon<void>;

  /** Learns the result. Not called if the server is lost before. */
  matchEnded?(result: MatchResult): Soon<void>;
}

/** A bot that is only a function. */
export type Decide = (request: Request) => Soon<Choice>;
