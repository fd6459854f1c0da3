// The matches in play of a list, with what spectators see of each: all of them over one stream, since
// a browser has few connections to one address.

import type { GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { MatchFilter } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { Pauses } from "../source/pauses.ts";
import { troubleOf } from "../source/refusal.ts";
import { matches } from "../source/server.ts";
import { visible } from "../source/turns.ts";

/** Matches that are followed at once: each has a picture. */
const MOST = 20;
/** Shortest time between two pictures of one match, in ms. */
const INTERVAL_MS = 1_000;
/** Longest time until a lost stream is opened again, in ms. */
const LONGEST_RETRY_MS = 15_000;

/** A match in play. */
export interface Followed {
  match: MatchInfo;
  /** What spectators see; not there before the match starts. */
  observation: GameObservation | undefined;
  /** Counts what came of it. */
  version: number;
}

/** Whether a match may still go on. */
export const isInPlay = ({ state }: MatchInfo): boolean => state === MatchState.WAITING || state === MatchState.RUNNING;

/** The matches in play. */
export class Overview {
  readonly followed = new Map<string, Followed>();

  constructor(
    private readonly filter: MatchFilter,
    private readonly changed: () => void,
    /** A match is none of them any more. */
    private readonly left: () => void,
  ) {
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const pauses = new Pauses(LONGEST_RETRY_MS);
    for (;;) {
      await visible();
      const cut = new AbortController();
      const onHide = () => document.hidden && cut.abort();
      document.addEventListener("visibilitychange", onHide);
      try {
        // All of them are told anew; those that are over by now are not.
        this.followed.clear();
        for await (const { match, observation } of matches().watchMatches(
          { filter: this.filter, maxMatches: MOST, intervalMs: INTERVAL_MS }, { signal: cut.signal })) {
          pauses.reset();
          if (!match) continue;
          this.#take(match, observation);
        }
      } catch (error) {
        // Without the stream the list is as it was asked for.
        if (!cut.signal.aborted && !troubleOf(error).mayPass) return;
      } finally {
        document.removeEventListener("visibilitychange", onHide);
      }
      if (!document.hidden) await pauses.pass();
    }
  }

  #take(match: MatchInfo, observation: GameObservation | undefined): void {
    const before = this.followed.get(match.matchId);
    if (!isInPlay(match)) {
      this.followed.delete(match.matchId);
      this.left();
    } else {
      // Its rules come with its first message alone.
      match.config ??= before?.match.config;
      this.followed.set(match.matchId, { match, observation, version: (before?.version ?? 0) + 1 });
    }
    this.changed();
  }
}
