// A server for the tests of the page: the bundle with the headers of the real one, and the calls
// that the page makes, answered from memory.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import * as ladder from "../gen/bridgemaster/v1/ladder_service_pb.ts";
import { type MatchInfo, MatchState } from "../gen/bridgemaster/v1/match_pb.ts";
import { PlayedDecisionSchema } from "../gen/bridgemaster/v1/position_pb.ts";
import * as matches from "../gen/bridgemaster/v1/match_service_pb.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** gRPC status codes. */
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

/** Ends a call with a status. */
export class Refused extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

function frame(flag: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

const trailers = (code: number, text: string) =>
  frame(0x80, Buffer.from(`grpc-status: ${code}\r\ngrpc-message: ${encodeURIComponent(text)}\r\n`));

type Sent = matches.WatchPositionsResponse;

/** A match of the fake server. */
export class FakeMatch {
  readonly #waiting: (() => void)[] = [];
  readonly sent: Sent[] = [];
  isOver: boolean;
  /** Streams that are open. */
  watchers = 0;

  constructor(readonly info: MatchInfo, messages: readonly Sent[], isOver = true) {
    this.sent.push(...messages);
    this.isOver = isOver;
  }

  /** Adds a position of a live match. */
  push(message: Sent): void {
    this.sent.push(message);
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.info.state = MatchState.ENDED;
    this.wake();
  }

  /** Waits until so many streams are open. */
  async watchedBy(count: number): Promise<void> {
    while (this.watchers !== count) await new Promise<void>((done) => this.#waiting.push(done));
  }

  /** Waits until something comes of it. */
  changed(): Promise<void> {
    return new Promise((done) => this.#waiting.push(done));
  }

  /** Lets all that wait look again. */
  wake(): void {
    this.#waiting.splice(0).forEach((done) => done());
  }

  /** Everything from a decision on, with the views that were asked for. */
  async *from(decision: number, viewers: number): AsyncGenerator<Sent> {
    yield create(matches.WatchPositionsResponseSchema, { match: this.info });
    for (let index = 0; ; index++) {
      while (index >= this.sent.length) {
        if (this.isOver) return;
        await new Promise<void>((done) => this.#waiting.push(done));
      }
      const { position } = this.sent[index] ?? {};
      if (!position || position.number < decision) continue;
      // While the match runs, what others decided is told by its events alone.
      const { seat = 0, charge, decidedBy } = position.played ?? {};
      const told = { seat, decidedBy: decidedBy ?? 0, ...(charge ? { charge } : {}) };
      yield create(matches.WatchPositionsResponseSchema, {
        position: {
          ...position,
          observations: position.observations.slice(0, Math.max(1, viewers)),
          ...(position.played && !this.isOver ? { played: create(PlayedDecisionSchema, told) } : {}),
        },
      });
    }
  }
}

/** The server. */
export class FakeServer {
  readonly matches = new Map<string, FakeMatch>();
  ladders: { ladder: ladder.Ladder; standings: ladder.Standing[]; versions: ladder.LadderVersion[]; others: ladder.LadderHeadToHead[] } | undefined;
  /** Streams of all matches that were opened. */
  overviews = 0;
  /** The API key that calls must have; empty for none. */
  needsKey = "";
  /** What POST /open-replay answers. */
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
    if (pathname.startsWith("/bridgemaster.v1.")) return this.#call(pathname, body.subarray(5), request.headers["x-bridgemaster-key"] === this.needsKey || !this.needsKey, response);
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

  async #call(path: string, body: Buffer, isLetIn: boolean, response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "application/grpc-web+proto" });
    const send = <D extends DescMessage>(schema: D, message: MessageShape<D>) => response.write(frame(0, toBinary(schema, message)));
    try {
      if (!isLetIn) throw new Refused(UNAUTHENTICATED, "an API key is needed");
      await this.#serve(path.split("/").pop() ?? "", body, send, response);
      response.end(trailers(0, ""));
    } catch (error) {
      const { code, message } = error instanceof Refused ? error : new Refused(13, String(error));
      response.end(trailers(code, message));
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
        const { filter } = fromBinary(matches.ListMatchesRequestSchema, body);
        const fitting = infos().filter(({ state, seats }) =>
          (!filter?.state || filter.state === state) && (!filter?.botName || seats.some(({ botName }) => botName === filter.botName)));
        return send(matches.ListMatchesResponseSchema, create(matches.ListMatchesResponseSchema, { matches: fitting }));
      }
      case "WatchPositions": {
        const { source, viewers, fromDecision } = fromBinary(matches.WatchPositionsRequestSchema, body);
        const match = this.#match(source.case === "matchId" ? source.value : "");
        match.watchers += 1;
        response.on("close", () => {
          match.watchers -= 1;
          match.wake();
        });
        for await (const message of match.from(fromDecision, viewers.length)) {
          send(matches.WatchPositionsResponseSchema, message);
          // Each leaves as it is made, as the real server has it, and not all of them with the last.
          await new Promise(setImmediate);
        }
        return;
      }
      case "WatchMatches": {
        this.overviews += 1;
        response.on("close", () => this.matches.forEach((match) => match.wake()));
        const told = new Map<string, number>();
        while (!response.destroyed) {
          const changed = [...this.matches.values()].map((match) => match.changed());
          for (const [id, { info, sent }] of this.matches) {
            const runs = info.state === MatchState.RUNNING || info.state === MatchState.WAITING;
            if (runs ? told.get(id) === sent.length : !told.delete(id)) continue;
            if (runs) told.set(id, sent.length);
            const [observation] = (runs && sent.at(-1)?.position?.observations) || [];
            send(matches.WatchMatchesResponseSchema, create(matches.WatchMatchesResponseSchema, { match: info, ...(observation ? { observation } : {}) }));
          }
          await Promise.race(changed);
        }
        return;
      }
      case "ListLadders":
        return send(ladder.ListLaddersResponseSchema, create(ladder.ListLaddersResponseSchema, { ladders: [this.#ladder().ladder] }));
      case "GetLadder":
        return send(ladder.GetLadderResponseSchema, create(ladder.GetLadderResponseSchema, { ladder: this.#ladder().ladder }));
      case "ListStandings":
        return send(ladder.ListStandingsResponseSchema, create(ladder.ListStandingsResponseSchema, { standings: this.#ladder().standings }));
      case "ListLadderMatches":
        return send(ladder.ListLadderMatchesResponseSchema, create(ladder.ListLadderMatchesResponseSchema, { matches: infos().slice(0, 3).map((match) => ({ match })) }));
      case "GetLadderBot":
        return send(ladder.GetLadderBotResponseSchema, create(ladder.GetLadderBotResponseSchema, { versions: this.#ladder().versions }));
      case "ListHeadToHeads":
        return send(ladder.ListHeadToHeadsResponseSchema, create(ladder.ListHeadToHeadsResponseSchema, { entries: this.#ladder().others }));
      default:
        throw new Refused(UNIMPLEMENTED, `${method} is not built`);
    }
  }

  #ladder() {
    if (!this.ladders) throw new Refused(UNIMPLEMENTED, "there are no ladders");
    return this.ladders;
  }
}
