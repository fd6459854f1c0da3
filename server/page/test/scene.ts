// The contents of the fake server: the golden playthroughs as finished matches, live matches, one
// with hostile text, and a ladder.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FaultAction, FaultReason } from "../gen/bridgemaster/v1/fault_pb.ts";
import * as ladder from "../gen/bridgemaster/v1/ladder_service_pb.ts";
import { AttendanceState } from "../gen/bridgemaster/v1/lobby_service_pb.ts";
import { MatchState } from "../gen/bridgemaster/v1/match_pb.ts";
import { type WatchPositionsResponse, WatchPositionsResponseSchema } from "../gen/bridgemaster/v1/match_service_pb.ts";
import { type SeatFault, SeatFaultSchema } from "../gen/bridgemaster/v1/position_pb.ts";
import { DecidedBy } from "../gen/bridgemaster/v1/replay_pb.ts";
import { type FakeLadder, FakeMatch, FakeServer } from "./fake-server.ts";
import { type Golden, goldens } from "./golden.ts";

/** Hostile texts, which must be displayed as text without effect on anything around them. */
export const HOSTILE = [
  "<img src=x onerror=\"document.body.dataset.broken='1'\">",
  "\u202eevil\u202c [x](javascript:alert(1)) =1+1",
  "</script><script>document.body.dataset.broken='1'</script>",
  "a".repeat(300),
];

/** Returns a deep copy of messages. */
export function copied(messages: readonly WatchPositionsResponse[]): WatchPositionsResponse[] {
  return messages.map((message) => fromBinary(WatchPositionsResponseSchema, toBinary(WatchPositionsResponseSchema, message)));
}

/** Returns the playthrough as a finished match. */
export function ended(golden: Golden, name = golden.name): FakeMatch {
  const messages = copied(golden.messages);
  const info = messages[0]?.match;
  if (!info) throw new Error("the first message has the match");
  info.matchId = name;
  info.endedUnixMs = 1_790_000_000_000n;
  return new FakeMatch(info, messages);
}

/** Returns the playthrough as a running match with the first positions, and the other positions. */
export function live(golden: Golden, name: string, positions: number): { match: FakeMatch; rest: WatchPositionsResponse[] } {
  const messages = copied(golden.messages);
  const info = messages[0]?.match;
  if (!info) throw new Error("the first message has the match");
  Object.assign(info, { matchId: name, state: MatchState.RUNNING, result: undefined, decisions: positions });
  return { match: new FakeMatch(info, messages.slice(0, positions), false), rest: messages.slice(positions) };
}

/** Returns a fault of a seat. */
export function faultOf(seat: number, reason: FaultReason, action: FaultAction, detail: string): SeatFault {
  return create(SeatFaultSchema, { seat, fault: { reason, action, detail } });
}

/** Returns the playthrough with hostile names, labels, notes and lines, and with faults. */
export function hostile(golden: Golden, name: string): FakeMatch {
  const match = ended(golden, name);
  const text = (index: number) => HOSTILE[index % HOSTILE.length] ?? "";
  match.info.seats.forEach((seat, index) => Object.assign(seat, { botName: text(index), botVersion: text(index + 1) }));
  match.info.result?.seats.forEach((seat, index) => Object.assign(seat, { botName: text(index), faultCount: 2 }));
  match.info.labels = { hostile: text(0), other: text(1) };
  match.sent.forEach(({ position }, index) => {
    if (!position?.played) return;
    position.played.note = text(index);
    if (index % 25 === 7) {
      position.faults = [faultOf(position.played.seat, FaultReason.LATE, FaultAction.STRIKE, text(index))];
      position.played.decidedBy = DecidedBy.HOUSE;
    }
    position.lines = position.lines.map((line, place) => (place === 0 && index % 10 === 3 ? `${line} ${text(index)}` : line));
  });
  return match;
}

/** Returns a ladder with six bots. */
export function ladderOf(): FakeLadder {
  const names = ["mason", "pontifex", HOSTILE[0] ?? "", "greedy", "wanderer", "random"];
  const standings = names.map((botName, index) => create(ladder.StandingSchema, {
    botName, botVersion: `${4 - (index % 3)}.1`, owner: index === 3 || index === 5 ? "" : `owner-${index}`, isHouseBot: index === 3 || index === 5,
    state: AttendanceState.ACTIVE, changed: index === 1,
    rating: { elo: 210 - index * 85, eloLow: 180 - index * 85, eloHigh: 240 - index * 85, confidence: 0.95, rankBest: Math.max(1, index), rankWorst: index + 1, matches: 840 - index * 31 },
  }));
  const versions = ["4.1", "3.0"].map((botVersion, at) => create(ladder.LadderVersionSchema, {
    standing: { botName: "mason", botVersion, rating: standings[at]?.rating ?? {} },
    history: Array.from({ length: 40 }, (_, index) => ({
      atUnixMs: BigInt(1_790_000_000_000 + (index + (1 - at) * 30) * 3_600_000),
      rating: { elo: 20 + (1 - at) * 60 + index * 3 + 12 * Math.sin(index), eloLow: -20 + (1 - at) * 60 + index * 3, eloHigh: 80 + (1 - at) * 60 + index * 2 },
    })),
  }));
  const others = names.slice(1).map((botName, index) => create(ladder.LadderHeadToHeadSchema, {
    against: { botName, botVersion: "1" }, headToHead: { matches: 90 - index, firstAhead: 50 + index, ties: 3, meanScoreMargin: 4.25 - index },
  }));
  return {
    ladder: create(ladder.LadderSchema, { ladderId: "main", config: { seats: 2, game: goldens()[0]?.messages[0]?.match?.config?.game ?? {} }, state: ladder.LadderState.OPEN, matches: 2481n, settled: true }),
    standings, versions, others,
    matches: goldens().slice(0, 3).flatMap((golden) => ended(golden).info),
  };
}

/** Returns the first playthrough of each game. */
export function oneOfEach(all: readonly Golden[]): Golden[] {
  const games = new Set<string>();
  return all.filter(({ name }) => {
    const game = name.split(".")[0] ?? "";
    if (games.has(game)) return false;
    games.add(game);
    return true;
  });
}

/** Starts a fake server with these contents. */
export async function staged(): Promise<FakeServer> {
  const server = await new FakeServer().start();
  const all = goldens();
  for (const golden of all) server.matches.set(golden.name, ended(golden));
  const [first, second] = oneOfEach(all);
  if (!first || !second) throw new Error("playthroughs of two games");
  server.matches.set("hostile", hostile(first, "hostile"));
  server.matches.set("live", live(second, "live", 20).match);
  for (const golden of oneOfEach(all).filter((golden) => golden !== second)) {
    const name = `live-${golden.name.split(".")[0] ?? ""}`;
    server.matches.set(name, live(golden, name, 60).match);
  }
  server.ladders = ladderOf();
  return server;
}
