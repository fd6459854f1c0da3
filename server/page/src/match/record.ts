// What is known of a match: its positions in their order.

import type { GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { WatchPositionsResponse } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { gameOf } from "../games/registry.ts";
import type { Game } from "../games/game.ts";

/** Whose views positions have behind that of a spectator: those of these seats, in this order, or of
 * every seat. */
export type Views = readonly number[] | "all";

/** A match and its positions. */
export class MatchRecord {
  info: MatchInfo | undefined;
  positions: Position[] = [];
  /** Whose views the positions were asked for with. */
  views: Views;
  /** Counts the changes. */
  version = 0;
  /** Counts how often all positions were replaced. */
  replaced = 0;

  constructor(views: Views, info?: MatchInfo) {
    this.views = views;
    this.info = info;
  }

  /** Takes the next message. A position that is there already is passed over. */
  take(message: WatchPositionsResponse): void {
    if (message.match) {
      // Only the first and the last message have the rules.
      const config = message.match.config ?? this.info?.config;
      this.info = message.match;
      if (config) this.info.config = config;
    }
    this.version += 1;
    const { position } = message;
    if (position && position.number >= this.next) this.positions.push(position);
  }

  /** Takes the positions of the same match with other views, in place of its own. */
  replaceBy(other: MatchRecord): void {
    this.info = other.info;
    this.positions = other.positions;
    this.views = other.views;
    this.version += 1;
    this.replaced += 1;
  }

  /** The number of the first position that is not there yet. */
  get next(): number {
    const last = this.positions.at(-1);
    return last ? last.number + 1 : 0;
  }

  /** Whether no positions are missing before those that are there. */
  get isFromBeginning(): boolean {
    return (this.positions[0]?.number ?? 0) === 0;
  }

  /** Whether more positions may come. */
  get isLive(): boolean {
    const state = this.info?.state;
    return state === MatchState.WAITING || state === MatchState.RUNNING;
  }

  /** Whether the match is over and all its positions are here. */
  get isWhole(): boolean {
    return !this.isLive && this.next > (this.info?.decisions ?? 0);
  }

  /** The index of the last position with at most so many decisions before it. */
  indexOf(decisions: number): number {
    const index = this.positions.findLastIndex((position) => position.number <= decisions);
    return Math.max(0, index);
  }

  /** What a viewer sees: a seat where its view is known, else a spectator. */
  observation(index: number, seat: number | undefined): GameObservation | undefined {
    const observations = this.positions[index]?.observations;
    const own = seat === undefined ? undefined : observations?.[this.#placeOf(seat)];
    return own ?? observations?.[0];
  }

  /** Where the view of a seat is among the observations of a position; -1 where it is not. */
  #placeOf(seat: number): number {
    if (this.views === "all") return seat + 1;
    const place = this.views.indexOf(seat);
    return place < 0 ? place : place + 1;
  }

  /** Whether the view of a seat is known. */
  hasView(seat: number): boolean {
    return seat < this.seats && this.positions[0]?.observations[this.#placeOf(seat)] !== undefined;
  }

  /** Whether the view of every seat is known. */
  get hasAllViews(): boolean {
    const { seats } = this;
    return seats > 0 && Array.from({ length: seats }, (_, seat) => seat).every((seat) => this.hasView(seat));
  }

  get game(): Game | undefined {
    return gameOf(this.info?.config?.game) ?? gameOf(this.positions[0]?.observations[0]);
  }

  /** How many seats the match has. */
  get seats(): number {
    return this.info?.config?.seats || this.info?.seats.length || this.positions[0]?.bankLeftMs.length || 0;
  }

  /** The name of the bot of a seat, as it is; empty when none has come. */
  name(seat: number): string {
    const { info } = this;
    const named = info?.seats.find((each) => each.seat === seat)?.botName;
    return named || info?.result?.seats.find((each) => each.seat === seat)?.botName || "";
  }
}
