// A fake server for the page tests: it serves the bundle with the headers of the real server, and
// answers the page's calls from memory.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import * as ladder from "../gen/bridgemaster/v1/ladder_service_pb.ts";
import { type MatchInfo, MatchState } from "../gen/bridgemaster/v1/match_pb.ts";
import { type PlayedDecision, PlayedDecisionSchema, type Position } from "../gen/bridgemaster/v1/position_pb.ts";
import * as matches from "../gen/bridgemaster/v1/match_service_pb.ts";
import { FAILED_PRECONDITION, frame, INTERNAL, NOT_FOUND, Refused, trailers, UNAUTHENTICATED, UNIMPLEMENTED } from "./refused.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();

/** Number of entries per page of a list, if the request does not set it. */
const DEFAULT_PAGE_SIZE = 50;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Sent = matches.WatchPositionsResponse;

/** A match of the fake server, with its positions. */
export class FakeMatch {
  readonly #waiting: (() => void)[] = [];
  /** Incremented when the match info is sent to all watchers again. */
  #infoVersion = 0;
  readonly sent: Sent[] = [];
  isOver: boolean;
  /** Number of open streams. */
  watchers = 0;
  /** The seats of each API key. The key sees their views while the match runs. */
  readonly keys = new Map<string, number[]>();

  constructor(readonly info: MatchInfo, messages: readonly Sent[], isOver = true) {
    this.sent.push(...messages);
    this.isOver = isOver;
  }

  /** Returns a decision as visible to these viewers. Other seats' decisions are hidden while the match
   * runs, and their legal decisions always. */
  #visibleTo(played: PlayedDecision, viewers: readonly (number | undefined)[]): PlayedDecision {
    if (viewers.includes(played.seat)) return played;
    const { seat, charge, decidedBy, decision, notation, note } = played;
    const cost = { seat, decidedBy, ...(charge ? { charge } : {}) };
    return create(PlayedDecisionSchema, this.isOver ? { ...cost, notation, note, ...(decision ? { decision } : {}) } : cost);
  }

  /** Adds a position of a live match. */
  push(message: Sent): void {
    this.sent.push(message);
    this.wake();
  }

  /** Sends the match info to all watchers again. */
  resendInfo(): void {
    this.#infoVersion += 1;
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.info.state = MatchState.ENDED;
    this.wake();
  }

  /** Waits until the given number of streams is open. */
  async watchedBy(count: number): Promise<void> {
    while (this.watchers !== count) await new Promise<void>((done) => this.#waiting.push(done));
  }

  /** Waits for the next change of the match. */
  changed(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  /** Wakes all waiting streams and tests. */
  wake(): void {
    this.#waiting.splice(0).forEach((done) => done());
  }

  /** Streams the positions from a decision on, with the requested views: a seat, or undefined for a
   * spectator. Hides the same facts as the real server. */
  async *from(decision: number, viewers: readonly (number | undefined)[]): AsyncGenerator<Sent> {
    // The match info is sent with the first position, after changes, and at the end.
    let sentVersion: number | undefined;
    const message = (position?: Position) => {
      const match = sentVersion === this.#infoVersion ? {} : { match: this.info };
      sentVersion = this.#infoVersion;
      return create(matches.WatchPositionsResponseSchema, { ...match, ...(position ? { position } : {}) });
    };
    for (let index = 0; ; index++) {
      while (index >= this.sent.length) {
        if (this.isOver) sentVersion = undefined;
        if (sentVersion !== this.#infoVersion) yield message();
        if (this.isOver) return;
        await new Promise<void>((done) => this.#waiting.push(done));
      }
      const { position } = this.sent[index] ?? {};
      if (!position || position.number < decision) continue;
      const requested = viewers.length > 0 ? viewers : [undefined];
      const observations = requested.flatMap((seat) => position.observations[seat === undefined ? 0 : seat + 1] ?? []);
      const played = position.played && this.#visibleTo(position.played, viewers);
      yield message({ ...position, observations, ...(played ? { played } : {}) });
    }
  }
}

/** A ladder, with the contents of its lists. */
export interface FakeLadder {
  ladder: ladder.Ladder;
  standings: ladder.Standing[];
  versions: ladder.LadderVersion[];
  others: ladder.LadderHeadToHead[];
  matches: MatchInfo[];
}

/** Returns one page of a list, and the token of the next one. */
function paged<T>(all: readonly T[], pageSize: number, pageToken: string): { items: T[]; nextPageToken: string } {
  const from = Number(pageToken);
  const to = from + (pageSize || DEFAULT_PAGE_SIZE);
  return { items: all.slice(from, to), nextPageToken: to < all.length ? String(to) : "" };
}

/** The fake server, with its matches and calls. */
export class FakeServer {
  readonly matches = new Map<string, FakeMatch>();
  ladders: FakeLadder | undefined;
  /** Number of WatchMatches streams opened so far. */
  overviews = 0;
  /** The required API key; empty for none. */
  needsKey = "";
  /** Refusals of the next calls of each method. */
  readonly refusals = new Map<string, Refused[]>();
  /** The methods of all received calls. */
  readonly calls: string[] = [];
  /** The response to POST /open-replay; an error if undefined. */
  replay: Uint8Array | undefined;
  #server: Server;
  url = "";

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (pathname.startsWith("/bridgemaster.v1.")) return this.#call(pathname, body.subarray(5), String(request.headers["x-bridgemaster-key"] ?? ""), response);
    if (pathname === "/open-replay") {
      response.writeHead(this.replay ? 200 : 400, { "content-type": this.replay ? "application/octet-stream" : "text/plain" });
      response.end(this.replay ?? "the checksum does not hold");
      return;
    }
    const file = { "/page.js": "page.js", "/page.css": "page.css" }[pathname] ?? "index.html";
    const type = file.endsWith(".js") ? "text/javascript" : file.endsWith(".css") ? "text/css" : "text/html; charset=utf-8";
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY, "x-content-type-options": "nosniff" });
    response.end(readFileSync(join(ROOT, "dist", file)));
  }

  async #call(path: string, body: Buffer, key: string, response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "application/grpc-web+proto" });
    const send = <D extends DescMessage>(schema: D, message: MessageShape<D>) => response.write(frame(0, toBinary(schema, message)));
    try {
      if (this.needsKey !== "" && key !== this.needsKey) throw new Refused(UNAUTHENTICATED, "an API key is required");
      const method = path.split("/").pop() ?? "";
      this.calls.push(method);
      const refused = this.refusals.get(method)?.shift();
      if (refused) throw refused;
      await this.#serve(method, body, key, send, response);
      response.end(trailers());
    } catch (error) {
      response.end(trailers(error instanceof Refused ? error : new Refused(INTERNAL, String(error))));
    }
  }

  #match(id: string): FakeMatch {
    const match = this.matches.get(id);
    if (!match) throw new Refused(NOT_FOUND, `no match ${id}`);
    return match;
  }

  async #serve(
    method: string,
    body: Buffer,
    key: string,
    send: <D extends DescMessage>(schema: D, message: MessageShape<D>) => void,
    response: ServerResponse,
  ): Promise<void> {
    const infos = () => [...this.matches.values()].map(({ info }) => info);
    switch (method) {
      case "GetMatch": {
        const { matchId } = fromBinary(matches.GetMatchRequestSchema, body);
        return send(matches.GetMatchResponseSchema, create(matches.GetMatchResponseSchema, { match: this.#match(matchId).info }));
      }
      case "ListMatches": {
        const { filter, pageSize, pageToken } = fromBinary(matches.ListMatchesRequestSchema, body);
        const fitting = infos().filter(({ state, seats }) =>
          (!filter?.state || filter.state === state) && (!filter?.botName || seats.some(({ botName }) => botName === filter.botName)));
        const { items, nextPageToken } = paged(fitting, pageSize, pageToken);
        return send(matches.ListMatchesResponseSchema, create(matches.ListMatchesResponseSchema, { matches: items, nextPageToken }));
      }
      case "WatchPositions": {
        const { source, viewers, fromDecision } = fromBinary(matches.WatchPositionsRequestSchema, body);
        const match = this.#match(source.case === "matchId" ? source.value : "");
        const seats = viewers.map(({ seat }) => seat);
        const own = match.keys.get(key) ?? [];
        if (!match.isOver && seats.some((seat) => seat !== undefined && !own.includes(seat))) {
          throw new Refused(FAILED_PRECONDITION, "the match is not over", "MATCH_RUNNING");
        }
        match.watchers += 1;
        match.wake();
        response.on("close", () => {
          match.watchers -= 1;
          match.wake();
        });
        for await (const message of match.from(fromDecision, seats)) {
          send(matches.WatchPositionsResponseSchema, message);
          // Send each message separately, as the real server does.
          await new Promise(setImmediate);
        }
        return;
      }
      case "WatchMatches": {
        this.overviews += 1;
        response.on("close", () => this.matches.forEach((match) => match.wake()));
        const sentCounts = new Map<string, number>();
        while (!response.destroyed) {
          const changed = [...this.matches.values()].map((match) => match.changed());
          for (const [id, { info, sent }] of this.matches) {
            const runs = info.state === MatchState.RUNNING || info.state === MatchState.WAITING;
            if (runs ? sentCounts.get(id) === sent.length : !sentCounts.delete(id)) continue;
            if (runs) sentCounts.set(id, sent.length);
            const [observation] = (runs && sent.at(-1)?.position?.observations) || [];
            send(matches.WatchMatchesResponseSchema, create(matches.WatchMatchesResponseSchema, { match: info, ...(observation ? { observation } : {}) }));
          }
          await Promise.race(changed);
        }
        return;
      }
      case "ListLadders": {
        const { pageSize, pageToken } = fromBinary(ladder.ListLaddersRequestSchema, body);
        const { items, nextPageToken } = paged([this.#ladder().ladder], pageSize, pageToken);
        return send(ladder.ListLaddersResponseSchema, create(ladder.ListLaddersResponseSchema, { ladders: items, nextPageToken }));
      }
      case "GetLadder":
        return send(ladder.GetLadderResponseSchema, create(ladder.GetLadderResponseSchema, { ladder: this.#ladder().ladder }));
      case "ListStandings": {
        const { pageSize, pageToken } = fromBinary(ladder.ListStandingsRequestSchema, body);
        const { items, nextPageToken } = paged(this.#ladder().standings, pageSize, pageToken);
        return send(ladder.ListStandingsResponseSchema, create(ladder.ListStandingsResponseSchema, { standings: items, nextPageToken }));
      }
      case "ListLadderMatches": {
        const { pageSize, pageToken, botName } = fromBinary(ladder.ListLadderMatchesRequestSchema, body);
        const fitting = this.#ladder().matches.filter(({ seats }) => botName === "" || seats.some((seat) => seat.botName === botName));
        const { items, nextPageToken } = paged(fitting, pageSize, pageToken);
        return send(ladder.ListLadderMatchesResponseSchema, create(ladder.ListLadderMatchesResponseSchema, { matches: items.map((match) => ({ match })), nextPageToken }));
      }
      case "GetLadderBot":
        return send(ladder.GetLadderBotResponseSchema, create(ladder.GetLadderBotResponseSchema, { versions: this.#ladder().versions }));
      case "ListHeadToHeads": {
        const { pageSize, pageToken } = fromBinary(ladder.ListHeadToHeadsRequestSchema, body);
        const { items, nextPageToken } = paged(this.#ladder().others, pageSize, pageToken);
        return send(ladder.ListHeadToHeadsResponseSchema, create(ladder.ListHeadToHeadsResponseSchema, { entries: items, nextPageToken }));
      }
      default:
        throw new Refused(UNIMPLEMENTED, `${method} is not implemented`);
    }
  }

  #ladder() {
    if (!this.ladders) throw new Refused(UNIMPLEMENTED, "there are no ladders");
    return this.ladders;
  }
}
