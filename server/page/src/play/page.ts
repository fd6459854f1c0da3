// A match that is played in this tab: what the seat knows, what it may decide, and its clock.

import type { DecisionRequest, MatchEnded, MatchStarted, PlayResponse } from "../../gen/bridgemaster/v1/play_pb.ts";
import type { GameEvent, GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import type { SeatInfo } from "../../gen/bridgemaster/v1/match_pb.ts";
import { gameOf } from "../games/registry.ts";
import type { MatchRecord } from "../match/record.ts";
import { follow } from "../source/following.ts";
import { refusalOf, troubleOf, type Trouble } from "../source/refusal.ts";
import { SeatClient } from "../source/seat.ts";
import { plain } from "../text.ts";
import { Choosing } from "./choosing.ts";
import type { Picking } from "./picking.ts";
import type { KeptSeat } from "./ticket.ts";

/** How often the clock is drawn, in ms. */
const CLOCK_MS = 250;
/** Longest note, in UTF-16: in UTF-8 no more than the 1 KiB that is kept. */
const MAX_NOTE_LENGTH = 340;
/** Most bytes of UTF-8 for one unit of UTF-16. */
const UTF8_BYTES = 3;
/** Who waits for others for so long is shown what spectators see, in ms. */
const PUBLIC_MS = 1_500;

/** What a request has, whatever its game. */
interface Asked {
  observation: GameObservation;
  events: GameEvent[];
}

/** The game's request in the messages that hold those of all games. */
function askedOf(request: DecisionRequest): Asked | undefined {
  const { game } = request.game ?? {};
  if (!game?.case || !game.value.observation) return undefined;
  const wrapped = <M>(value: unknown) => ({ game: { case: game.case, value } }) as M;
  const events = (game.value.events as readonly unknown[]).map((event) => wrapped<GameEvent>(event));
  return { observation: wrapped<GameObservation>(game.value.observation), events };
}

/** What refusals mean for who plays. */
const WORDS: Record<string, string> = {
  TICKET_UNKNOWN: "The server knows no match with this ticket.",
  TICKET_MISSING: "The ticket is not one: it has other characters than a ticket.",
  SUPERSEDED: "The seat is played elsewhere now: in another tab, or by a program.",
  SEAT_CLOSED: "The seat is forfeited, and the house plays it to the end.",
  MATCH_CANCELLED: "The match was cancelled.",
  SEAT_OF_ANOTHER_KEY: "The seat belongs to another API key.",
};

/** The state of the page. */
export class PlayPage {
  started: MatchStarted | undefined;
  ended: MatchEnded | undefined;
  seats = new Map<number, SeatInfo>();
  request: DecisionRequest | undefined;
  choosing: Choosing | undefined;
  /** What the seat saw last. */
  asked: Asked | undefined;
  /** An answer is on its way. */
  isSending = false;
  /** What was decided last, in words, and the note on it. */
  decided = "";
  noted = "";
  /** The note that goes with the next decision. */
  note = "";
  #noteBytesLeft = 0;
  /** What went wrong with the last answer, or with the connection. */
  refused = "";
  notice = "";
  /** Why the seat is not played any more. */
  trouble: (Trouble & { reason: string }) | undefined;
  /** The match as spectators see it; afterwards, as it was. */
  record: MatchRecord | undefined;
  /** The spectators' view stands in for the seat's own. */
  showsPublic = false;
  asksToResign = false;

  readonly #client: SeatClient;
  readonly #clock: ReturnType<typeof setInterval>;
  /** When the time for the decision and what is in the bank were told, by the page's own clock. */
  #toldAt = 0;
  #waits: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly kept: KeptSeat, private readonly changed: () => void) {
    this.#client = new SeatClient(kept.ticket, kept.name);
    this.#clock = setInterval(() => this.request && changed(), CLOCK_MS);
    void this.#hold();
  }

  get seat(): number {
    return this.started?.seat ?? 0;
  }

  get game() {
    return gameOf(this.started?.config?.game);
  }

  /** Time that is left for the decision, in ms. */
  get decisionLeftMs(): number {
    return Math.max(0, (this.request?.clock?.decisionLeftMs ?? 0) - (performance.now() - this.#toldAt));
  }

  /** Time that is left in the bank, in ms. */
  get bankLeftMs(): number {
    return Math.max(0, (this.request?.clock?.bankLeftMs ?? 0) - (performance.now() - this.#toldAt));
  }

  /** Longest note that is kept now, in UTF-16; 0 when none is. */
  get noteLength(): number {
    return Math.min(MAX_NOTE_LENGTH, Math.floor(this.#noteBytesLeft / UTF8_BYTES));
  }

  name(seat: number): string {
    return this.seats.get(seat)?.botName || "";
  }

  /** What can be picked on the board. */
  get picking(): Picking | undefined {
    if (!this.choosing || this.isSending) return undefined;
    const keys = new Map(this.choosing.options.map(({ key, label }) => [key, label]));
    return { seat: this.seat, keys, pick: (key) => this.pick(key) };
  }

  async #hold(): Promise<void> {
    try {
      await this.#client.hold({
        message: (message) => this.#take(message),
        notice: (text) => {
          if (this.notice === text) return;
          this.notice = text;
          this.changed();
        },
      });
    } catch (error) {
      const { reason } = refusalOf(error);
      const trouble = troubleOf(error);
      const needsKey = reason.startsWith("KEY_") || reason === "SCOPE_MISSING";
      this.trouble = { ...trouble, needsKey, reason, text: WORDS[reason] ?? trouble.text };
      this.#stopAsking();
      this.changed();
    }
  }

  #take({ message }: PlayResponse): void {
    switch (message.case) {
      case "welcome":
        this.#noteBytesLeft = message.value.noteBytesLeft;
        break;
      case "matchStarted":
        this.#begin(message.value);
        break;
      case "decisionRequest":
        this.#ask(message.value);
        break;
      case "seatStatus": {
        const { seat } = message.value;
        if (seat) this.seats.set(seat.seat, seat);
        break;
      }
      case "matchEnded":
        this.ended = message.value;
        this.#stopAsking();
        break;
      default:
        return;
    }
    this.changed();
  }

  /** The match begins, or is begun anew after a lost stream: then all requests are forgotten. */
  #begin(started: MatchStarted): void {
    this.started = started;
    this.seats = new Map(started.seats.map((seat) => [seat.seat, seat]));
    this.#stopAsking();
    if (!this.record) void this.#follow(started.matchId);
  }

  #ask(request: DecisionRequest): void {
    const asked = askedOf(request);
    this.#toldAt = performance.now();
    this.request = request;
    this.refused = "";
    clearTimeout(this.#waits);
    this.showsPublic = false;
    if (!asked || !request.game) return;
    this.asked = asked;
    const game = gameOf(request.game);
    this.choosing = game && new Choosing(game.choices(request.game, this.started?.config?.game));
  }

  #stopAsking(): void {
    this.request = undefined;
    this.choosing = undefined;
    this.asksToResign = false;
  }

  /** Reads what spectators are told, for the transcript. Whoever may not play without it. */
  async #follow(matchId: string): Promise<void> {
    try {
      await follow(matchId, { at: undefined, seat: undefined, ownSeats: false }, {
        opened: (record) => (this.record = record),
        grew: () => this.changed(),
        notice: () => undefined,
      });
    } catch {
      // The seat's own stream tells what matters.
    }
  }

  /** Makes a choice; the last one decides. */
  pick(key: string): void {
    if (!this.choosing || this.isSending) return;
    const index = this.choosing.choose(key);
    this.changed();
    if (index !== undefined) void this.#decide(index);
  }

  /** From the first choice again. */
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
      if (!rejected) this.#keepNote(note);
      if (isOpen()) {
        if (rejected && rejected.openRequestId === request.requestId) {
          this.refused = `Refused: ${plain(rejected.detail)}`;
          choosing?.reset();
        } else {
          if (rejected) this.refused = `Refused: ${plain(rejected.detail)}`;
          this.#stopAsking();
          this.#waits = setTimeout(() => {
            this.showsPublic = true;
            this.changed();
          }, PUBLIC_MS);
        }
      }
    } catch (error) {
      this.refused = `It was not taken: ${plain(WORDS[refusalOf(error).reason] ?? troubleOf(error).text)}`;
      if (isOpen()) choosing?.reset();
    }
    this.isSending = false;
    this.changed();
  }

  /** The decision was taken, and its note with it. */
  #keepNote(note: string): void {
    this.#noteBytesLeft -= new TextEncoder().encode(note).length;
    if (this.note === note) this.note = "";
  }

  askToResign(asks: boolean): void {
    this.asksToResign = asks;
    this.changed();
  }

  async resign(): Promise<void> {
    this.asksToResign = false;
    try {
      await this.#client.resign();
    } catch (error) {
      this.refused = plain(troubleOf(error).text);
    }
    this.changed();
  }

  /** Ends what the page does by itself. */
  close(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#waits);
    this.#client.close();
  }
}
