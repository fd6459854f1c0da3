// The positions of a match of the server: of a live one they go on coming.

import { create } from "@bufbuild/protobuf";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { type Viewer, ViewerSchema } from "../../gen/bridgemaster/v1/position_pb.ts";
import type { Look } from "../address.ts";
import { MatchRecord } from "../match/record.ts";
import { hasKey } from "./key.ts";
import { Pauses } from "./pauses.ts";
import { troubleOf } from "./refusal.ts";
import { matches } from "./server.ts";
import { drawn, Turns, visible } from "./turns.ts";

/** Longest time until a lost stream is opened again, in ms. */
const LONGEST_RETRY_MS = 15_000;
/** How often a match is asked for of which nothing is known yet. */
const MOST_TRIES = 7;
/** More decisions than any match has. */
const NEVER = 0xffffffff;

/** What the record tells while it is read. */
export interface Listener {
  /** The match is known, with the position that is looked at first; the others follow. */
  opened(record: MatchRecord): void;
  /** Positions came, or the match has news. */
  grew(): void;
  /** The connection is lost and tried again, or, with an empty text, is back. */
  notice(text: string): void;
}

/** What is wanted of a match. */
export interface Wanted extends Pick<Look, "at" | "seat"> {
  /** While it runs, the views of the seats that are those of this tab's API key. */
  ownSeats: boolean;
}

type Client = ReturnType<typeof matches>;

/** A spectator, and then these seats. */
function viewersOf(seats: readonly number[]): Viewer[] {
  return [create(ViewerSchema, {}), ...seats.map((seat) => create(ViewerSchema, { seat }))];
}

const sourceOf = (matchId: string) => ({ case: "matchId" as const, value: matchId });

/** The match with the position that is looked at first. It is asked for alone, before all others: so
 * the board is there after one answer of the server, whatever else there is to read. */
async function firstLook(client: Client, matchId: string, { at, seat }: Wanted): Promise<MatchRecord> {
  const look = async (views: number[]) => {
    const record = new MatchRecord(views);
    const cut = new AbortController();
    const wanted = { source: sourceOf(matchId), viewers: viewersOf(views), fromDecision: at ?? 0 };
    for await (const message of client.watchPositions(wanted, { signal: cut.signal })) {
      record.take(message);
      break;
    }
    cut.abort();
    return record;
  };
  if (typeof seat !== "number") return look([]);
  try {
    return await look([seat]);
  } catch (error) {
    if (troubleOf(error).mayPass) throw error;
    // The view of the seat is not shown, or there is no such seat.
    return look([]);
  }
}

/** Reads positions with the views of these seats into a record, until `came` says that it is enough. If
 * it has others, all are read anew, and take the place of its own as soon as they come as far. */
async function read(client: Client, record: MatchRecord, views: readonly number[], came: () => boolean | void, signal?: AbortSignal): Promise<void> {
  const goesOn = record.isFromBeginning && String(record.views) === String(views);
  const shown = record.next;
  let into = goesOn ? record : new MatchRecord(views, record.info);
  const turns = new Turns();
  const wanted = { source: sourceOf(record.info?.matchId ?? ""), viewers: viewersOf(views), fromDecision: into.next };
  for await (const message of client.watchPositions(wanted, signal ? { signal } : {})) {
    into.take(message);
    if (into !== record && into.next >= shown) {
      record.replaceBy(into);
      into = record;
    }
    if (into === record && came()) return;
    await turns.next();
  }
}

/** Reads a match that has ended, with the view of each seat where these may be shown. */
async function whole(client: Client, record: MatchRecord, came: () => void): Promise<void> {
  const all = Array.from({ length: record.seats }, (_, seat) => seat);
  try {
    return await read(client, record, all, came);
  } catch (error) {
    if (troubleOf(error).mayPass || String(record.views) === String(all)) throw error;
  }
  // What seats knew stays secret while other matches of the group are about the same chance.
  await read(client, record, await ownSeats(client, record.info), came);
}

/** Reads what comes of a match in play, until its stream ends, the tab is hidden, or it may have the
 * views of other seats. Whether it was cut off so. */
async function part(client: Client, record: MatchRecord, wantsOwn: boolean, came: () => void): Promise<boolean> {
  const cut = new AbortController();
  const onHide = () => document.hidden && cut.abort();
  document.addEventListener("visibilitychange", onHide);
  try {
    const bots = botsOf(record.info);
    const views = wantsOwn ? await ownSeats(client, record.info) : [];
    let isOther = false;
    await read(client, record, views, () => {
      came();
      isOther = wantsOwn && botsOf(record.info) !== bots;
      return isOther;
    }, cut.signal);
    return isOther || cut.signal.aborted;
  } catch (error) {
    if (!cut.signal.aborted) throw error;
    return true;
  } finally {
    document.removeEventListener("visibilitychange", onHide);
    cut.abort();
  }
}

const botsOf = (info: MatchInfo | undefined) => JSON.stringify(info?.seats.map(({ botName }) => botName));

/** The seats whose views the server shows to the API key of this tab while it shows them to nobody
 * else. Bots of one name are those of one key. */
async function ownSeats(client: Client, info: MatchInfo | undefined): Promise<number[]> {
  if (!info || !hasKey()) return [];
  const seatsOf = new Map<string, number[]>();
  for (const { seat, botName } of info.seats) {
    if (botName) seatsOf.set(botName, [...(seatsOf.get(botName) ?? []), seat]);
  }
  const own: number[] = [];
  for (const seats of seatsOf.values()) {
    if (await isShown(client, info.matchId, seats[0] ?? 0)) own.push(...seats);
  }
  return own.sort((a, b) => a - b);
}

async function isShown(client: Client, matchId: string, seat: number): Promise<boolean> {
  const cut = new AbortController();
  try {
    const viewers = [create(ViewerSchema, { seat })];
    for await (const _ of client.watchPositions({ source: sourceOf(matchId), viewers, fromDecision: NEVER }, { signal: cut.signal })) break;
    return true;
  } catch (error) {
    if (troubleOf(error).mayPass) throw error;
    return false;
  } finally {
    cut.abort();
  }
}

/** Asks for a match until something is known of it. */
async function opened(client: Client, matchId: string, wanted: Wanted, listener: Listener): Promise<MatchRecord> {
  const pauses = new Pauses(LONGEST_RETRY_MS);
  for (let left = MOST_TRIES - 1; ; left--) {
    try {
      return await firstLook(client, matchId, wanted);
    } catch (error) {
      const trouble = troubleOf(error);
      if (!trouble.mayPass || left === 0) throw error;
      listener.notice(`The match is not there (${trouble.text}); it is tried again.`);
    }
    await pauses.pass();
  }
}

/**
 * Reads the positions of a match until it has ended. While the tab is hidden no stream is open: a
 * browser has few connections to one address. Errors that will not pass are thrown.
 */
export async function follow(matchId: string, wanted: Wanted, listener: Listener): Promise<void> {
  const client = matches();
  const record = await opened(client, matchId, wanted, listener);
  // What all seats knew is not known yet.
  let isOpen = wanted.seat !== "all" || record.isLive;
  if (isOpen) {
    listener.opened(record);
    await drawn();
  }
  const pauses = new Pauses(LONGEST_RETRY_MS);
  const came = () => {
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
        await whole(client, record, came);
        return came();
      }
      if (await part(client, record, wanted.ownSeats && hasKey(), came)) continue;
      record.info = (await client.getMatch({ matchId })).match ?? record.info;
      came();
      if (!record.isLive) continue;
    } catch (error) {
      const trouble = troubleOf(error);
      if (!trouble.mayPass) throw error;
      listener.notice(`The connection is lost (${trouble.text}); it is tried again.`);
    }
    if (!document.hidden) await pauses.pass();
  }
}
