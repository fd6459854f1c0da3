// The text notation of decisions, as defined in docs/rules/carcassonne-drawbridges.md.

import { Edge, Segment } from "../../../gen/bridgemaster/games/carcassonne/v1/components_pb.ts";
import type { Decision } from "../../../gen/bridgemaster/games/carcassonne/v1/decision_pb.ts";

/** Returns the letter of an edge: "n". */
export function edgeName(edge: Edge): string {
  return (Edge[edge] ?? "?").charAt(0).toLowerCase();
}

/** Formats a segment: "road n", "field nl", "monastery". */
export function segmentName(segment: Segment): string {
  const [kind = "?", edge, half] = (Segment[segment] ?? "?").toLowerCase().split("_");
  if (!edge) return kind;
  return `${kind} ${edge.charAt(0)}${half ? half.charAt(0) : ""}`;
}

/** Formats a decision in the notation of the rules. */
export function notation({ decision }: Decision): string {
  switch (decision.case) {
    case "place":
      return `place ${decision.value.x} ${decision.value.y} ${decision.value.rotation}`;
    case "meeple": {
      const { choice } = decision.value;
      return choice.case === "segment" ? `meeple ${segmentName(choice.value)}` : "meeple none";
    }
    case "drawbridge": {
      const { choice } = decision.value;
      if (choice.case !== "gate") return "drawbridge home";
      return `drawbridge ${choice.value.x} ${choice.value.y} ${edgeName(choice.value.city)}`;
    }
    default:
      return "?";
  }
}
