// Plays a seat: connects, exchanges messages, and resumes after a lost stream.

import { Backoff } from "./backoff.js";
import { Conversation, type BotRequest, type Reaction, type Received } from "./conversation.js";
import { PlayError, ProtocolError, ServerLostError } from "./errors.js";
import { errorFromRpc, StreamLost } from "./failure.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { Welcome } from "./gen/bridgemaster/v1/play_pb.js";
import type { LogLevel, ResolvedOptions } from "./options.js";
import { Route } from "./route.js";
import { Stream, type FromServer } from "./stream.js";

/** Time to wait for the Welcome on a new stream. */
const WELCOME_TIMEOUT_MS = 10_000;
/** Time to wait for the end of the stream after MatchEnded. */
const CLOSING_TIMEOUT_MS = 1_000;
/** The number of Ping intervals without a message after which a server is lost. */
const MISSED_PINGS = 3;

/** The bot, on another thread. */
export interface BotLink {
  decide(request: BotRequest): void;
  /** Cancels this request and all earlier ones: their answers are no longer needed. */
  cancel(requestKey: number): void;
  /** Passes a MatchStarted, a DecisionRejected or a SeatStatus to the bot. */
  notify(received: Received): void;
  log(level: LogLevel, line: string): void;
}

/** The caller stopped playing. */
export class Stopped extends Error {}

type Answered = { readonly kind: "answered"; readonly requestKey: number; readonly answer: Uint8Array };
type Event = Answered | { readonly kind: "stopped" } | { readonly stream: Stream; readonly event: FromServer };

/** One seat of one match, across all of its streams. */
export class Seat {
  readonly #options: ResolvedOptions;
  readonly #route: Route;
  readonly #bot: BotLink;
  readonly #conversation: Conversation;
  /** Pending events, in the order in which they are handled. */
  readonly #events: Event[] = [];
  #wake: (() => void) | undefined;
  /** Answers given while no stream was ready to send them. */
  #deferred: Answered[] = [];
  #streamWasWelcomed = false;

  constructor(options: ResolvedOptions, bot: BotLink) {
    this.#options = options;
    this.#route = new Route(options.servers);
    this.#bot = bot;
    this.#conversation = new Conversation(options, bot);
  }

  /** Sends an answer of the bot, an encoded PlayRequest. */
  answer(requestKey: number, answer: Uint8Array): void {
    this.#enqueue({ kind: "answered", requestKey, answer });
  }

  /** Makes `play` reject with `Stopped`. */
  stop(): void {
    this.#enqueue({ kind: "stopped" });
  }

  /** Plays to the end of the match. */
  async play(): Promise<MatchResult | undefined> {
    const backoff = new Backoff(this.#options.connectForMs);
    for (;;) {
      try {
        return await this.#playOnOneStream();
      } catch (error) {
        if (!(error instanceof StreamLost)) throw error;
        if (this.#streamWasWelcomed) {
          // A match that waits for other bots can be silent for a long time.
          backoff.restart(this.#options.reconnectForMs, this.#conversation.progressed);
        }
        await this.#pause(backoff, error);
      }
    }
  }

  #enqueue(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Waits before the next stream, storing answers that the bot gives in the meantime. */
  async #pause(backoff: Backoff, lost: StreamLost): Promise<void> {
    const welcomed = this.#conversation.wasWelcomed;
    await this.#route.checkTls(lost, welcomed);
    const { address } = this.#route.server;
    this.#route.advance();
    const pauseMs = backoff.nextPauseMs();
    if (pauseMs === undefined) {
      const { connectForMs, reconnectForMs } = this.#options;
      const what = welcomed
        ? `lost the stream to ${address} and could not resume it within ${reconnectForMs / 1000} s`
        : `no server answered at ${address} within ${connectForMs / 1000} s`;
      throw new ServerLostError(`${what}: ${lost.message}`, lost.reason);
    }
    const retry = `retrying in ${(pauseMs / 1000).toFixed(2)} s`;
    this.#bot.log(welcomed ? "warn" : "debug", `stream lost: ${lost.message}; ${retry}`);
    const untilMs = performance.now() + pauseMs;
    for (let event; (event = await this.#next(undefined, untilMs)); ) this.#defer(event);
  }

  /** Opens a stream and uses it until the match has ended. */
  async #playOnOneStream(): Promise<MatchResult | undefined> {
    this.#streamWasWelcomed = false;
    const { server } = this.#route;
    const hello = this.#conversation.hello();
    const stream: Stream = new Stream(this.#options, server, hello, (event) =>
      this.#enqueue({ stream, event }),
    );
    try {
      const welcome = await this.#readWelcome(stream);
      const reactions = this.#conversation.welcome(welcome);
      this.#streamWasWelcomed = true;
      this.#react(stream, reactions);
      const result = await this.#exchange(stream, MISSED_PINGS * welcome.pingIntervalMs);
      await this.#leave(stream);
      return result;
    } finally {
      stream.close();
    }
  }

  async #readWelcome(stream: Stream): Promise<Welcome> {
    const { connectForMs, reconnectForMs } = this.#options;
    const totalMs = this.#conversation.wasWelcomed ? reconnectForMs : connectForMs;
    const untilMs = performance.now() + this.#route.answerTimeoutMs(WELCOME_TIMEOUT_MS, totalMs);
    for (;;) {
      const event = await this.#next(stream, untilMs);
      if (!event) throw new StreamLost("the server did not send a Welcome in time");
      if ("kind" in event) {
        this.#defer(event);
      } else if (event.response.message.case === "welcome") {
        return event.response.message.value;
      } else {
        throw new ProtocolError("the server broke the protocol: its first message is not a Welcome");
      }
    }
  }

  /** Passes messages between server and bot until the match has ended. */
  async #exchange(stream: Stream, silenceMs: number): Promise<MatchResult | undefined> {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const { requestKey, answer } of deferred) {
      this.#react(stream, this.#conversation.answer(requestKey, answer));
    }
    const silentUntilMs = () => (silenceMs > 0 ? performance.now() + silenceMs : undefined);
    let untilMs = silentUntilMs();
    for (;;) {
      const event = await this.#next(stream, untilMs);
      if (!event) throw new StreamLost(`the server was silent for ${silenceMs / 1000} s`);
      const isAnswer = "kind" in event;
      if (!isAnswer) untilMs = silentUntilMs();
      const reactions = isAnswer
        ? this.#conversation.answer(event.requestKey, event.answer)
        : this.#conversation.receive(event);
      const end = this.#react(stream, reactions);
      if (end) return end.result;
    }
  }

  /** Carries out reactions; returns the result if the match has ended. */
  #react(stream: Stream, reactions: Reaction[]): { result: MatchResult | undefined } | undefined {
    for (const reaction of reactions) {
      switch (reaction.do) {
        case "send":
          stream.send(reaction.message);
          break;
        case "decide":
          this.#bot.decide(reaction.request);
          break;
        case "notify":
          this.#bot.notify(reaction.received);
          break;
        case "end":
          return { result: reaction.result };
      }
    }
    return undefined;
  }

  /** Closes the stream in order: first the client's half, then the server's. */
  async #leave(stream: Stream): Promise<void> {
    stream.halfClose();
    const untilMs = performance.now() + CLOSING_TIMEOUT_MS;
    try {
      while (await this.#next(stream, untilMs));
    } catch (error) {
      if (!(error instanceof StreamLost || error instanceof PlayError)) throw error;
      this.#bot.log("debug", `the stream has ended: ${error.message}`);
    }
  }

  #defer(event: Received | Answered): void {
    if ("kind" in event) this.#deferred.push(event);
  }

  /**
   * Waits for the next message of a stream or answer of the bot; undefined when time is up. Throws
   * the error that ended the stream, or `Stopped`.
   */
  async #next(
    stream: Stream | undefined,
    untilMs: number | undefined,
  ): Promise<Received | Answered | undefined> {
    for (;;) {
      const next = this.#events.shift();
      if (!next) {
        if (await this.#timeIsUp(untilMs)) return undefined;
      } else if ("kind" in next) {
        if (next.kind === "stopped") throw new Stopped();
        return next;
      } else if (next.stream === stream) {
        // Events of earlier streams are ignored.
        const { event } = next;
        if (event.kind === "message") return event.received;
        if (event.kind === "failed") throw errorFromRpc(event.error);
        throw new StreamLost("the server ended the stream before the match was over");
      }
    }
  }

  /** Waits for an event; returns true if the time is up instead. */
  async #timeIsUp(untilMs: number | undefined): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (untilMs !== undefined) {
        timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
      }
    });
    clearTimeout(timer);
    this.#wake = undefined;
    return this.#events.length === 0;
  }
}
