// The state of the page of a player: the seat's view, its options, and its clock.

import type { DecisionRequest, MatchEnded, MatchStarted, PlayResponse } from "../../gen/bridgemaster/v1/play_pb.ts";
import type { GameEvent, GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import type { SeatInfo } from "../../gen/bridgemaster/v1/match_pb.ts";
import { gameOf } from "../games/registry.ts";
import type { MatchRecord } from "../match/record.ts";
import { follow } from "../source/following.ts";
import { reasonOf, failureOf, type Failure } from "../source/refusal.ts";
import { SeatClient } from "../source/seat.ts";
import { plain } from "../text.ts";
import { Choosing } from "./choosing.ts";
import type { Picking } from "./picking.ts";
import type { StoredSeat } from "./ticket.ts";

/** Render interval of the clock, in ms. */
const CLOCK_MS = 250;
/** Maximum length of a note, in UTF-16 units: at most the accepted 1 KiB of UTF-8. */
const MAX_NOTE_LENGTH = 340;
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;
/** Time to wait for other seats before the spectators' view is shown, in ms. */
const PUBLIC_MS = 1_500;

/** The contents of a request, of any game. */
interface RequestContent {
  observation: GameObservation;
  events: GameEvent[];
}

/** Returns the contents of a request, wrapped in the messages with one field for each game. */
function requestContentOf(request: DecisionRequest): RequestContent | undefined {
  const { game } = request.game ?? {};
  if (!game?.case || !game.value.observation) return undefined;
  const wrapped = <M>(value: unknown) => ({ game: { case: game.case, value } }) as M;
  const events = (game.value.events as readonly unknown[]).map((event) => wrapped<GameEvent>(event));
  return { observation: wrapped<GameObservation>(game.value.observation), events };
}

/** Explanations of refusals for players. */
const REFUSAL_TEXTS: Record<string, string> = {
  TICKET_UNKNOWN: "This ticket does not belong to a match of this server.",
  TICKET_MISSING: "The ticket is not valid: it contains characters that tickets never have.",
  SUPERSEDED: "The seat is now played elsewhere: in another tab, or by a program.",
  SEAT_CLOSED: "The seat is forfeited; the house plays it to the end.",
  MATCH_CANCELLED: "The match was cancelled.",
  SEAT_OF_ANOTHER_KEY: "The seat belongs to another API key.",
};

/** The state of the page of a player. */
export class PlayPage {
  started: MatchStarted | undefined;
  ended: MatchEnded | undefined;
  seats = new Map<number, SeatInfo>();
  request: DecisionRequest | undefined;
  choosing: Choosing | undefined;
  /** The contents of the last request. */
  lastRequest: RequestContent | undefined;
  /** An answer is being sent. */
  isSending = false;
  /** The last decision in words, and its note. */
  decided = "";
  noted = "";
  /** The note on the next decision. */
  note = "";
  #noteBytesLeft = 0;
  /** Errors of the last answer, and of the connection; empty without one. */
  refused = "";
  notice = "";
  /** The error that ended playing. */
  failure: (Failure & { reason: string }) | undefined;
  /** The match as spectators see it; with all views once it is over. */
  record: MatchRecord | undefined;
  /** The spectators' view is shown instead of the seat's own. */
  showsPublic = false;
  /** The confirmation of a resignation is open. */
  confirmsResign = false;

  readonly #client: SeatClient;
  readonly #clock: ReturnType<typeof setInterval>;
  /** Time of receipt of the current request, by `performance.now`. */
  #receivedAt = 0;
  #waits: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly stored: StoredSeat, private readonly changed: () => void) {
    this.#client = new SeatClient(stored.ticket, stored.name);
    this.#clock = setInterval(() => this.request && changed(), CLOCK_MS);
    void this.#hold();
  }

  get seat(): number {
    return this.started?.seat ?? 0;
  }

  get game() {
    return gameOf(this.started?.config?.game);
  }

  /** Time left for the decision, in ms. */
  get decisionLeftMs(): number {
    return Math.max(0, (this.request?.clock?.decisionLeftMs ?? 0) - (performance.now() - this.#receivedAt));
  }

  /** Time left in the bank, in ms. */
  get bankLeftMs(): number {
    return Math.max(0, (this.request?.clock?.bankLeftMs ?? 0) - (performance.now() - this.#receivedAt));
  }

  /** Maximum length of the next note, in UTF-16 units; 0 if none is accepted. */
  get noteLength(): number {
    return Math.min(MAX_NOTE_LENGTH, Math.floor(this.#noteBytesLeft / MAX_UTF8_BYTES));
  }

  name(seat: number): string {
    return this.seats.get(seat)?.botName || "";
  }

  /** The options that can be picked on the board. */
  get picking(): Picking | undefined {
    if (!this.choosing || this.isSending) return undefined;
    const keys = new Map(this.choosing.options.map(({ key, label }) => [key, label]));
    return { seat: this.seat, keys, pick: (key) => this.pick(key) };
  }

  async #hold(): Promise<void> {
    try {
      await this.#client.hold({
        message: (message) => this.#handle(message),
        notice: (text) => {
          if (this.notice === text) return;
          this.notice = text;
          this.changed();
        },
      });
    } catch (error) {
      const reason = reasonOf(error);
      const failure = failureOf(error);
      const needsKey = reason.startsWith("KEY_") || reason === "SCOPE_MISSING";
      this.failure = { ...failure, needsKey, reason, text: REFUSAL_TEXTS[reason] ?? failure.text };
      this.#clearRequest();
      this.changed();
    }
  }

  #handle({ message }: PlayResponse): void {
    switch (message.case) {
      case "welcome":
        this.#noteBytesLeft = message.value.noteBytesLeft;
        break;
      case "matchStarted":
        this.#start(message.value);
        break;
      case "decisionRequest":
        this.#request(message.value);
        break;
      case "seatStatus": {
        const { seat } = message.value;
        if (seat) this.seats.set(seat.seat, seat);
        break;
      }
      case "matchEnded":
        this.ended = message.value;
        this.#clearRequest();
        break;
      default:
        return;
    }
    this.changed();
  }

  /** Handles the start of the match, also after a lost stream: discards all requests. */
  #start(started: MatchStarted): void {
    this.started = started;
    this.seats = new Map(started.seats.map((seat) => [seat.seat, seat]));
    this.#clearRequest();
    if (!this.record) void this.#follow(started.matchId);
  }

  #request(request: DecisionRequest): void {
    const content = requestContentOf(request);
    this.#receivedAt = performance.now();
    this.request = request;
    this.refused = "";
    clearTimeout(this.#waits);
    this.showsPublic = false;
    if (!content || !request.game) return;
    this.lastRequest = content;
    const game = gameOf(request.game);
    this.choosing = game && new Choosing(game.choices(request.game, this.started?.config?.game));
  }

  #clearRequest(): void {
    this.request = undefined;
    this.choosing = undefined;
    this.confirmsResign = false;
  }

  /** Follows the match as a spectator, for the transcript; the page also works without it. */
  async #follow(matchId: string): Promise<void> {
    try {
      await follow(matchId, { at: undefined, seat: undefined, ownSeats: false }, {
        opened: (record) => (this.record = record),
        grew: () => this.changed(),
        notice: () => undefined,
      });
    } catch {
      // The seat's own stream is sufficient.
    }
  }

  /** Chooses an option; the last one completes the decision. */
  pick(key: string): void {
    if (!this.choosing || this.isSending) return;
    const index = this.choosing.choose(key);
    this.changed();
    if (index !== undefined) void this.#decide(index);
  }

  /** Starts the choice over. */
  back(): void {
    this.choosing?.reset();
    this.changed();
  }

  async #decide(index: number): Promise<void> {
    const { request, choosing, note } = this;
    if (!request) return;
    const isOpen = () => this.request === request;
    this.isSending = true;
    this.decided = choosing?.path.map(({ label }) => label).join(", ") ?? "";
    this.noted = note;
    this.changed();
    try {
      const rejected = await this.#client.decide(request.requestId, index, note, isOpen);
      if (!rejected) this.#noteAccepted(note);
      if (isOpen()) {
        if (rejected && rejected.openRequestId === request.requestId) {
          this.refused = `Refused: ${plain(rejected.detail)}`;
          choosing?.reset();
        } else {
          if (rejected) this.refused = `Refused: ${plain(rejected.detail)}`;
          this.#clearRequest();
          this.#waits = setTimeout(() => {
            this.showsPublic = true;
            this.changed();
          }, PUBLIC_MS);
        }
      }
    } catch (error) {
      this.refused = `The decision was not accepted: ${plain(REFUSAL_TEXTS[reasonOf(error)] ?? failureOf(error).text)}`;
      if (isOpen()) choosing?.reset();
    }
    this.isSending = false;
    this.changed();
  }

  /** Updates the note and its remaining length after an accepted decision. */
  #noteAccepted(note: string): void {
    this.#noteBytesLeft -= new TextEncoder().encode(note).length;
    if (this.note === note) this.note = "";
  }

  confirmResign(isOpen: boolean): void {
    this.confirmsResign = isOpen;
    this.changed();
  }

  async resign(): Promise<void> {
    this.confirmsResign = false;
    try {
      await this.#client.resign();
    } catch (error) {
      this.refused = plain(failureOf(error).text);
    }
    this.changed();
  }

  /** Stops all timers of the page. */
  close(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#waits);
    this.#client.close();
  }
}
