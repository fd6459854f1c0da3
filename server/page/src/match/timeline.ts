// The data of the scrubber and the charts.

import { FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";
import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { DecidedBy } from "../../gen/bridgemaster/v1/replay_pb.ts";
import type { Game } from "../games/game.ts";

/** The time and circumstances of one decision. */
export interface Think {
  seat: number;
  /** Thinking time, charged to the bank or not, in ms. */
  thinkingMs: number;
  /** Credit for the round trip, in ms. */
  creditMs: number;
  /** The referee's own lag within the charged time, in ms. */
  lagMs: number;
  /** The house decided instead of the bot. */
  isSubstituted: boolean;
  /** The seat was late. */
  isLate: boolean;
}

/** The reason of a mark. */
export type MarkKind = "fault" | "jump" | "think";

/** A mark above the scrubber. */
export interface Mark {
  index: number;
  kind: MarkKind;
  seat: number;
  text: string;
}

/** Maximum number of marks for score jumps, and for long thinks. */
const MAX_JUMPS = 6;
const MAX_THINKS = 4;
/** Thresholds of a long think: a multiple of the median, and a time in ms. */
const LONG_THINK_MEDIANS = 3;
const LONG_THINK_MS = 1;

/** The data of a match, with one entry per position. */
export interface Timeline {
  /** The think of the decision before each position; undefined for the first. */
  thinks: (Think | undefined)[];
  /** Points of each seat, in seat order. */
  points: number[][];
  marks: Mark[];
}

function thinkOf({ played, faults }: Position): Think | undefined {
  if (!played) return undefined;
  const { seat, charge, decidedBy } = played;
  const ms = (us: bigint | undefined) => Number(us ?? 0n) / 1000;
  return {
    seat,
    thinkingMs: ms(charge && charge.chargedUs + charge.unchargedUs),
    creditMs: ms(charge?.creditUs),
    lagMs: ms(charge?.refereeLagUs),
    isSubstituted: decidedBy === DecidedBy.HOUSE,
    isLate: faults.some((each) => each.seat === seat && each.fault?.reason === FaultReason.LATE),
  };
}

/** Returns the name of a fault's reason: "late". */
export function faultName(reason: FaultReason | undefined): string {
  return (FaultReason[reason ?? 0] ?? "unknown").toLowerCase().replace(/_/g, " ");
}

/** Formats a duration: "0.4 ms", "37 ms", "2.4 s", "3:07". */
export function timeText(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function largest<T>(items: T[], size: (item: T) => number, most: number): T[] {
  return [...items].sort((a, b) => size(b) - size(a)).slice(0, most);
}

/** Computes the data and marks of positions. */
export function timelineOf(positions: readonly Position[], game: Game | undefined): Timeline {
  const thinks = positions.map(thinkOf);
  const points = positions.map(({ observations: [view] }) => (game && view ? game.points(view) : []));
  const marks: Mark[] = positions.flatMap(({ faults }, index) =>
    faults.map(({ seat, fault }): Mark => ({
      index, kind: "fault", seat, text: `seat ${seat}: fault, ${faultName(fault?.reason)}`,
    })),
  );
  const jumps = points.flatMap((now, index) => {
    const before = points[index - 1];
    if (!before) return [];
    return now.map((value, seat) => ({ index, seat, gain: value - (before[seat] ?? 0) })).filter(({ gain }) => gain > 0);
  });
  const mean = jumps.reduce((sum, { gain }) => sum + gain, 0) / Math.max(1, jumps.length);
  for (const { index, seat, gain } of largest(jumps.filter((jump) => jump.gain > mean), (jump) => jump.gain, MAX_JUMPS)) {
    marks.push({ index, kind: "jump", seat, text: `seat ${seat}: +${gain} ${game?.pointsName ?? "points"}` });
  }
  const times = thinks.flatMap((think) => (think ? [think.thinkingMs] : [])).sort((a, b) => a - b);
  const least = Math.max(LONG_THINK_MS, LONG_THINK_MEDIANS * (times[Math.floor(times.length / 2)] ?? 0));
  const long = thinks.flatMap((think, index) => (think && think.thinkingMs >= least ? [{ think, index }] : []));
  for (const { think, index } of largest(long, (each) => each.think.thinkingMs, MAX_THINKS)) {
    marks.push({ index, kind: "think", seat: think.seat, text: `seat ${think.seat} thought ${timeText(think.thinkingMs)}` });
  }
  marks.sort((a, b) => a.index - b.index);
  return { thinks, points, marks };
}
