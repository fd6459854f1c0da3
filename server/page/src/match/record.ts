// The loaded part of a match: its positions in order.

import type { GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { WatchPositionsResponse } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { gameOf } from "../games/registry.ts";
import type { Game } from "../games/game.ts";

/** The views of a position after that of a spectator: those of these seats, in this order, or of every
 * seat. */
export type Views = readonly number[] | "all";

/** Returns whether a message is empty: the server sends such messages on a silent stream. */
export function isHeartbeat(message: WatchPositionsResponse): boolean {
  return !message.match && !message.position;
}

/** A match and its positions. */
export class MatchRecord {
  info: MatchInfo | undefined;
  positions: Position[] = [];
  /** The views that were requested with the positions. */
  views: Views;
  /** Incremented with each change. */
  version = 0;
  /** Incremented whenever all positions are replaced. */
  replaced = 0;

  constructor(views: Views, info?: MatchInfo) {
    this.views = views;
    this.info = info;
  }

  /** Adds the next message. A position that is already loaded is ignored. */
  add(message: WatchPositionsResponse): void {
    if (message.match) {
      // Only the first and the last message contain the config.
      const config = message.match.config ?? this.info?.config;
      this.info = message.match;
      if (config) this.info.config = config;
    }
    this.version += 1;
    const { position } = message;
    if (position && position.number >= this.next) this.positions.push(position);
  }

  /** Replaces the positions by those of the same match with other views. */
  replaceBy(other: MatchRecord): void {
    this.info = other.info;
    this.positions = other.positions;
    this.views = other.views;
    this.version += 1;
    this.replaced += 1;
  }

  /** The number of the first position that is not loaded yet. */
  get next(): number {
    const last = this.positions.at(-1);
    return last ? last.number + 1 : 0;
  }

  /** True if no earlier positions are missing. */
  get isFromBeginning(): boolean {
    return (this.positions[0]?.number ?? 0) === 0;
  }

  /** True if more positions may follow. */
  get isLive(): boolean {
    const state = this.info?.state;
    return state === MatchState.WAITING || state === MatchState.RUNNING;
  }

  /** True if the match is over and its last position is loaded. */
  get isWhole(): boolean {
    return !this.isLive && this.next > (this.info?.decisions ?? 0);
  }

  /** Returns the index of the last position with at most `decisions` decisions before it. */
  indexOf(decisions: number): number {
    const index = this.positions.findLastIndex((position) => position.number <= decisions);
    return Math.max(0, index);
  }

  /** Returns the view of a seat if it is available, otherwise that of a spectator. */
  observation(index: number, seat: number | undefined): GameObservation | undefined {
    const observations = this.positions[index]?.observations;
    const own = seat === undefined ? undefined : observations?.[this.#viewIndex(seat)];
    return own ?? observations?.[0];
  }

  /** Returns the index of a seat's view in the observations of a position, or -1. */
  #viewIndex(seat: number): number {
    if (this.views === "all") return seat + 1;
    const place = this.views.indexOf(seat);
    return place < 0 ? place : place + 1;
  }

  /** Returns whether the view of a seat is available. */
  hasView(seat: number): boolean {
    return seat < this.seats && this.positions[0]?.observations[this.#viewIndex(seat)] !== undefined;
  }

  /** True if the view of every seat is available. */
  get hasAllViews(): boolean {
    const { seats } = this;
    return seats > 0 && Array.from({ length: seats }, (_, seat) => seat).every((seat) => this.hasView(seat));
  }

  get game(): Game | undefined {
    return gameOf(this.info?.config?.game) ?? gameOf(this.positions[0]?.observations[0]);
  }

  /** The number of seats of the match. */
  get seats(): number {
    return this.info?.config?.seats || this.info?.seats.length || this.positions[0]?.bankLeftMs.length || 0;
  }

  /** Returns the unescaped name of a seat's bot; empty if there is none yet. */
  name(seat: number): string {
    const { info } = this;
    const named = info?.seats.find((each) => each.seat === seat)?.botName;
    return named || info?.result?.seats.find((each) => each.seat === seat)?.botName || "";
  }
}
