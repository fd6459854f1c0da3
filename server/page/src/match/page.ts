// One match that is looked at: which position, by whose eyes, and what changes that.

import { type Look, readLook, SPEEDS, writeLook } from "../address.ts";
import type { MatchRecord } from "./record.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

/** Where the look is kept: behind `?` where there is a server, behind `#` in a single file. */
export type AddressMark = "?" | "#";

/** Shortest time between two changes of the address, in ms: Safari allows 100 in 30 s. */
const ADDRESS_MS = 350;
/** Time between two drawings of a match whose positions are on their way, in ms. */
const GROWTH_MS = 120;

/** The state of the page of a match. */
export class MatchPage {
  index = 0;
  seat: number | undefined;
  speed: number;
  isPlaying = false;
  showsHelp = false;
  /** The list of what was legal is open. */
  showsLegal = false;
  /** Goes along with the newest position. */
  follows: boolean;
  /** What the page tells about its connection; empty when all is well. */
  notice = "";

  #timer: ReturnType<typeof setInterval> | undefined;
  #growth: ReturnType<typeof setTimeout> | undefined;
  #wanted: number | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #isUnwritten = false;
  #timeline: Timeline | undefined;
  #timelineVersion = -1;

  constructor(
    readonly record: MatchRecord,
    readonly mark: AddressMark,
    private readonly changed: () => void,
  ) {
    const look = readLook(mark === "?" ? location.search : location.hash);
    this.#wanted = look.at;
    this.seat = look.seat;
    this.speed = look.speed;
    this.follows = record.isLive && look.at === undefined;
    this.#settle();
  }

  get last(): number {
    return Math.max(0, this.record.positions.length - 1);
  }

  get timeline(): Timeline {
    if (!this.#timeline || this.#timelineVersion !== this.record.version) {
      this.#timeline = timelineOf(this.record.positions, this.record.game);
      this.#timelineVersion = this.record.version;
    }
    return this.#timeline;
  }

  /** Tells that the record has grown. What is shown already of a match that has ended is drawn again
   * only now and then while the rest of it comes. */
  grew(): void {
    if (this.follows) this.index = this.last;
    const before = this.index;
    this.#settle();
    if (this.record.isLive || this.record.positions.length <= 1 || this.index !== before) return this.changed();
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      this.changed();
    }, GROWTH_MS);
  }

  /** Goes to the position that was asked for, as soon as it is there. */
  #settle(): void {
    if (this.#wanted === undefined) return;
    this.index = this.record.indexOf(this.#wanted);
    if (this.record.positions[this.index]?.number === this.#wanted) this.#wanted = undefined;
  }

  /** Goes to a position. */
  goTo(index: number): void {
    this.#wanted = undefined;
    this.index = Math.min(this.last, Math.max(0, Math.round(index)));
    this.follows = this.record.isLive && this.index === this.last;
    this.#write();
    this.changed();
  }

  /** Goes to the next or, with -1, the previous decision of a seat. */
  goToSeat(seat: number, step: 1 | -1): void {
    for (let index = this.index + step; index > 0 && index <= this.last; index += step) {
      if (this.record.positions[index]?.played?.seat === seat) return this.goTo(index);
    }
  }

  /** Goes to the next or, with -1, the previous fault. */
  goToFault(step: 1 | -1): void {
    const faults = this.timeline.marks.filter(({ kind }) => kind === "fault").map(({ index }) => index);
    const next = step > 0 ? faults.find((index) => index > this.index) : faults.findLast((index) => index < this.index);
    if (next !== undefined) this.goTo(next);
  }

  /** Whether the view of a seat is known. */
  get canViewSeats(): boolean {
    return this.record.hasSeatViews && this.record.positions.some(({ observations }) => observations.length > 1);
  }

  /** Looks with the eyes of a seat, or of a spectator. */
  viewAs(seat: number | undefined): void {
    if (seat !== undefined && (!this.canViewSeats || seat >= this.record.seats)) return;
    this.seat = seat;
    this.#write();
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.#write();
    if (this.isPlaying) this.#start();
    this.changed();
  }

  /** Makes it faster or slower by one step. */
  changeSpeed(step: 1 | -1): void {
    const place = SPEEDS.findIndex((speed) => speed === this.speed);
    const speed = SPEEDS[place + step];
    if (speed !== undefined) this.setSpeed(speed);
  }

  togglePlaying(): void {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying) {
      if (this.index >= this.last && !this.record.isLive) this.goTo(0);
      this.#start();
    } else {
      clearInterval(this.#timer);
    }
    this.changed();
  }

  #start(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.index < this.last) this.goTo(this.index + 1);
      else if (!this.record.isLive) this.togglePlaying();
    }, 1000 / this.speed);
  }

  toggleHelp(): void {
    this.showsHelp = !this.showsHelp;
    this.changed();
  }

  /** Opens or closes the list of what was legal. */
  showLegal(isOpen: boolean): void {
    if (this.showsLegal === isOpen) return;
    this.showsLegal = isOpen;
    this.changed();
  }

  /** What is looked at, as the address has it. */
  look(index = this.index): Look {
    const isDefault = this.record.isLive ? index === this.last && this.follows : index === 0;
    const number = this.record.positions[index]?.number;
    return { at: isDefault ? undefined : number, seat: this.seat, speed: this.speed };
  }

  /** A link to a position. */
  href(index: number): string {
    return `${this.mark}${writeLook({ ...this.look(), at: this.record.positions[index]?.number })}`;
  }

  /** Writes the address: at once, and while one moves on no more often than browsers allow. */
  #write(): void {
    if (this.#pause !== undefined) {
      this.#isUnwritten = true;
      return;
    }
    this.#isUnwritten = false;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isUnwritten) this.#write();
    }, ADDRESS_MS);
    const query = writeLook(this.look());
    const address = query === "" ? (this.mark === "?" ? location.pathname : "#") : `${this.mark}${query}`;
    history.replaceState(history.state, "", address);
  }

  /** Ends what the page does by itself. */
  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#growth);
    clearTimeout(this.#pause);
  }
}
