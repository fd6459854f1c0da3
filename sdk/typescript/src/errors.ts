// Why a match could not be played to its end, and what to do about it.

import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { DecisionRejected } from "./gen/bridgemaster/v1/play_pb.js";
import { explanation, reasonName } from "./refusal.js";
import { shown } from "./terminal.js";

/**
 * What to do about an error: `retry`, connect again after a pause; `fix`, trying again fails in the
 * same way; `stop`, the seat is not to be played any more.
 */
export type Advice = "retry" | "fix" | "stop";

const ADVICE_TEXT = {
  retry: "try again later",
  fix: "fix the bot or its options",
  stop: "nothing is left to play",
} as const satisfies Record<Advice, string>;

/** The match could not be played to its end; the message says why, on one line. */
export class PlayError extends Error {
  override name = "PlayError";

  /**
   * @param advice What to do about it.
   * @param reason The reason of the server's refusal, such as `TICKET_UNKNOWN`: one of the table in
   *   PROTOCOL.md. Undefined when the server did not refuse.
   */
  constructor(
    message: string,
    readonly advice: Advice = "fix",
    readonly reason?: string,
  ) {
    super(shown(message));
  }
}

/** The options, or the environment variables in their place, cannot be used. */
export class OptionsError extends PlayError {
  override name = "OptionsError";
}

/** The server refused, and trying again does not help. */
export class RefusedError extends PlayError {
  override name = "RefusedError";
  declare readonly reason: string;

  /** @param metadata Further facts, such as the scope that a key lacks. */
  constructor(
    reason: string,
    message: string,
    readonly metadata: Readonly<Record<string, string>>,
    advice: Advice,
  ) {
    super(`the server refused: ${reason}: ${message} (${ADVICE_TEXT[advice]})`, advice, reason);
  }
}

/**
 * No server answered in the time for connecting, or a lost stream did not come back in time.
 * `reason` is that of the last refusal, such as `SERVER_STOPPING`, if there was one.
 */
export class ServerLostError extends PlayError {
  override name = "ServerLostError";

  constructor(message: string, reason?: string) {
    super(message, "retry", reason);
  }
}

/** The other side is no Bridgemaster server, or one that breaks the protocol. */
export class ProtocolError extends PlayError {
  override name = "ProtocolError";
}

/** The match is over, and its seed is not the one that the server had committed to. */
export class BrokenSeedCommitmentError extends PlayError {
  override name = "BrokenSeedCommitmentError";

  /** @param result The result all the same. */
  constructor(
    commitment: string,
    seed: string,
    seedSalt: string,
    readonly result: MatchResult | undefined,
  ) {
    super(
      "the server played another seed than it had committed to: the commitment was " +
        `${commitment}, the seed revealed is "${seed}" with the salt "${seedSalt}"`,
      "stop",
    );
  }
}

/** The bot kept answering one request with decisions that were refused. */
export class NoLegalDecisionError extends PlayError {
  override name = "NoLegalDecisionError";
  declare readonly reason: string;

  /** @param last The last refusal. */
  constructor(
    times: number,
    readonly last: DecisionRejected,
  ) {
    super(
      `request ${last.requestId} was answered ${times} times with a decision that was refused; ` +
        `at last: ${explanation(last)}`,
      "fix",
      reasonName(last.reason),
    );
  }
}
