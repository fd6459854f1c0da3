// The positions of a match of the server: of a live one they go on coming.

import { create } from "@bufbuild/protobuf";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { type Viewer, ViewerSchema } from "../../gen/bridgemaster/v1/position_pb.ts";
import { MatchRecord } from "../match/record.ts";
import { matches, troubleOf } from "./server.ts";

/** First and longest time until a lost stream is opened again, in ms. */
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

/** What the record tells while it is read. */
export interface Listener {
  /** The match is known; positions follow. */
  opened(record: MatchRecord): void;
  /** Positions came, or the match has news. */
  grew(): void;
  /** The connection is lost and tried again, or, with an empty text, is back. */
  notice(text: string): void;
}

/** Every view that may be shown: a spectator's, then those of the seats. */
function viewers(seats: number): Viewer[] {
  const seat = (_: unknown, seat: number) => create(ViewerSchema, { seat });
  return [create(ViewerSchema, {}), ...Array.from({ length: seats }, seat)];
}

/**
 * Reads the positions of a match until it has ended. While the tab is hidden no stream is open: a
 * browser has few connections to one address. Errors that will not pass are thrown.
 */
export async function follow(matchId: string, listener: Listener): Promise<void> {
  const client = matches();
  const { match } = await client.getMatch({ matchId });
  const isOver = match?.state === MatchState.ENDED;
  const record = new MatchRecord(isOver, match);
  listener.opened(record);
  if (match?.state === MatchState.CANCELLED) return;
  let retryMs = RETRY_MS;
  for (;;) {
    await visible();
    const cut = new AbortController();
    const onHide = () => document.hidden && record.isLive && cut.abort();
    document.addEventListener("visibilitychange", onHide);
    try {
      const stream = client.watchPositions({
        source: { case: "matchId", value: matchId },
        viewers: isOver ? viewers(record.seats) : [],
        fromDecision: record.next,
      }, { signal: cut.signal });
      for await (const message of stream) {
        record.take(message);
        retryMs = RETRY_MS;
        listener.notice("");
        listener.grew();
      }
      if (isOver || !record.isLive) return;
      // The stream of a live match ends with the match: the result is in what is known of it now.
      record.info = (await client.getMatch({ matchId })).match ?? record.info;
      listener.grew();
      if (!record.isLive) return;
    } catch (error) {
      const trouble = troubleOf(error);
      if (!cut.signal.aborted) {
        if (!trouble.mayPass) throw error;
        listener.notice(`The connection is lost (${trouble.text}); it is tried again.`);
      }
    } finally {
      document.removeEventListener("visibilitychange", onHide);
    }
    if (!document.hidden) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    }
  }
}

/** Waits until the tab is looked at. */
function visible(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const onShow = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", onShow);
      resolve();
    };
    document.addEventListener("visibilitychange", onShow);
  });
}
