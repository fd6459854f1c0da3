// The state of the page of a match: the position, the view, and the actions that change them.

import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { type ViewState, readViewState, SPEEDS, writeViewState } from "../address.ts";
import type { MatchRecord } from "./record.ts";
import { visibleTo } from "./sight.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

/** The part of the address with the view state: `?` on a server, `#` in a single file. */
export type AddressMark = "?" | "#";

/** Minimum interval of changes of the address, in ms: Safari allows 100 in 30 s. */
const ADDRESS_MS = 350;
/** Render interval while the positions of a match are loading, in ms. */
const GROWTH_MS = 120;

/** The state of the page of a match. */
export class MatchPage {
  /** Index of the current position in the record. */
  index = 0;
  /** The requested view: that of a seat, those of all seats, or that of a spectator. */
  seat: ViewState["seat"];
  speed: number;
  isPlaying = false;
  showsHelp = false;
  /** The list of legal decisions is open. */
  showsLegal = false;
  /** The page follows the newest position. */
  follows: boolean;
  /** The state of the connection; empty if it is good. */
  notice = "";

  #timer: ReturnType<typeof setInterval> | undefined;
  #growth: ReturnType<typeof setTimeout> | undefined;
  #requestedNumber: number | undefined;
  /** The number of the current position, and the value of `record.replaced` at that time. */
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
    const state = readViewState(mark === "?" ? location.search : location.hash);
    this.#requestedNumber = state.at;
    this.seat = state.seat;
    this.speed = state.speed;
    this.follows = record.isLive && state.at === undefined;
    this.#applyRequested();
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

  /** Called when the record has grown. While a finished match is loading, renders only at intervals. */
  grew(): void {
    const before = this.index;
    if (this.follows) this.index = this.last;
    else if (this.#replaced !== this.record.replaced) this.index = this.record.indexOf(this.#number);
    this.#replaced = this.record.replaced;
    const wasPending = this.#requestedNumber !== undefined;
    this.#applyRequested();
    if (wasPending && this.#requestedNumber === undefined) this.#write();
    if (this.record.isLive || this.index !== before) return this.changed();
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      this.changed();
    }, GROWTH_MS);
  }

  /** Goes to the requested position, once it is loaded. */
  #applyRequested(): void {
    if (this.#requestedNumber !== undefined) this.index = this.record.indexOf(this.#requestedNumber);
    this.#number = this.record.positions[this.index]?.number ?? 0;
    if (this.#number === this.#requestedNumber) this.#requestedNumber = undefined;
  }

  /** Goes to a position; to one that is still loading, once it is loaded. */
  goTo(index: number): void {
    const { record } = this;
    const place = Math.round(index);
    const isLoaded = record.isLive || (record.isWhole && record.isFromBeginning) || (place >= 0 && place <= this.last);
    const number = (record.positions[0]?.number ?? 0) + place;
    this.#requestedNumber = isLoaded ? undefined : Math.min(record.info?.decisions ?? 0, Math.max(0, number));
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

  /** The seat whose view is shown, if the view is available; undefined for a spectator and for all
   * seats. */
  get viewSeat(): number | undefined {
    return typeof this.seat === "number" && this.record.hasView(this.seat) ? this.seat : undefined;
  }

  /** The views of all seats are shown side by side. */
  get showsAll(): boolean {
    return this.seat === "all" && this.record.hasAllViews;
  }

  /** Returns the current position, as the viewer may see it. */
  position(): Position | undefined {
    const position = this.record.positions[this.index];
    return position && visibleTo(position, this.viewSeat);
  }

  /** Shows the view of a seat, of all seats, or of a spectator. */
  viewAs(seat: ViewState["seat"]): void {
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

  /** Changes the speed by one step. */
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

  /** Shows the state of the connection. */
  notify(text: string): void {
    if (this.notice === text) return;
    this.notice = text;
    this.changed();
  }

  toggleHelp(): void {
    this.showsHelp = !this.showsHelp;
    this.changed();
  }

  /** Opens or closes the list of legal decisions. */
  showLegal(isOpen: boolean): void {
    if (this.showsLegal === isOpen) return;
    this.showsLegal = isOpen;
    this.changed();
  }

  /** Returns the view state for the address. */
  viewState(index = this.index): ViewState {
    const number = this.record.positions[index]?.number;
    const isDefault = this.record.isLive ? index === this.last && this.follows : number === 0;
    return { at: isDefault ? undefined : number, seat: this.seat, speed: this.speed };
  }

  /** Returns the link to a position. */
  href(index: number): string {
    return `${this.mark}${writeViewState({ ...this.viewState(), at: this.record.positions[index]?.number })}`;
  }

  /** Updates the address: at once, and then no more often than browsers allow. */
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
    const query = writeViewState(this.viewState());
    const address = query === "" ? (this.mark === "?" ? location.pathname : "#") : `${this.mark}${query}`;
    history.replaceState(history.state, "", address);
  }

  /** Stops all timers of the page. */
  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#growth);
    clearTimeout(this.#pause);
  }
}
