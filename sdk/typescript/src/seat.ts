// Plays a seat: connects, converses, comes back after a lost stream.

import { Backoff } from "./backoff.js";
import { Conversation, type Asked, type Reaction, type Received } from "./conversation.js";
import { PlayError, ProtocolError, ServerLostError } from "./errors.js";
import { errorOf, StreamLost } from "./failure.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import type { Welcome } from "./gen/bridgemaster/v1/play_pb.js";
import type { LogLevel, Seating } from "./options.js";
import { Route } from "./route.js";
import { Stream, type FromServer } from "./stream.js";

/** Time for the Welcome, once a stream is asked for. */
const WELCOME_TIMEOUT_MS = 10_000;
/** Time that the server has to end the stream after MatchEnded; the result is known by then. */
const CLOSING_TIMEOUT_MS = 1_000;
/** A server that is silent for this many intervals of its Pings is gone. */
const MISSED_PINGS = 3;

/** Where the seat tells what the bot has to know. */
export interface BotLink {
  ask(asked: Asked): void;
  /** What it is told is a MatchStarted, a DecisionRejected or a SeatStatus. */
  tell(received: Received): void;
  log(level: LogLevel, line: string): void;
}

/** The caller does not want to play any more. */
export class Stopped extends Error {}

type Answered = { readonly kind: "answered"; readonly askedId: number; readonly answer: Uint8Array };
type Event = Answered | { readonly kind: "stopped" } | { readonly stream: Stream; readonly what: FromServer };

/** One seat of one match, over as many streams as it takes. */
export class Seat {
  readonly #seating: Seating;
  readonly #route: Route;
  readonly #bot: BotLink;
  readonly #conversation: Conversation;
  /** Everything that happens, in the order in which it is handled. */
  readonly #events: Event[] = [];
  #wake: (() => void) | undefined;
  /** Answers that came while no stream was welcomed. */
  #held: Answered[] = [];
  #streamWasWelcomed = false;

  constructor(seating: Seating, bot: BotLink) {
    this.#seating = seating;
    this.#route = new Route(seating.places);
    this.#bot = bot;
    this.#conversation = new Conversation(seating, (level, line) => bot.log(level, line));
  }

  /** Takes the bot's answer, an encoded PlayRequest. */
  answer(askedId: number, answer: Uint8Array): void {
    this.#happened({ kind: "answered", askedId, answer });
  }

  /** Lets `play` end with `Stopped`. */
  stop(): void {
    this.#happened({ kind: "stopped" });
  }

  /** Plays to the end of the match. */
  async play(): Promise<MatchResult | undefined> {
    const backoff = new Backoff(this.#seating.connectForMs);
    for (;;) {
      try {
        return await this.#playOnOneStream();
      } catch (error) {
        if (!(error instanceof StreamLost)) throw error;
        if (this.#streamWasWelcomed) {
          // A match that waits for other bots may say nothing for long.
          backoff.restart(this.#seating.reconnectForMs, this.#conversation.progressed);
        }
        await this.#pause(backoff, error);
      }
    }
  }

  #happened(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Waits before the next stream; what the bot answers meanwhile is kept. */
  async #pause(backoff: Backoff, lost: StreamLost): Promise<void> {
    const { server } = this.#route.place;
    const atOnce = this.#route.goOn(lost.movedTo);
    const pauseMs = backoff.nextPauseMs();
    const welcomed = this.#conversation.wasWelcomed;
    if (pauseMs === undefined) {
      const { connectForMs, reconnectForMs } = this.#seating;
      throw new ServerLostError(
        welcomed
          ? `${server} was lost and did not come back within ${reconnectForMs / 1000} s: ${lost.message}`
          : `${server} could not be reached within ${connectForMs / 1000} s: ${lost.message}`,
        lost.reason,
      );
    }
    if (atOnce) {
      this.#bot.log("debug", `the match is at ${this.#route.place.server}`);
      return;
    }
    const again = `trying again in ${(pauseMs / 1000).toFixed(2)} s`;
    this.#bot.log(welcomed ? "warn" : "debug", `no stream: ${lost.message}; ${again}`);
    const untilMs = performance.now() + pauseMs;
    for (let event; (event = await this.#next(undefined, untilMs)); ) this.#hold(event);
  }

  /** Opens a stream and converses on it until the match is over. */
  async #playOnOneStream(): Promise<MatchResult | undefined> {
    this.#streamWasWelcomed = false;
    const { place } = this.#route;
    const stream: Stream = new Stream(this.#seating, place, this.#conversation.hello(), (what) =>
      this.#happened({ stream, what }),
    );
    try {
      const welcome = await this.#readWelcome(stream);
      const reactions = this.#conversation.welcome(welcome);
      this.#streamWasWelcomed = true;
      this.#route.arrived();
      this.#react(stream, reactions);
      const result = await this.#converse(stream, MISSED_PINGS * welcome.pingIntervalMs);
      await this.#leave(stream);
      return result;
    } finally {
      stream.close();
    }
  }

  async #readWelcome(stream: Stream): Promise<Welcome> {
    const { connectForMs, reconnectForMs } = this.#seating;
    const spanMs = this.#conversation.wasWelcomed ? reconnectForMs : connectForMs;
    const untilMs = performance.now() + this.#route.patienceMs(WELCOME_TIMEOUT_MS, spanMs);
    for (;;) {
      const event = await this.#next(stream, untilMs);
      if (!event) throw new StreamLost("no Welcome came");
      if ("kind" in event) {
        this.#hold(event);
      } else if (event.response.message.case === "welcome") {
        return event.response.message.value;
      } else {
        throw new ProtocolError("the server broke the protocol: its first message is no Welcome");
      }
    }
  }

  /** Carries messages between server and bot, in whatever order the two get ready. */
  async #converse(stream: Stream, silenceMs: number): Promise<MatchResult | undefined> {
    const held = this.#held;
    this.#held = [];
    for (const { askedId, answer } of held) {
      this.#react(stream, this.#conversation.answer(askedId, answer));
    }
    const silentUntilMs = () => (silenceMs > 0 ? performance.now() + silenceMs : undefined);
    let untilMs = silentUntilMs();
    for (;;) {
      const event = await this.#next(stream, untilMs);
      if (!event) throw new StreamLost(`the server was silent for ${silenceMs / 1000} s`);
      const isAnswer = "kind" in event;
      if (!isAnswer) untilMs = silentUntilMs();
      const reactions = isAnswer
        ? this.#conversation.answer(event.askedId, event.answer)
        : this.#conversation.receive(event);
      const end = this.#react(stream, reactions);
      if (end) return end.result;
    }
  }

  /** Does what a message calls for; returns the end of the match when it is the last one. */
  #react(stream: Stream, reactions: Reaction[]): { result: MatchResult | undefined } | undefined {
    for (const reaction of reactions) {
      switch (reaction.do) {
        case "send":
          stream.send(reaction.message);
          break;
        case "ask":
          this.#bot.ask(reaction.asked);
          break;
        case "tell":
          this.#bot.tell(reaction.received);
          break;
        case "end":
          return { result: reaction.result };
      }
    }
    return undefined;
  }

  /** Leaves in order: closes our half, and lets the server close its own. */
  async #leave(stream: Stream): Promise<void> {
    stream.end();
    const untilMs = performance.now() + CLOSING_TIMEOUT_MS;
    try {
      while (await this.#next(stream, untilMs));
    } catch (error) {
      if (!(error instanceof StreamLost || error instanceof PlayError)) throw error;
      this.#bot.log("debug", `the stream is over: ${error.message}`);
    }
  }

  #hold(event: Received | Answered): void {
    if ("kind" in event) this.#held.push(event);
  }

  /**
   * Waits for the next message on a stream or answer of the bot; undefined when time is up. Throws
   * what ends the stream, or `Stopped`.
   */
  async #next(
    stream: Stream | undefined,
    untilMs: number | undefined,
  ): Promise<Received | Answered | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (!event) {
        if (await this.#timeIsUp(untilMs)) return undefined;
      } else if ("kind" in event) {
        if (event.kind === "stopped") throw new Stopped();
        return event;
      } else if (event.stream === stream) {
        // What a stream before had still to say does not count any more.
        const { what } = event;
        if (what.kind === "message") return what.received;
        if (what.kind === "failed") throw errorOf(what.error);
        throw new StreamLost("the server ended the stream before the match was over");
      }
    }
  }

  /** Waits until something happens, or until the moment has come. */
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
