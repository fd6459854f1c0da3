// Faults, forfeits and use of time of a bot on a ladder.

import type { LadderConduct } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import type { SeatResult } from "../../gen/bridgemaster/v1/match_pb.ts";
import { FaultReason } from "../../gen/bridgemaster/v1/fault_pb.ts";

function reasonText(reason: FaultReason): string {
  return reason === FaultReason.UNSPECIFIED ? "unknown" : (FaultReason[reason] ?? "unknown").toLowerCase().replace(/_/g, " ");
}

/** Formats the forfeits by reason: "2 late, 1 illegal". */
export function forfeitsText(conduct: LadderConduct | undefined): string {
  return (conduct?.forfeits ?? []).map(({ reason, count }) => `${count} ${reasonText(reason)}`).join(", ");
}

/** Formats the mean thinking time per match. */
export function thinkingText(conduct: LadderConduct | undefined): string {
  if (!conduct || conduct.timedMatches === 0) return "–";
  return `${(Number(conduct.thinkingMs) / conduct.timedMatches / 1000).toFixed(1)} s`;
}

/** Formats the forfeits in a match, with the bots: "ada: late". */
export function matchForfeitsText(seats: readonly SeatResult[]): string {
  const forfeited = seats.filter(({ forfeit }) => forfeit !== FaultReason.UNSPECIFIED);
  return forfeited.map(({ botName, forfeit }) => `${botName}: ${reasonText(forfeit)}`).join(", ");
}
