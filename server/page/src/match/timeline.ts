// What the scrubber and the charts show of a match, as numbers.

import { FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";
import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { DecidedBy } from "../../gen/bridgemaster/v1/replay_pb.ts";
import type { Game } from "../games/game.ts";

/** How one decision was made. */
export interface Think {
  seat: number;
  /** Taken from the bank, in ms, the referee's lag included. */
  chargedMs: number;
  /** Credited back for the round trip, in ms. */
  creditMs: number;
  /** Of what was charged, the referee's own lag, in ms. */
  lagMs: number;
  /** The house decided. */
  isSubstituted: boolean;
  /** The seat was late. */
  isLate: boolean;
}

/** Why a position is marked. */
export type MarkKind = "fault" | "jump" | "think";

/** A mark of the scrubber. */
export interface Mark {
  index: number;
  kind: MarkKind;
  seat: number;
  text: string;
}

/** Most marks for score jumps, and for long thinks. */
const MOST_JUMPS = 6;
const MOST_THINKS = 4;
/** A think is worth a mark from so many times the median, and from so many ms. */
const LONG_THINK_MEDIANS = 3;
const LONG_THINK_MS = 1;

/** The lines of a match, one entry a position. */
export interface Timeline {
  /** How the decision before each position was made; none before the first. */
  thinks: (Think | undefined)[];
  /** Points by seat. */
  points: number[][];
  marks: Mark[];
}

function thinkOf({ played, faults }: Position): Think | undefined {
  if (!played) return undefined;
  const { seat, charge, decidedBy } = played;
  const ms = (us: bigint | undefined) => Number(us ?? 0n) / 1000;
  return {
    seat,
    chargedMs: ms(charge?.chargedUs),
    creditMs: ms(charge?.creditUs),
    lagMs: ms(charge?.refereeLagUs),
    isSubstituted: decidedBy === DecidedBy.HOUSE,
    isLate: faults.some((each) => each.seat === seat && each.fault?.reason === FaultReason.LATE),
  };
}

/** The name of a fault's reason: "late". */
export function faultName(reason: FaultReason | undefined): string {
  return (FaultReason[reason ?? 0] ?? "unknown").toLowerCase().replace(/_/g, " ");
}

/** A time for people: "0.4 ms", "37 ms", "2.4 s", "3:07". */
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

/** The lines and marks of positions. */
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
  for (const { index, seat, gain } of largest(jumps.filter((jump) => jump.gain > mean), (jump) => jump.gain, MOST_JUMPS)) {
    marks.push({ index, kind: "jump", seat, text: `seat ${seat}: +${gain} ${game?.pointsName ?? "points"}` });
  }
  const times = thinks.flatMap((think) => (think ? [think.chargedMs] : [])).sort((a, b) => a - b);
  const least = Math.max(LONG_THINK_MS, LONG_THINK_MEDIANS * (times[Math.floor(times.length / 2)] ?? 0));
  const long = thinks.flatMap((think, index) => (think && think.chargedMs >= least ? [{ think, index }] : []));
  for (const { think, index } of largest(long, (each) => each.think.chargedMs, MOST_THINKS)) {
    marks.push({ index, kind: "think", seat: think.seat, text: `seat ${think.seat} thought ${timeText(think.chargedMs)}` });
  }
  marks.sort((a, b) => a.index - b.index);
  return { thinks, points, marks };
}
