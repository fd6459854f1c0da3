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

type Client = ReturnType<typeof matches>;

/** Reads a match that has ended, with the view of each seat where these may be shown. */
async function whole(client: Client, record: MatchRecord, came: () => void): Promise<void> {
  const turns = new Turns();
  const read = async (views: Viewer[]) => {
    const source = { case: "matchId" as const, value: record.info?.matchId ?? "" };
    for await (const message of client.watchPositions({ source, viewers: views, fromDecision: record.next })) {
      record.take(message);
      came();
      await turns.next();
    }
  };
  try {
    await read(viewers(record.seats));
  } catch (error) {
    // What seats knew stays secret while other matches of the group are about the same chance.
    if (troubleOf(error).mayPass || record.positions.length > 0) throw error;
    record.hasSeatViews = false;
    await read([]);
  }
}

/** Reads what comes of a match in play, until its stream ends or the tab is hidden. */
async function part(client: Client, record: MatchRecord, came: () => void): Promise<void> {
  const cut = new AbortController();
  const onHide = () => document.hidden && cut.abort();
  document.addEventListener("visibilitychange", onHide);
  try {
    const source = { case: "matchId" as const, value: record.info?.matchId ?? "" };
    for await (const message of client.watchPositions({ source, fromDecision: record.next }, { signal: cut.signal })) {
      record.take(message);
      came();
    }
  } catch (error) {
    if (!cut.signal.aborted) throw error;
  } finally {
    document.removeEventListener("visibilitychange", onHide);
  }
}

/**
 * Reads the positions of a match until it has ended. While the tab is hidden no stream is open: a
 * browser has few connections to one address. Errors that will not pass are thrown.
 */
export async function follow(matchId: string, listener: Listener): Promise<void> {
  const client = matches();
  const { match } = await client.getMatch({ matchId });
  const record = new MatchRecord(match?.state === MatchState.ENDED, match);
  listener.opened(record);
  let retryMs = RETRY_MS;
  const came = () => {
    retryMs = RETRY_MS;
    listener.notice("");
    listener.grew();
  };
  for (;;) {
    await visible();
    try {
      if (record.info?.state === MatchState.CANCELLED) return;
      if (record.hasSeatViews || !record.isLive) {
        // Of a match that was followed, everything is read once more: now the seats are shown, too.
        const all = record.hasSeatViews ? record : new MatchRecord(true, record.info);
        await whole(client, all, all === record ? came : () => undefined);
        if (all !== record) record.replaceBy(all);
        return came();
      }
      await part(client, record, came);
      record.info = (await client.getMatch({ matchId })).match ?? record.info;
      came();
      if (!record.isLive) continue;
    } catch (error) {
      const trouble = troubleOf(error);
      if (!trouble.mayPass) throw error;
      listener.notice(`The connection is lost (${trouble.text}); it is tried again.`);
    }
    if (!document.hidden) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    }
  }
}

/** Longest time for which positions are read before the page may draw, in ms. */
const TURN_MS = 8;
/** Longest wait for a frame, in ms: a tab that is hidden has none. */
const FRAME_MS = 100;

/** Lets the page draw while many messages are read: they come all at once, and what is read without a
 * pause leaves no frame between. */
class Turns {
  #begun: number | undefined;

  /** After a message: waits for the first frame, so that the first board is not behind the rest, and
   * then now and then for whatever else there is to do. */
  async next(): Promise<void> {
    if (this.#begun === undefined) await drawn();
    else if (performance.now() - this.#begun > TURN_MS) await new Promise((resolve) => setTimeout(resolve));
    else return;
    this.#begun = performance.now();
  }
}

/** Waits until the next frame is drawn. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, FRAME_MS);
  });
}

/** Waits until the tab is looked at. */
export function visible(): Promise<void> {
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
