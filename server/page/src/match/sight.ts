// The visibility of a position. The view of a seat hides everything about other seats' decisions
// that was not public at that time; their legal decisions would reveal their hands.

import type { Position } from "../../gen/bridgemaster/v1/position_pb.ts";

/** Returns a position with only what a seat could see; without a seat, unchanged. */
export function visibleTo(position: Position, viewSeat: number | undefined): Position {
  if (viewSeat === undefined) return position;
  const { played, faults } = position;
  const isOthers = (seat: number) => seat !== viewSeat;
  return {
    ...position,
    ...(played && isOthers(played.seat) ? {
      played: { ...played, decision: undefined, notation: "", note: "", legalDecisions: [], legalDecisionsCut: false },
    } : {}),
    // The detail of a fault may reveal the bot's answer.
    faults: faults.map((each) => (each.fault && isOthers(each.seat) ? { ...each, fault: { ...each.fault, detail: "" } } : each)),
  };
}
