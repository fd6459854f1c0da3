// Follows the positions of a match on the server.

import { create } from "@bufbuild/protobuf";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { type Viewer, ViewerSchema } from "../../gen/bridgemaster/v1/position_pb.ts";
import type { ViewState } from "../address.ts";
import { isHeartbeat, MatchRecord } from "../match/record.ts";
import { hasKey } from "./key.ts";
import { Pauses } from "./pauses.ts";
import { failureOf } from "./refusal.ts";
import { matches } from "./server.ts";
import { nextFrame, Turns, visible } from "./turns.ts";

/** Maximum pause before a lost stream is reopened, in ms. */
const MAX_RETRY_MS = 15_000;
/** Maximum number of attempts to load the first position. */
const MAX_ATTEMPTS = 7;
/** A decision number that no match reaches. */
const NEVER = 0xffffffff;

/** Receives the progress of a match. */
export interface Listener {
  /** The first position to show is loaded; the others follow. */
  opened(record: MatchRecord): void;
  /** The record has new positions or a new state. */
  grew(): void;
  /** The connection is lost, or, with an empty text, restored. */
  notice(text: string): void;
}

/** The part of a match to load. */
export interface FollowOptions extends Pick<ViewState, "at" | "seat"> {
  /** Include the views of the seats of this tab's API key while the match runs. */
  ownSeats: boolean;
}

type Client = ReturnType<typeof matches>;

/** Returns a spectator, followed by these seats. */
function viewersOf(seats: readonly number[]): Viewer[] {
  return [create(ViewerSchema, {}), ...seats.map((seat) => create(ViewerSchema, { seat }))];
}

const sourceOf = (matchId: string) => ({ case: "matchId" as const, value: matchId });

/** Loads the first position to show. It is requested alone, so that the board appears after a single
 * answer of the server. */
async function loadFirst(client: Client, matchId: string, { at, seat }: FollowOptions): Promise<MatchRecord> {
  const load = async (views: number[]) => {
    const record = new MatchRecord(views);
    const cut = new AbortController();
    const request = { source: sourceOf(matchId), viewers: viewersOf(views), fromDecision: at ?? 0 };
    for await (const message of client.watchPositions(request, { signal: cut.signal })) {
      if (isHeartbeat(message)) continue;
      record.add(message);
      break;
    }
    cut.abort();
    return record;
  };
  if (typeof seat !== "number") return load([]);
  try {
    return await load([seat]);
  } catch (error) {
    if (failureOf(error).isTemporary) throw error;
    // The view of the seat is not available, or the seat does not exist.
    return load([]);
  }
}

/** Loads positions with the views of these seats into a record, until `onProgress` returns true. If the record
 * has other views, all positions are loaded again, and replace its own once they reach as far. */
async function read(client: Client, record: MatchRecord, views: readonly number[], onProgress: () => boolean | void, signal?: AbortSignal): Promise<void> {
  const continues = record.isFromBeginning && String(record.views) === String(views);
  const reached = record.next;
  let into = continues ? record : new MatchRecord(views, record.info);
  const turns = new Turns();
  const request = { source: sourceOf(record.info?.matchId ?? ""), viewers: viewersOf(views), fromDecision: into.next };
  for await (const message of client.watchPositions(request, signal ? { signal } : {})) {
    // The board need not be drawn again.
    if (isHeartbeat(message)) continue;
    into.add(message);
    if (into !== record && into.next >= reached) {
      record.replaceBy(into);
      into = record;
    }
    if (into === record && onProgress()) return;
    await turns.next();
  }
}

/** Loads a finished match, with the view of each seat if they are available. */
async function loadEnded(client: Client, record: MatchRecord, onProgress: () => void): Promise<void> {
  const all = Array.from({ length: record.seats }, (_, seat) => seat);
  try {
    return await read(client, record, all, onProgress);
  } catch (error) {
    if (failureOf(error).isTemporary || String(record.views) === String(all)) throw error;
  }
  // The views stay secret until all matches of the group with the same seeds are over.
  await read(client, record, await ownSeats(client, record.info), onProgress);
}

/** Follows a match in progress until its stream ends, the tab is hidden, or other views may have become
 * available. Returns true in the latter two cases. */
async function followLive(client: Client, record: MatchRecord, withOwnSeats: boolean, onProgress: () => void): Promise<boolean> {
  const cut = new AbortController();
  const onHide = () => document.hidden && cut.abort();
  document.addEventListener("visibilitychange", onHide);
  try {
    const bots = botsOf(record.info);
    const views = withOwnSeats ? await ownSeats(client, record.info) : [];
    let isOutdated = false;
    await read(client, record, views, () => {
      onProgress();
      isOutdated = withOwnSeats && botsOf(record.info) !== bots;
      return isOutdated;
    }, cut.signal);
    return isOutdated || cut.signal.aborted;
  } catch (error) {
    if (!cut.signal.aborted) throw error;
    return true;
  } finally {
    document.removeEventListener("visibilitychange", onHide);
    cut.abort();
  }
}

const botsOf = (info: MatchInfo | undefined) => JSON.stringify(info?.seats.map(({ botName }) => botName));

/** Returns the seats whose views the server shows to the API key of this tab during the match. Bots with
 * the same name belong to the same key. */
async function ownSeats(client: Client, info: MatchInfo | undefined): Promise<number[]> {
  if (!info || !hasKey()) return [];
  const seatsOf = new Map<string, number[]>();
  for (const { seat, botName } of info.seats) {
    if (botName) seatsOf.set(botName, [...(seatsOf.get(botName) ?? []), seat]);
  }
  const own: number[] = [];
  for (const seats of seatsOf.values()) {
    if (await isVisible(client, info.matchId, seats[0] ?? 0)) own.push(...seats);
  }
  return own.sort((a, b) => a - b);
}

async function isVisible(client: Client, matchId: string, seat: number): Promise<boolean> {
  const cut = new AbortController();
  try {
    const viewers = [create(ViewerSchema, { seat })];
    const request = { source: sourceOf(matchId), viewers, fromDecision: NEVER };
    for await (const message of client.watchPositions(request, { signal: cut.signal })) {
      // A heartbeat can come before the server has checked the access.
      if (!isHeartbeat(message)) break;
    }
    return true;
  } catch (error) {
    if (failureOf(error).isTemporary) throw error;
    return false;
  } finally {
    cut.abort();
  }
}

/** Loads the first position, with retries. */
async function openMatch(client: Client, matchId: string, options: FollowOptions, listener: Listener): Promise<MatchRecord> {
  const pauses = new Pauses(MAX_RETRY_MS);
  for (let left = MAX_ATTEMPTS - 1; ; left--) {
    try {
      return await loadFirst(client, matchId, options);
    } catch (error) {
      const failure = failureOf(error);
      if (!failure.isTemporary || left === 0) throw error;
      listener.notice(`The match is not available (${failure.text}); retrying.`);
    }
    await pauses.wait();
  }
}

/**
 * Loads the positions of a match until it has ended. While the tab is hidden no stream is open,
 * since browsers limit the connections to one address. Throws permanent errors.
 */
export async function follow(matchId: string, options: FollowOptions, listener: Listener): Promise<void> {
  const client = matches();
  const record = await openMatch(client, matchId, options, listener);
  // The views of all seats are not loaded yet.
  let isOpen = options.seat !== "all" || record.isLive;
  if (isOpen) {
    listener.opened(record);
    await nextFrame();
  }
  const pauses = new Pauses(MAX_RETRY_MS);
  const onProgress = () => {
    pauses.reset();
    listener.notice("");
    if (isOpen) return listener.grew();
    isOpen = true;
    listener.opened(record);
  };
  for (;;) {
    await visible();
    try {
      if (record.info?.state === MatchState.CANCELLED) return;
      if (!record.isLive) {
        await loadEnded(client, record, onProgress);
        return onProgress();
      }
      if (await followLive(client, record, options.ownSeats && hasKey(), onProgress)) continue;
      record.info = (await client.getMatch({ matchId })).match ?? record.info;
      onProgress();
      if (!record.isLive) continue;
    } catch (error) {
      const failure = failureOf(error);
      if (!failure.isTemporary) throw error;
      listener.notice(`The connection is lost (${failure.text}); reconnecting.`);
    }
    if (!document.hidden) await pauses.wait();
  }
}
