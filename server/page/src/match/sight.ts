// What a viewer is shown of a position: with the eyes of a seat, of what others decided no more than
// everybody could know then. What was legal for them would tell their hands.

import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";

/** A position as a seat knew it; without a seat, all that is known of it. */
export function seenBy(position: Position, eyes: number | undefined): Position {
  if (eyes === undefined) return position;
  const { played, faults } = position;
  const isOthers = (seat: number) => seat !== eyes;
  return {
    ...position,
    ...(played && isOthers(played.seat) ? {
      played: { ...played, decision: undefined, notation: "", note: "", legalDecisions: [], legalDecisionsCut: false },
    } : {}),
    // The detail of a fault may tell what the bot answered.
    faults: faults.map((each) => (each.fault && isOthers(each.seat) ? { ...each, fault: { ...each.fault, detail: "" } } : each)),
  };
}
