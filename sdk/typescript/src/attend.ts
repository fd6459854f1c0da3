// Attendance of the queue of a contest or a ladder.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type * as grpc from "@grpc/grpc-js";
import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "./backoff.js";
import type { Bot, Decide } from "./bot.js";
import { limitConnectTime, openClient, toMetadata } from "./connection.js";
import { PROTOCOL_REVISION } from "./conversation.js";
import { RefusedError, ServerLostError } from "./errors.js";
import { errorFromRpc, StreamLost } from "./failure.js";
import {
  AttendRequestSchema,
  AttendResponseSchema,
  LobbyService,
  type AttendResponse,
  type Offer,
} from "./gen/bridgemaster/v1/lobby_service_pb.js";
import { resolveAttendOptions, type Options, type ResolvedAttendOptions } from "./options.js";
import { play, warn } from "./play.js";
import { Route } from "./route.js";
import { escapeText } from "./terminal.js";

/** Number of recent offer ids stored for deduplication: far more than the slots of a bot. */
const MAX_RECENT_OFFERS = 1024;
/** Refusal reason of a queue that does not exist, or is not open yet. */
const QUEUE_UNKNOWN = "QUEUE_UNKNOWN";

const ATTEND_PATH = `/${LobbyService.typeName}/${LobbyService.method.attend.name}`;

/** Creates the bot of a match: a `Bot`, or only its `decide`. */
export type NewBot = () => Bot | Decide;

/**
 * Attends a queue and plays every match offered there, until the queue is closed or left. `newBot`
 * creates the bot of each match; name and version come from the options. A failed match is logged,
 * and does not affect other matches. Matches in progress are finished first.
 *
 * Rejects with a `PlayError` if the queue cannot be attended or its server is lost, and with the
 * reason of the option `signal`.
 */
export async function attend(newBot: NewBot, options: Options = {}): Promise<void> {
  if (typeof newBot !== "function") throw new TypeError("newBot must be a function that creates a bot");
  options.signal?.throwIfAborted();
  const attendance = new Attendance(newBot, options);
  try {
    await attendance.attend();
  } finally {
    await attendance.finish();
  }
}

/** An attendance of a queue, across all of its streams. */
class Attendance {
  readonly #newBot: NewBot;
  readonly #options: Options;
  readonly #resolved: ResolvedAttendOptions;
  readonly #route: Route;
  readonly #log: NonNullable<Options["log"]>;
  /** Ids of the recent offers, oldest first. */
  readonly #recent = new Set<string>();
  readonly #playing = new Set<Promise<void>>();
  /** True once any stream has received a message. */
  #attended = false;
  /** True once the current stream has received a message. */
  #progressed = false;

  constructor(newBot: NewBot, options: Options) {
    this.#newBot = newBot;
    this.#options = options;
    this.#resolved = resolveAttendOptions(options);
    this.#route = new Route(this.#resolved.servers);
    this.#log = options.log ?? warn;
  }

  /** Returns once the queue is closed or left. */
  async attend(): Promise<void> {
    const backoff = new Backoff(this.#resolved.connectForMs);
    for (;;) {
      this.#progressed = false;
      try {
        return await this.#attendOnOneStream();
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        await this.#pause(backoff, asStreamLost(error));
      }
    }
  }

  /** Waits for the matches in progress. */
  async finish(): Promise<void> {
    await Promise.all(this.#playing);
  }

  async #pause(backoff: Backoff, lost: StreamLost): Promise<void> {
    const { queue, connectForMs, reconnectForMs } = this.#resolved;
    if (this.#progressed) backoff.restart(reconnectForMs, true);
    const { address } = this.#route.server;
    this.#route.advance();
    const pauseMs = backoff.nextPauseMs();
    if (pauseMs === undefined) {
      const what = this.#attended
        ? `lost the stream to ${address} and could not resume it within ${reconnectForMs / 1000} s`
        : `queue ${queue} at ${address} could not be attended within ${connectForMs / 1000} s`;
      throw new ServerLostError(`${what}: ${lost.message}`, lost.reason);
    }
    this.#log(this.#attended ? "warn" : "debug", `attendance lost: ${lost.message}; retrying`);
    const { signal } = this.#options;
    await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
  }

  async #attendOnOneStream(): Promise<void> {
    const { metadata, queue, name, version, slots } = this.#resolved;
    const request = toBinary(
      AttendRequestSchema,
      create(AttendRequestSchema, {
        queueId: queue,
        botName: name,
        botVersion: version,
        slots,
        protocolRevision: PROTOCOL_REVISION,
      }),
    );
    const client = openClient(this.#route.server);
    const call = client.makeServerStreamRequest(
      ATTEND_PATH,
      (message: Uint8Array) => Buffer.from(message),
      (bytes: Buffer) => fromBinary(AttendResponseSchema, bytes),
      request,
      toMetadata(metadata),
    );
    limitConnectTime(client, call);
    const cancel = () => call.cancel();
    this.#options.signal?.addEventListener("abort", cancel);
    try {
      await new Promise<void>((resolve, reject) => {
        call.on("data", (message: AttendResponse) => this.#receive(message));
        call.on("error", (error: grpc.ServiceError) => reject(errorFromRpc(error)));
        call.on("end", resolve);
      });
    } finally {
      this.#options.signal?.removeEventListener("abort", cancel);
      client.close();
    }
  }

  #receive({ message }: AttendResponse): void {
    this.#attended = true;
    this.#progressed = true;
    switch (message.case) {
      case "offer":
        this.#accept(message.value);
        break;
      case "attendance":
        if (message.value.detail) this.#log("info", `attending: ${escapeText(message.value.detail)}`);
        break;
      case "offerWithdrawn":
        this.#log("info", `offer withdrawn: ${escapeText(message.value.detail)}`);
        break;
    }
  }

  /** Starts the match of an offer, unless the offer is a repetition. */
  #accept(offer: Offer): void {
    if (this.#recent.has(offer.offerId)) return;
    this.#recent.add(offer.offerId);
    const [oldest] = this.#recent;
    if (this.#recent.size > MAX_RECENT_OFFERS && oldest) this.#recent.delete(oldest);
    const played: Promise<void> = this.#play(offer).finally(() => this.#playing.delete(played));
    this.#playing.add(played);
  }

  async #play(offer: Offer): Promise<void> {
    const { name, version } = this.#resolved;
    const options = {
      ...this.#options,
      ticket: offer.ticket,
      name,
      version,
    };
    try {
      await play(this.#newBot(), options);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#log("warn", `match ${escapeText(offer.matchId)} failed: ${escapeText(message)}`);
    }
  }
}

/** Returns the error if a retry might help; throws it otherwise. */
function asStreamLost(error: unknown): StreamLost {
  if (error instanceof StreamLost) return error;
  // A contest opens its queue shortly after it starts or resumes.
  if (error instanceof RefusedError && error.reason === QUEUE_UNKNOWN) {
    return new StreamLost(error.message, error.reason);
  }
  throw error;
}
