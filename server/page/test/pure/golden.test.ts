import assert from "node:assert/strict";
import { test } from "node:test";
import { gameOf } from "../../src/games/registry.ts";
import { completeCities } from "../../src/games/carcassonne/features.ts";
import { firstTurned, shapeOf, tileOf } from "../../src/games/carcassonne/shape.ts";
import { scoreOf, segmentsOf } from "../../src/games/bridges_to_nowhere/segments.ts";
import { Segment } from "../../gen/bridgemaster/games/carcassonne/v1/components_pb.ts";
import type { Tile } from "../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";
import type { LaidTile } from "../../gen/bridgemaster/games/carcassonne/v1/observation_pb.ts";
import { MatchRecord } from "../../src/match/record.ts";
import { goldens } from "../golden.ts";

for (const golden of goldens()) {
  const record = new MatchRecord("all");
  for (const message of golden.messages) record.add(message);

  test(`${golden.name}: every legal decision has the notation of the rules`, () => {
    const { game } = record;
    assert.ok(game, "src/games/registry.ts has no such game");
    for (const { played } of record.positions) {
      if (!played?.decision) continue;
      assert.equal(game.notation(played.decision), played.notation);
      const names: string[] = played.legalDecisions.map((decision) => game.notation(decision));
      assert.equal(new Set(names).size, names.length);
      assert.ok(names.includes(played.notation));
    }
  });

  test(`${golden.name}: the transcript equals that of the playthrough`, () => {
    const lines = record.positions.flatMap(({ played, lines }) => [
      ...(played ? [`seat ${played.seat}: ${played.notation}`] : []), ...lines,
    ]);
    assert.deepEqual(lines, golden.lines);
  });

  test(`${golden.name}: every position has a board for every viewer`, () => {
    record.positions.forEach(({ events, observations, played }, index) => {
      for (const observation of observations) {
        const game = gameOf(observation);
        assert.ok(game, "src/games/registry.ts has no such game");
        game.board({ observation, config: record.info?.config?.game, events, frame: undefined, names: [] });
        assert.notEqual(game.status(observation), "");
        assert.equal(game.points(observation).length, record.seats);
      }
      // The seat of the next decision was among the seats to decide.
      const next = record.positions[index + 1]?.played?.seat;
      const view = next === undefined ? undefined : record.observation(index, next);
      if (view && played && next !== undefined) assert.ok(record.game?.toDecide(view).includes(next));
    });
  });
}

test("segments score as in the rules", () => {
  let compared = 0;
  for (const { messages } of goldens()) {
    const last = messages.at(-1)?.position;
    const view = last?.observations[0]?.game;
    if (view?.case !== "bridgesToNowhere") continue;
    for (const { game } of last?.events ?? []) {
      if (game.case !== "bridgesToNowhere" || game.value.event.case !== "scored") continue;
      const { seat, score } = game.value.event.value;
      const { numbers = 0, tolls = 0, monuments = 0, symbols = 0 } = score ?? {};
      assert.deepEqual(scoreOf(segmentsOf(view.value.seats[seat]?.structure ?? [])), { numbers, tolls, monuments, symbols });
      compared += 1;
    }
  }
  assert.ok(compared >= 4);
});

test("a city is complete when it was scored as complete, and not before", () => {
  let complete = 0;
  let open = 0;
  for (const { messages } of goldens()) {
    const config = messages[0]?.match?.config?.game?.game;
    if (config?.case !== "carcassonne") continue;
    for (const { position } of messages) {
      const view = position?.observations[0]?.game;
      if (view?.case !== "carcassonne") continue;
      const cities = completeCities(view.value.tiles, config.value);
      for (const { game } of position?.events ?? []) {
        if (game.case !== "carcassonne" || game.value.event.case !== "scored") continue;
        const scored = game.value.event.value;
        if (scored.segment < Segment.CITY_NORTH || scored.segment > Segment.CITY_WEST) continue;
        const index = view.value.tiles.findIndex(({ x, y }) => x === scored.x && y === scored.y);
        const laid: LaidTile | undefined = view.value.tiles[index];
        const tile: Tile | undefined = laid && tileOf(config.value, laid.tile);
        assert.ok(laid && tile);
        const city: number = shapeOf(tile).cities.findIndex(({ edges }) => firstTurned(edges, laid.rotation, 4) === scored.segment - Segment.CITY_NORTH);
        assert.equal(cities[index]?.[city], scored.completed);
        if (scored.completed) complete += 1;
        else open += 1;
      }
    }
  }
  assert.ok(complete >= 5, `${complete}`);
  assert.ok(open >= 3, `${open}`);
});

test("on every tile each segment has its own spot for a meeple", () => {
  const config = goldens().map(({ messages }) => messages[0]?.match?.config?.game?.game).find((game) => game?.case === "carcassonne");
  assert.ok(config?.case === "carcassonne");
  let tiles = 0;
  for (let kind = 1; kind <= 36; kind++) {
    const tile = tileOf(config.value, kind);
    if (!tile) continue;
    const { cities, roads, fields } = shapeOf(tile);
    const stands = [...cities, ...roads, ...fields].map(({ stand }) => stand);
    for (const [index, [x, y]] of stands.entries()) {
      assert.ok(x > 0 && x < 100 && y > 0 && y < 100, `tile ${kind}`);
      for (const [a, b] of stands.slice(index + 1)) assert.ok(Math.hypot(x - a, y - b) > 12, `tile ${kind}: ${[x, y]} and ${[a, b]}`);
    }
    tiles += 1;
  }
  assert.equal(tiles, 36);
});
