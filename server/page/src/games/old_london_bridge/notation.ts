// The text notation of decisions, as defined in docs/rules/old-london-bridge.md.

import { Kind, TileKind } from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import { type Decision, Spot } from "../../../gen/bridgemaster/games/old_london_bridge/v1/decision_pb.ts";

/** Returns the name of a kind of building: "chapel". */
export function kindName(kind: Kind): string {
  return (Kind[kind] ?? "?").toLowerCase();
}

/** Returns the name of a bonus tile: "take_a_2". */
export function tileName(tile: TileKind): string {
  return (TileKind[tile] ?? "?").toLowerCase();
}

/** Formats a decision in the notation of the rules. */
export function notation({ decision }: Decision): string {
  switch (decision.case) {
    case "takeA2":
      return `take_a_2 ${decision.value.used ? "yes" : "no"}`;
    case "playCards": {
      const { first, second } = decision.value;
      return second === undefined ? `play ${first}` : `play ${first} ${second}`;
    }
    case "raiseCards":
      return `raise ${decision.value.first} ${decision.value.second}`;
    case "place": {
      const { spot, stack, share, opening } = decision.value;
      const centre = spot === Spot.CENTRE;
      const tile = centre ? "free_centre" : "x_space";
      return `place ${centre ? "centre " : ""}${kindName(stack)}${share ? " share" : ""}${opening ? ` ${tile}` : ""}`;
    }
    case "replace":
      return `replace ${decision.value.slot}`;
    case "takeTile":
      return `take_tile ${decision.value.bonusStack}`;
    case "takeCards": {
      const counts = decision.value.cards.map((count, value) => (count > 0 ? ` ${count}x${value}` : ""));
      return `take_cards${counts.join("")}`;
    }
    case "useTile":
      return `use ${tileName(decision.value.tile)}`;
    case "end":
      return "end";
    default:
      return "?";
  }
}
