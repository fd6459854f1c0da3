// One match that is looked at: which position, by whose eyes, and what changes that.

import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { type Look, readLook, SPEEDS, writeLook } from "../address.ts";
import type { MatchRecord } from "./record.ts";
import { seenBy } from "./sight.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

/** Where the look is kept: behind `?` where there is a server, behind `#` in a single file. */
export type AddressMark = "?" | "#";

/** Shortest time between two changes of the address, in ms: Safari allows 100 in 30 s. */
const ADDRESS_MS = 350;
/** Time between two drawings of a match whose positions are on their way, in ms. */
const GROWTH_MS = 120;

/** The state of the page of a match. */
export class MatchPage {
  /** The place of the position that is shown among those of the record. */
  index = 0;
  /** Whose view is wanted: a seat's, those of all seats, or a spectator's. */
  seat: Look["seat"];
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
  /** The number of the position that is shown, and how often the positions had been replaced then. */
  #number = 0;
  #replaced = 0;
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
    const before = this.index;
    if (this.follows) this.index = this.last;
    else if (this.#replaced !== this.record.replaced) this.index = this.record.indexOf(this.#number);
    this.#replaced = this.record.replaced;
    const isAwaited = this.#wanted !== undefined;
    this.#settle();
    if (isAwaited && this.#wanted === undefined) this.#write();
    if (this.record.isLive || this.index !== before) return this.changed();
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      this.changed();
    }, GROWTH_MS);
  }

  /** Goes to the position that was asked for, as soon as it is there. */
  #settle(): void {
    if (this.#wanted !== undefined) this.index = this.record.indexOf(this.#wanted);
    this.#number = this.record.positions[this.index]?.number ?? 0;
    if (this.#number === this.#wanted) this.#wanted = undefined;
  }

  /** Goes to a position; to one that is still on its way, as soon as it is there. */
  goTo(index: number): void {
    const { record } = this;
    const place = Math.round(index);
    const isHere = record.isLive || (record.isWhole && record.isFromBeginning) || (place >= 0 && place <= this.last);
    const number = (record.positions[0]?.number ?? 0) + place;
    this.#wanted = isHere ? undefined : Math.min(record.info?.decisions ?? 0, Math.max(0, number));
    this.index = Math.min(this.last, Math.max(0, place));
    this.#number = this.record.positions[this.index]?.number ?? 0;
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

  /** The seat whose eyes the page looks with, where its view is known; none for a spectator and for
   * all seats. */
  get eyes(): number | undefined {
    return typeof this.seat === "number" && this.record.hasView(this.seat) ? this.seat : undefined;
  }

  /** The views of all seats are shown side by side. */
  get showsAll(): boolean {
    return this.seat === "all" && this.record.hasAllViews;
  }

  /** The position that is shown, as the viewer knows it. */
  position(): Position | undefined {
    const position = this.record.positions[this.index];
    return position && seenBy(position, this.eyes);
  }

  /** Looks with the eyes of a seat, of all of them, or of a spectator. */
  viewAs(seat: Look["seat"]): void {
    if (seat === "all" ? !this.record.hasAllViews : seat !== undefined && !this.record.hasView(seat)) return;
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

  /** Tells how the connection is. */
  notify(text: string): void {
    if (this.notice === text) return;
    this.notice = text;
    this.changed();
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
    const number = this.record.positions[index]?.number;
    const isDefault = this.record.isLive ? index === this.last && this.follows : number === 0;
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
