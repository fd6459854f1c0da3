// Errors of a match, and advice on how to handle them.

import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { DecisionRejected } from "./gen/bridgemaster/v1/play_pb.js";
import { reasonName, rejectionText } from "./refusal.js";
import { escapeText } from "./terminal.js";

/**
 * Advice on how to handle an error: `retry`: connect again after a pause; `fix`: a retry fails in
 * the same way, so change the bot or its options; `stop`: nothing is left to play on this seat.
 */
export type Advice = "retry" | "fix" | "stop";

const ADVICE_TEXT = {
  retry: "try again later",
  fix: "fix the bot or its options",
  stop: "nothing is left to play",
} as const satisfies Record<Advice, string>;

/** An error that ended a match, or an attendance, early. Its message is one line. */
export class PlayError extends Error {
  override name = "PlayError";

  /**
   * @param advice How to handle the error.
   * @param reason The reason of the server's refusal, such as `TICKET_UNKNOWN`, from the table of
   *   refusals; undefined if the server did not refuse.
   */
  constructor(
    message: string,
    readonly advice: Advice = "fix",
    readonly reason?: string,
  ) {
    super(escapeText(message));
  }
}

/** The options, or the environment variables that replace them, are not valid. */
export class OptionsError extends PlayError {
  override name = "OptionsError";
}

/** The server refused, and a retry does not help. */
export class RefusedError extends PlayError {
  override name = "RefusedError";
  declare readonly reason: string;

  /** @param metadata Details such as the scope that a key lacks, by name. */
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
 * No server answered in time, or a lost stream could not be resumed in time. `reason` is the reason
 * of the last refusal, such as `SERVER_STOPPING`, if there was one.
 */
export class ServerLostError extends PlayError {
  override name = "ServerLostError";

  constructor(message: string, reason?: string) {
    super(message, "retry", reason);
  }
}

/** The connection failed because of a TLS mistake, such as an untrusted certificate. */
export class TlsError extends PlayError {
  override name = "TlsError";
}

/** The peer is not a Bridgemaster server, or it breaks the protocol. */
export class ProtocolError extends PlayError {
  override name = "ProtocolError";
}

/** The match has ended, and its seed does not match the server's commitment. */
export class BrokenSeedCommitmentError extends PlayError {
  override name = "BrokenSeedCommitmentError";

  /** @param result The result that the server reported. */
  constructor(
    commitment: string,
    seed: string,
    seedSalt: string,
    readonly result: MatchResult | undefined,
  ) {
    super(
      "the revealed seed does not match the commitment: commitment " +
        `"${commitment}", seed "${seed}", salt "${seedSalt}"`,
      "stop",
    );
  }
}

/** The bot answered one request with refused decisions too often. */
export class NoLegalDecisionError extends PlayError {
  override name = "NoLegalDecisionError";
  declare readonly reason: string;

  /** @param last The refusal of the last decision. */
  constructor(
    times: number,
    readonly last: DecisionRejected,
  ) {
    super(
      `the server refused ${times} decisions for request ${last.requestId}; the last: ` +
        rejectionText(last),
      "fix",
      reasonName(last.reason),
    );
  }
}
