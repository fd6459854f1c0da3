// The state of a seat's conversation with the server, across all of its streams. Decides how to
// react to a received message; does no I/O.

import { create, toBinary } from "@bufbuild/protobuf";
import { randomUUID } from "node:crypto";
import { BrokenSeedCommitmentError, NoLegalDecisionError, ProtocolError } from "./errors.js";
import { SeedReveal } from "./gen/bridgemaster/v1/match_pb.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import {
  HelloSchema,
  PlayRequestSchema,
  type DecisionRejected,
  type DecisionRequest,
  type MatchEnded,
  type MatchStarted,
  type PlayResponse,
  type Welcome,
} from "./gen/bridgemaster/v1/play_pb.js";
import type { LogLevel, ResolvedOptions } from "./options.js";
import { rejectionText } from "./refusal.js";
import { seedCommitment } from "./seed-commitment.js";

/** The protocol revision that this package implements. */
export const PROTOCOL_REVISION = 1;

/**
 * The number of refused answers to one request after which the match is abandoned: the bot does not
 * find a legal decision, and further attempts would only flood the server.
 */
export const MAX_REFUSED_ANSWERS = 3;

/** A reaction to a message or an answer. */
export type Reaction =
  | { readonly do: "send"; readonly message: Uint8Array }
  | { readonly do: "decide"; readonly request: BotRequest }
  | { readonly do: "notify"; readonly received: Received }
  | { readonly do: "end"; readonly result: MatchResult | undefined };

/** A message that was received. */
export interface Received {
  readonly response: PlayResponse;
  /** The encoded message. */
  readonly bytes: Uint8Array;
  /** Time of receipt, by `nowMs`. */
  readonly receivedMs: number;
}

/** A request for the bot. */
export interface BotRequest {
  /**
   * Unique number of the request. `requestId` is not unique: if the server loses the last part of
   * the match, it reuses ids for other requests.
   */
  readonly requestKey: number;
  readonly requestId: number;
  readonly seat: number;
  /** The message with the DecisionRequest. */
  readonly received: Received;
}

/** The newest request, until the next one replaces it. */
interface OpenRequest {
  readonly request: BotRequest;
  /** The encoded PlayRequest. */
  answer: Uint8Array | undefined;
  /**
   * Set once the answer is sent on the current stream. An answer sent on a lost stream may be lost.
   */
  sentOnCurrentStream: boolean;
  refusedAnswers: number;
}

/** The bot, as far as a conversation uses it. */
interface ConversationBot {
  cancel(requestKey: number): void;
  log(level: LogLevel, line: string): void;
}

/** The conversation of one seat, across all of its streams. */
export class Conversation {
  readonly #options: ResolvedOptions;
  readonly #bot: ConversationBot;
  /** With the number of a stream, lets the server ignore a Hello that arrives late. */
  readonly #clientInstanceId = randomUUID();
  #streamNumber = 0;
  #lastSequence = 0;
  #lastRequestKey = 0;
  /** Match id and seat number, from the first Welcome. */
  #seat: { readonly matchId: string; readonly seat: number } | undefined;
  #historyId = "";
  /** The commitment to the seed; empty before MatchStarted, or if the server makes none. */
  #seedCommitment = "";
  /** The seed is revealed with the match group, which can end later than the match. */
  #seedRevealedWithGroup = false;
  #open: OpenRequest | undefined;
  #progressed = false;

  constructor(options: ResolvedOptions, bot: ConversationBot) {
    this.#options = options;
    this.#bot = bot;
  }

  /** True if any stream has received a Welcome. */
  get wasWelcomed(): boolean {
    return this.#seat !== undefined;
  }

  /** True if the current stream has received a numbered message. */
  get progressed(): boolean {
    return this.#progressed;
  }

  /** Starts a new stream and returns its Hello. */
  hello(): Uint8Array {
    this.#progressed = false;
    if (this.#open) this.#open.sentOnCurrentStream = false;
    const { name, version, games } = this.#options;
    const hello = create(HelloSchema, {
      protocolRevision: PROTOCOL_REVISION,
      botName: name,
      botVersion: version,
      games: [...games],
      clientInstanceId: this.#clientInstanceId,
      streamNumber: ++this.#streamNumber,
    });
    if (this.#lastSequence > 0) {
      hello.lastSequence = this.#lastSequence;
      hello.historyId = this.#historyId;
    }
    return encode({ case: "hello", value: hello });
  }

  /**
   * Processes the Welcome of a stream. Sends again the answer that the previous stream may have
   * lost; the server ignores a duplicate. If the server does not resume, it has lost the last part
   * of the match, and the state of the match is reset.
   */
  welcome(welcome: Welcome): Reaction[] {
    const { matchId, seat, historyId } = welcome;
    if (this.#seat && (this.#seat.matchId !== matchId || this.#seat.seat !== seat)) {
      throw new ProtocolError("the ticket now belongs to a different seat");
    }
    this.#seat = { matchId, seat };
    this.#historyId = historyId;
    if (!welcome.resumed) {
      if (this.#lastSequence > 0) {
        this.#bot.log("warn", "the server lost the last part of the match; starting over");
      }
      this.#lastSequence = 0;
      this.#cancel();
    }
    return this.#unsentAnswer();
  }

  /** Processes a message after the Welcome. */
  receive(received: Received): Reaction[] {
    const { sequence, message } = received.response;
    switch (message.case) {
      case "ping":
        return [send({ case: "pong", value: { nonce: message.value.nonce } })];
      case "draining":
        this.#bot.log("info", `the server is shutting down in ${message.value.timeLeftMs} ms`);
        return [];
      case "welcome":
        throw new ProtocolError("the server broke the protocol: a second Welcome on one stream");
    }
    if (sequence <= this.#lastSequence) {
      // The message is repeated after a lost stream, or not numbered. Only an open request is
      // handled again.
      return message.case === "decisionRequest" ? this.#requestRepeated(message.value) : [];
    }
    this.#lastSequence = sequence;
    this.#progressed = true;
    switch (message.case) {
      case "matchStarted":
        this.#started(message.value);
        return [{ do: "notify", received }];
      case "decisionRequest":
        return this.#requested(message.value, received);
      case "decisionRejected":
        return [{ do: "notify", received }, ...this.#rejected(message.value)];
      case "seatStatus":
        return [{ do: "notify", received }];
      case "matchEnded":
        this.#cancel();
        this.#checkSeed(message.value);
        return [{ do: "end", result: message.value.result }];
      default:
        // A message kind that only newer servers send.
        return [];
    }
  }

  /** Records an encoded answer of the bot; sends it if its request is still open. */
  answer(requestKey: number, answer: Uint8Array): Reaction[] {
    if (this.#open?.request.requestKey !== requestKey) {
      this.#bot.log("warn", "answer ignored: the request is not open");
      return [];
    }
    this.#open.answer = answer;
    return this.#unsentAnswer();
  }

  /** Cancels the open request, if any: its answer is no longer needed. */
  #cancel(): void {
    if (this.#open) this.#bot.cancel(this.#open.request.requestKey);
    this.#open = undefined;
  }

  /** Returns the answer to send, unless there is none or the current stream has sent it. */
  #unsentAnswer(): Reaction[] {
    const open = this.#open;
    if (!open?.answer || open.sentOnCurrentStream) return [];
    open.sentOnCurrentStream = true;
    return [{ do: "send", message: open.answer }];
  }

  #started(started: MatchStarted): void {
    if (this.#seedCommitment && this.#seedCommitment !== started.seedCommitment) {
      throw new ProtocolError("the server broke the protocol: the seed commitment changed");
    }
    this.#seedCommitment = started.seedCommitment;
    this.#seedRevealedWithGroup = started.config?.group?.seedReveal === SeedReveal.WITH_GROUP;
  }

  #checkSeed({ seed, seedSalt, result }: MatchEnded): void {
    const commitment = this.#seedCommitment;
    if (!commitment || (this.#seedRevealedWithGroup && !seed && !seedSalt)) return;
    if (commitment !== seedCommitment(seed, seedSalt)) {
      throw new BrokenSeedCommitmentError(commitment, seed, seedSalt, result);
    }
  }

  #requested(message: DecisionRequest, received: Received): Reaction[] {
    const { requestId } = message;
    if (this.#open && requestId <= this.#open.request.requestId) {
      return this.#requestRepeated(message);
    }
    this.#cancel();
    this.#lastRequestKey += 1;
    const request = {
      requestKey: this.#lastRequestKey,
      requestId,
      seat: this.#seat?.seat ?? 0,
      received,
    };
    this.#open = { request, answer: undefined, sentOnCurrentStream: false, refusedAnswers: 0 };
    return [{ do: "decide", request }];
  }

  /**
   * Processes a repeated request. `decide` is not called again, because the first call may still be
   * running.
   */
  #requestRepeated(message: DecisionRequest): Reaction[] {
    const isOpen = message.requestId === this.#open?.request.requestId;
    return isOpen ? this.#unsentAnswer() : [];
  }

  #rejected(rejected: DecisionRejected): Reaction[] {
    this.#bot.log("warn", `request ${rejected.requestId}: refused: ${rejectionText(rejected)}`);
    const open = this.#open;
    const requestId = open?.request.requestId;
    if (!open || rejected.requestId !== requestId || rejected.openRequestId !== requestId) {
      return [];
    }
    open.answer = undefined;
    open.sentOnCurrentStream = false;
    open.refusedAnswers += 1;
    if (open.refusedAnswers >= MAX_REFUSED_ANSWERS) {
      throw new NoLegalDecisionError(open.refusedAnswers, rejected);
    }
    return [{ do: "decide", request: open.request }];
  }
}

type RequestInit = Exclude<
  NonNullable<Parameters<typeof create<typeof PlayRequestSchema>>[1]>["message"],
  undefined
>;

function encode(message: RequestInit): Uint8Array {
  return toBinary(PlayRequestSchema, create(PlayRequestSchema, { message }));
}

function send(message: RequestInit): Reaction {
  return { do: "send", message: encode(message) };
}
