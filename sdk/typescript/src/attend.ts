// Attends a queue of a contest or a ladder, and plays the matches that are offered there.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type * as grpc from "@grpc/grpc-js";
import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "./backoff.js";
import type { Bot, Decide } from "./bot.js";
import { clientOf, limitConnecting, metadataOf } from "./connection.js";
import { PROTOCOL_REVISION } from "./conversation.js";
import { RefusedError, ServerLostError } from "./errors.js";
import { errorOf, StreamLost } from "./failure.js";
import {
  AttendRequestSchema,
  AttendResponseSchema,
  LobbyService,
  type AttendResponse,
  type Offer,
} from "./gen/bridgemaster/v1/lobby_service_pb.js";
import { queueing, type Options, type Queueing } from "./options.js";
import { placeLike } from "./place.js";
import { play, warn } from "./play.js";
import { Route } from "./route.js";
import { shown } from "./terminal.js";

/** Offers that are known when they come again: those of all slots, many times over. */
const REMEMBERED_OFFERS = 1024;
/** The refusal while the queue is not opened yet. */
const QUEUE_UNKNOWN = "QUEUE_UNKNOWN";

const ATTEND_PATH = `/${LobbyService.typeName}/${LobbyService.method.attend.name}`;

/** Makes the bot of a match: a `Bot`, or only its `decide`. */
export type NewBot = () => Bot | Decide;

/**
 * Attends a queue, and plays each match that is offered there, until the queue is left or closed.
 * `newBot` makes the bot of each match; name and version are those of the options. A match that is
 * not played to its end is logged, and the others go on; all are played to their end first.
 *
 * Rejected with a `PlayError` when the queue cannot be attended, or its server is lost, and with the
 * reason of the option `signal`.
 */
export async function attend(newBot: NewBot, options: Options = {}): Promise<void> {
  if (typeof newBot !== "function") throw new TypeError("a function that makes a bot is needed");
  options.signal?.throwIfAborted();
  const attendance = new Attendance(newBot, options);
  try {
    await attendance.attend();
  } finally {
    await attendance.played();
  }
}

/** A bot's place in a queue, over as many streams as it takes. */
class Attendance {
  readonly #newBot: NewBot;
  readonly #options: Options;
  readonly #queueing: Queueing;
  readonly #route: Route;
  readonly #log: NonNullable<Options["log"]>;
  /** The oldest first. */
  readonly #known = new Set<string>();
  readonly #playing = new Set<Promise<void>>();
  /** Whether a server ever answered, and whether one did on the newest stream. */
  #attended = false;
  #progressed = false;

  constructor(newBot: NewBot, options: Options) {
    this.#newBot = newBot;
    this.#options = options;
    this.#queueing = queueing(options);
    this.#route = new Route(this.#queueing.places);
    this.#log = options.log ?? warn;
  }

  /** Ends when the queue is left. */
  async attend(): Promise<void> {
    const backoff = new Backoff(this.#queueing.connectForMs);
    for (;;) {
      this.#progressed = false;
      try {
        return await this.#attendOnOneStream();
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        await this.#pause(backoff, lostBy(error));
      }
    }
  }

  /** Ends with the matches in play. */
  async played(): Promise<void> {
    await Promise.all(this.#playing);
  }

  async #pause(backoff: Backoff, lost: StreamLost): Promise<void> {
    const { queue, connectForMs, reconnectForMs } = this.#queueing;
    if (this.#progressed) backoff.restart(reconnectForMs, true);
    const { server } = this.#route.place;
    const atOnce = this.#route.goOn(lost.movedTo);
    const pauseMs = backoff.nextPauseMs();
    if (pauseMs === undefined) {
      const how = this.#attended
        ? `${server} was lost and did not come back within ${reconnectForMs} ms`
        : `queue ${queue} of ${server} could not be attended within ${connectForMs} ms`;
      throw new ServerLostError(`${how}: ${lost.message}`, lost.reason);
    }
    if (atOnce) return;
    this.#log(this.#attended ? "warn" : "debug", `no attendance: ${lost.message}`);
    const { signal } = this.#options;
    await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
  }

  async #attendOnOneStream(): Promise<void> {
    const { metadata, queue, name, version, slots } = this.#queueing;
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
    const client = clientOf(this.#route.place);
    const call = client.makeServerStreamRequest(
      ATTEND_PATH,
      (message: Uint8Array) => Buffer.from(message),
      (bytes: Buffer) => fromBinary(AttendResponseSchema, bytes),
      request,
      metadataOf(metadata),
    );
    limitConnecting(client, call);
    const cancel = () => call.cancel();
    this.#options.signal?.addEventListener("abort", cancel);
    try {
      await new Promise<void>((resolve, reject) => {
        call.on("data", (message: AttendResponse) => this.#receive(message));
        call.on("error", (error: grpc.ServiceError) => reject(errorOf(error)));
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
    this.#route.arrived();
    switch (message.case) {
      case "offer":
        this.#take(message.value);
        break;
      case "attendance":
        if (message.value.detail) this.#log("info", `attending: ${shown(message.value.detail)}`);
        break;
      case "offerWithdrawn":
        this.#log("info", `an offer holds no more: ${shown(message.value.detail)}`);
        break;
    }
  }

  /** Starts the match of an offer, unless it is known. */
  #take(offer: Offer): void {
    if (this.#known.has(offer.offerId)) return;
    this.#known.add(offer.offerId);
    const [oldest] = this.#known;
    if (this.#known.size > REMEMBERED_OFFERS && oldest) this.#known.delete(oldest);
    const played: Promise<void> = this.#play(offer).finally(() => this.#playing.delete(played));
    this.#playing.add(played);
  }

  /** The server of an offer, if it is another one. */
  #at({ address }: Offer): { server?: string } {
    const place = address ? placeLike(this.#route.place, address) : undefined;
    return place ? { server: place.server } : {};
  }

  async #play(offer: Offer): Promise<void> {
    const { name, version } = this.#queueing;
    const options = {
      ...this.#options,
      ...this.#at(offer),
      ticket: offer.ticket,
      name,
      version,
    };
    try {
      await play(this.#newBot(), options);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const match = shown(offer.matchId);
      this.#log("warn", `match ${match} was not played to its end: ${shown(why)}`);
    }
  }
}

/** The end of a stream after which another may carry on; throws what is none. */
function lostBy(error: unknown): StreamLost {
  if (error instanceof StreamLost) return error;
  // A contest that begins or goes on opens it in a moment.
  if (error instanceof RefusedError && error.reason === QUEUE_UNKNOWN) {
    return new StreamLost(error.message, error.reason);
  }
  throw error;
}
