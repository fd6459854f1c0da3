import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";
import { PositionSchema } from "../../gen/bridgemaster/v1/position_pb.ts";
import { DecidedBy } from "../../gen/bridgemaster/v1/replay_pb.ts";
import { timelineOf, timeText } from "../../src/match/timeline.ts";

const position = (number: number, thinkingMs: number, faults: FaultReason[] = [], decidedBy = DecidedBy.BOT) =>
  create(PositionSchema, {
    number,
    played: { seat: 1, decidedBy, charge: { chargedUs: BigInt(thinkingMs * 500), unchargedUs: BigInt(thinkingMs * 500), refereeLagUs: 500n } },
    faults: faults.map((reason) => ({ seat: 1, fault: { reason } })),
  });

test("faults and the longest decisions are marked", () => {
  const times = [60, 10, 900, 70, 80, 90, 300];
  const { marks } = timelineOf(times.map((ms, index) => position(index, ms, index === 3 ? [FaultReason.LATE] : [])), undefined);
  assert.deepEqual(marks.filter(({ kind }) => kind === "fault").map(({ index }) => index), [3]);
  assert.deepEqual(marks.filter(({ kind }) => kind === "think").map(({ index }) => index), [2, 6]);
});

test("a house decision after a late answer is shown as both", () => {
  const { thinks } = timelineOf([position(0, 0, [FaultReason.LATE], DecidedBy.HOUSE)], undefined);
  assert.equal(thinks[0]?.isLate, true);
  assert.equal(thinks[0]?.isSubstituted, true);
  assert.equal(thinks[0]?.lagMs, 0.5);
});

test("times are formatted", () => {
  assert.deepEqual([0.44, 37.2, 2440, 187_000, 3_725_000].map(timeText), ["0.4 ms", "37 ms", "2.4 s", "3:07", "1:02:05"]);
});
