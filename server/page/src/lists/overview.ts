// The matches in progress, as spectators see them. One stream serves all of them, since browsers
// limit the connections to one address.

import type { GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { MatchFilter } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { Pauses } from "../source/pauses.ts";
import { failureOf } from "../source/refusal.ts";
import { matches } from "../source/server.ts";
import { visible } from "../source/turns.ts";

/** Maximum number of matches to follow at once; each has a thumbnail. */
const MAX_MATCHES = 20;
/** Minimum interval of two updates of one match, in ms. */
const INTERVAL_MS = 1_000;
/** Maximum pause before a lost stream is reopened, in ms. */
const MAX_RETRY_MS = 15_000;

/** A match in progress. */
export interface Followed {
  match: MatchInfo;
  /** The spectators' view; undefined before the match starts. */
  observation: GameObservation | undefined;
  /** Incremented with each update. */
  version: number;
}

/** Returns whether a match is waiting or running. */
export const isInPlay = ({ state }: MatchInfo): boolean => state === MatchState.WAITING || state === MatchState.RUNNING;

/** Follows the matches in progress. */
export class Overview {
  readonly followed = new Map<string, Followed>();

  constructor(
    private readonly filter: MatchFilter,
    private readonly changed: () => void,
    /** Called when a match has ended. */
    private readonly left: () => void,
  ) {
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const pauses = new Pauses(MAX_RETRY_MS);
    for (;;) {
      await visible();
      const cut = new AbortController();
      const onHide = () => document.hidden && cut.abort();
      document.addEventListener("visibilitychange", onHide);
      try {
        // A new stream starts with all matches in progress.
        this.followed.clear();
        for await (const { match, observation } of matches().watchMatches(
          { filter: this.filter, maxMatches: MAX_MATCHES, intervalMs: INTERVAL_MS }, { signal: cut.signal })) {
          pauses.reset();
          if (!match) continue;
          this.#take(match, observation);
        }
      } catch (error) {
        // Without the stream, the list is refreshed by calls only.
        if (!cut.signal.aborted && !failureOf(error).isTemporary) return;
      } finally {
        document.removeEventListener("visibilitychange", onHide);
      }
      if (!document.hidden) await pauses.wait();
    }
  }

  #take(match: MatchInfo, observation: GameObservation | undefined): void {
    const before = this.followed.get(match.matchId);
    if (!isInPlay(match)) {
      this.followed.delete(match.matchId);
      this.left();
    } else {
      // Only the first message of a match contains its config.
      match.config ??= before?.match.config;
      this.followed.set(match.matchId, { match, observation, version: (before?.version ?? 0) + 1 });
    }
    this.changed();
  }
}
