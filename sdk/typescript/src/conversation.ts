// What is known of a match, over all streams of its seat: decides what a message that was received
// calls for. Knows no network and no bot.

import { create, toBinary } from "@bufbuild/protobuf";
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
import type { LogLevel, Seating } from "./options.js";
import { explanation } from "./refusal.js";
import { seedCommitment } from "./seed-commitment.js";

/** Revision of the protocol that this package speaks. */
export const PROTOCOL_REVISION = 1;

/**
 * Refused answers to one request after which the bot is given up: it finds no legal one, and going
 * on would end as a flood.
 */
export const MAX_REFUSED_ANSWERS = 3;

/** What a message calls for. */
export type Reaction =
  | { readonly do: "send"; readonly message: Uint8Array }
  | { readonly do: "ask"; readonly asked: Asked }
  | { readonly do: "tell"; readonly received: Received }
  | { readonly do: "end"; readonly result: MatchResult | undefined };

/** A message that was received. */
export interface Received {
  readonly response: PlayResponse;
  /** The same as it came. */
  readonly bytes: Uint8Array;
  /** When it came, by `nowMs`. */
  readonly receivedMs: number;
}

/** A request for the bot. */
export interface Asked {
  /**
   * Tells requests apart, where `requestId` does not: after the server has lost the end of what was
   * played, a number may come again with another request.
   */
  readonly askedId: number;
  readonly requestId: number;
  readonly seat: number;
  /** The message with the DecisionRequest. */
  readonly received: Received;
}

/** The newest request, until another replaces it. */
interface Open {
  readonly asked: Asked;
  /** The encoded PlayRequest. */
  answer: Uint8Array | undefined;
  /** A lost stream may have swallowed what was sent on it. */
  sentOnThisStream: boolean;
  refusedAnswers: number;
}

/** One seat of one match, over as many streams as it takes. */
export class Conversation {
  readonly #seating: Seating;
  readonly #log: (level: LogLevel, line: string) => void;
  #lastSequence = 0;
  #lastAskedId = 0;
  /** Match and seat, from the first Welcome on. */
  #seat: { readonly matchId: string; readonly seat: number } | undefined;
  #historyId = "";
  /** Empty until the start, and with a server that commits to nothing. */
  #seedCommitment = "";
  /** Until the group of the match is over. */
  #seedStaysSecret = false;
  #open: Open | undefined;
  #progressed = false;

  constructor(seating: Seating, log: (level: LogLevel, line: string) => void) {
    this.#seating = seating;
    this.#log = log;
  }

  /** Whether a server ever welcomed this bot. */
  get wasWelcomed(): boolean {
    return this.#seat !== undefined;
  }

  /** Whether the stream in use has brought a message that counts. */
  get progressed(): boolean {
    return this.#progressed;
  }

  /** Begins a stream; returns the Hello that it starts with. */
  hello(): Uint8Array {
    this.#progressed = false;
    if (this.#open) this.#open.sentOnThisStream = false;
    const { name, version, games } = this.#seating;
    const hello = create(HelloSchema, {
      protocolRevision: PROTOCOL_REVISION,
      botName: name,
      botVersion: version,
      games: [...games],
    });
    if (this.#lastSequence > 0) {
      hello.lastSequence = this.#lastSequence;
      hello.historyId = this.#historyId;
    }
    return encoded({ case: "hello", value: hello });
  }

  /**
   * Takes the Welcome of a stream. The answer that the stream before may have lost is sent again:
   * the server ignores it if it had arrived. A server that does not go on where the bot left off has
   * lost the end of what was played, and with it goes all that is known of the course of the match.
   */
  welcome(welcome: Welcome): Reaction[] {
    const { matchId, seat, historyId } = welcome;
    if (this.#seat && (this.#seat.matchId !== matchId || this.#seat.seat !== seat)) {
      throw new ProtocolError("the ticket leads to another seat than before");
    }
    this.#seat = { matchId, seat };
    this.#historyId = historyId;
    if (!welcome.resumed) {
      if (this.#lastSequence > 0) {
        this.#log("warn", "the server has lost what was played last: beginning anew");
      }
      this.#lastSequence = 0;
      this.#open = undefined;
    }
    return this.#sendAnswer();
  }

  /** Takes a message that came after the Welcome. */
  receive(received: Received): Reaction[] {
    const { sequence, message } = received.response;
    switch (message.case) {
      case "ping":
        return [send({ case: "pong", value: { nonce: message.value.nonce } })];
      case "draining":
        this.#log("info", `the server is going to stop in ${message.value.timeLeftMs} ms`);
        return [];
      case "welcome":
        throw new ProtocolError("the server broke the protocol: a second Welcome on one stream");
    }
    if (sequence <= this.#lastSequence) {
      // Sent again after a lost stream, or not counted. Only an open request matters twice.
      return message.case === "decisionRequest" ? this.#askedAgain(message.value) : [];
    }
    this.#lastSequence = sequence;
    this.#progressed = true;
    switch (message.case) {
      case "matchStarted":
        this.#keepCommitment(message.value);
        return [{ do: "tell", received }];
      case "decisionRequest":
        return this.#asked(message.value, received);
      case "decisionRejected":
        return [{ do: "tell", received }, ...this.#rejected(message.value)];
      case "seatStatus":
        return [{ do: "tell", received }];
      case "matchEnded":
        this.#checkSeed(message.value);
        return [{ do: "end", result: message.value.result }];
      default:
        // A kind of a newer server.
        return [];
    }
  }

  /** Takes what the bot chose, encoded, and sends it if it is still wanted. */
  answer(askedId: number, answer: Uint8Array): Reaction[] {
    if (this.#open?.asked.askedId !== askedId) {
      this.#log("warn", "an answer came too late, and was not sent");
      return [];
    }
    this.#open.answer = answer;
    return this.#sendAnswer();
  }

  /** Sends the answer, if there is one that the stream in use has not carried. */
  #sendAnswer(): Reaction[] {
    const open = this.#open;
    if (!open?.answer || open.sentOnThisStream) return [];
    open.sentOnThisStream = true;
    return [{ do: "send", message: open.answer }];
  }

  #keepCommitment(started: MatchStarted): void {
    if (this.#seedCommitment && this.#seedCommitment !== started.seedCommitment) {
      throw new ProtocolError("the server broke the protocol: the seed commitment changed");
    }
    this.#seedCommitment = started.seedCommitment;
    this.#seedStaysSecret = started.config?.group?.seedReveal === SeedReveal.WITH_GROUP;
  }

  #checkSeed({ seed, seedSalt, result }: MatchEnded): void {
    const told = this.#seedCommitment;
    if (!told || (this.#seedStaysSecret && !seed && !seedSalt)) return;
    if (told !== seedCommitment(seed, seedSalt)) {
      throw new BrokenSeedCommitmentError(told, seed, seedSalt, result);
    }
  }

  #asked(request: DecisionRequest, received: Received): Reaction[] {
    const { requestId } = request;
    if (this.#open && requestId <= this.#open.asked.requestId) return this.#askedAgain(request);
    this.#lastAskedId += 1;
    const asked = {
      askedId: this.#lastAskedId,
      requestId,
      seat: this.#seat?.seat ?? 0,
      received,
    };
    this.#open = { asked, answer: undefined, sentOnThisStream: false, refusedAnswers: 0 };
    return [{ do: "ask", asked }];
  }

  /** Takes a request that is known. The bot is not asked twice: it may still be thinking. */
  #askedAgain(request: DecisionRequest): Reaction[] {
    const isOpen = request.requestId === this.#open?.asked.requestId;
    return isOpen ? this.#sendAnswer() : [];
  }

  #rejected(rejected: DecisionRejected): Reaction[] {
    this.#log("warn", `request ${rejected.requestId}: refused: ${explanation(rejected)}`);
    const open = this.#open;
    const requestId = open?.asked.requestId;
    if (!open || rejected.requestId !== requestId || rejected.openRequestId !== requestId) {
      return [];
    }
    open.answer = undefined;
    open.sentOnThisStream = false;
    open.refusedAnswers += 1;
    if (open.refusedAnswers >= MAX_REFUSED_ANSWERS) {
      throw new NoLegalDecisionError(open.refusedAnswers, rejected);
    }
    return [{ do: "ask", asked: open.asked }];
  }
}

type RequestInit = Exclude<
  NonNullable<Parameters<typeof create<typeof PlayRequestSchema>>[1]>["message"],
  undefined
>;

function encoded(message: RequestInit): Uint8Array {
  return toBinary(PlayRequestSchema, create(PlayRequestSchema, { message }));
}

function send(message: RequestInit): Reaction {
  return { do: "send", message: encoded(message) };
}
