// The record of a match while its positions are loading.

import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { WatchPositionsResponseSchema } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { MatchRecord } from "../../src/match/record.ts";

test("a record is whole with the last position of a finished match, and not while the match runs", () => {
  const record = new MatchRecord("all");
  const take = (number: number, state = MatchState.ENDED) =>
    record.add(create(WatchPositionsResponseSchema, { position: { number }, match: { state, decisions: 2 } }));
  assert.equal(record.isWhole, false);
  take(0);
  take(1);
  assert.equal(record.isWhole, false);
  take(2);
  assert.equal(record.isWhole, true);
  take(2, MatchState.RUNNING);
  assert.equal(record.isWhole, false);
});
