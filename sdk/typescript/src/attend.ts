// Attendance of the queue of a contest or a ladder.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type * as grpc from "@grpc/grpc-js";
import { randomUUID } from "node:crypto";
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
  DeclineOfferRequestSchema,
  LobbyService,
  UpdateAttendanceRequestSchema,
  type AttendResponse,
  type Offer,
} from "./gen/bridgemaster/v1/lobby_service_pb.js";
import { resolveAttendOptions, type Options, type ResolvedAttendOptions } from "./options.js";
import { playInSlot, warn } from "./play.js";
import { Route } from "./route.js";
import { CHECK_INTERVAL_MS, Slots } from "./slots.js";
import { escapeText } from "./terminal.js";

/** Number of recent offer ids stored for deduplication: far more than the slots of a bot. */
const MAX_RECENT_OFFERS = 1024;
/** Refusal reason of a queue that does not exist, or is not open yet. */
const QUEUE_UNKNOWN = "QUEUE_UNKNOWN";
/** Reason that the server receives with an offer for which no slot became free. */
const SLOTS_BUSY = "all slots are busy: the bot still computes for matches that have ended";
/** Time limit of a call that updates the attendance. */
const CALL_TIMEOUT_MS = 10_000;

const ATTEND_PATH = `/${LobbyService.typeName}/${LobbyService.method.attend.name}`;

/** Creates the bot of a match: a `Bot`, or only its `decide`. */
export type NewBot = () => Bot | Decide;

/**
 * Attends a queue and plays every match offered there, until the queue is closed or left. `newBot`
 * creates the bot of each match; name and version come from the options. A failed match is logged,
 * and does not affect other matches. Matches in progress are finished first. A slot is free once
 * all methods of its bot have returned; a busy slot of a match that has ended is logged and
 * reported.
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
  readonly #slots: Slots;
  /** With the number of a stream, lets the server ignore a request that arrives late. */
  readonly #clientInstanceId = randomUUID();
  #streamNumber = 0;
  /** The attendance, as its stream has reported it. */
  #attendanceId = "";
  /** True once any stream has received a message. */
  #attended = false;
  /** True once the current stream has received a message. */
  #progressed = false;

  constructor(newBot: NewBot, options: Options) {
    this.#newBot = newBot;
    this.#options = options;
    this.#resolved = resolveAttendOptions(options);
    this.#route = new Route(this.#resolved.servers);
    this.#slots = new Slots(this.#resolved.slots);
    this.#log = options.log ?? warn;
  }

  /** Returns once the queue is closed or left. */
  async attend(): Promise<void> {
    const checking = setInterval(() => this.#checkSlots(), CHECK_INTERVAL_MS);
    try {
      await this.#attendOnAllStreams();
    } finally {
      clearInterval(checking);
    }
  }

  async #attendOnAllStreams(): Promise<void> {
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
    // A match whose offer has waited for a slot can start before another match ends.
    while (this.#playing.size > 0) await Promise.all(this.#playing);
    // No match starts later, even if a bot still computes.
    this.#slots.withdrawAll();
  }

  async #pause(backoff: Backoff, lost: StreamLost): Promise<void> {
    const { queue, connectForMs, reconnectForMs } = this.#resolved;
    this.#slots.setUsedAtServer(undefined);
    await this.#route.checkTls(lost, this.#attended);
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
        clientInstanceId: this.#clientInstanceId,
        streamNumber: ++this.#streamNumber,
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
        this.#attendanceId = message.value.attendanceId;
        this.#slots.setUsedAtServer(message.value.slotsUsed, message.value.busySlots);
        if (message.value.detail) this.#log("info", `attending: ${escapeText(message.value.detail)}`);
        break;
      case "offerWithdrawn":
        this.#slots.withdraw(message.value.offerId);
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
    if (this.#slots.take(offer)) this.#start(offer);
  }

  /** Starts a match, for which a slot is taken. */
  #start(offer: Offer): void {
    const played: Promise<void> = this.#play(offer).finally(() => this.#playing.delete(played));
    this.#playing.add(played);
  }

  /** Reports busy slots to the server, and declines offers for which no slot became free. */
  #checkSlots(): void {
    const { busy, overdue } = this.#slots.check();
    if (busy) this.#log("warn", `${busy} slots are busy: the bot still computes for finished matches`);
    if (busy !== undefined) {
      const update = { attendanceId: this.#attendanceId, busySlots: busy };
      this.#call(
        LobbyService.method.updateAttendance,
        toBinary(UpdateAttendanceRequestSchema, create(UpdateAttendanceRequestSchema, update)),
      );
    }
    for (const { offerId } of overdue) {
      this.#log("warn", `offer ${escapeText(offerId)} declined: ${SLOTS_BUSY}`);
      const decline = { offerId, reason: SLOTS_BUSY };
      this.#call(
        LobbyService.method.declineOffer,
        toBinary(DeclineOfferRequestSchema, create(DeclineOfferRequestSchema, decline)),
      );
    }
  }

  /** Calls a method whose response has no content. A failure is only logged. */
  #call({ name }: { readonly name: string }, request: Uint8Array): void {
    const client = openClient(this.#route.server);
    client.makeUnaryRequest(
      `/${LobbyService.typeName}/${name}`,
      (message: Uint8Array) => Buffer.from(message),
      () => undefined,
      request,
      toMetadata(this.#resolved.metadata),
      { deadline: Date.now() + CALL_TIMEOUT_MS },
      (error) => {
        if (error) this.#log("warn", `${name} failed: ${escapeText(error.message)}`);
        client.close();
      },
    );
  }

  /** Frees a slot, or starts the match of an offer that waits for it. */
  readonly #release = (): void => {
    const next = this.#slots.release();
    if (next) this.#start(next);
  };

  async #play(offer: Offer): Promise<void> {
    const { name, version } = this.#resolved;
    const options = {
      ...this.#options,
      ticket: offer.ticket,
      name,
      version,
    };
    let bot: Bot | Decide;
    try {
      bot = this.#newBot();
    } catch (error) {
      this.#release();
      this.#failed(offer, error);
      return;
    }
    try {
      await playInSlot(bot, options, this.#release);
    } catch (error) {
      this.#failed(offer, error);
    }
  }

  #failed({ matchId }: Offer, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#log("warn", `match ${escapeText(matchId)} failed: ${escapeText(message)}`);
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
