// The text notation of decisions, as defined in docs/rules/bridges-to-nowhere.md.

import {
  type BridgeCard,
  type Placement,
  Style,
  Symbol as Sign,
} from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/components_pb.ts";
import type { Decision } from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/decision_pb.ts";

/** The name of a style: "truss". */
export function styleName(style: Style): string {
  return (Style[style] ?? "?").toLowerCase();
}

/** The name of a symbol: "fish". */
export function signName(sign: Sign): string {
  return (Sign[sign] ?? "?").toLowerCase();
}

/** Formats a card: "truss 4 fish boat", "cable toll bird bird". */
export function cardName({ style, number, left, right }: BridgeCard): string {
  return `${styleName(style)} ${number === 0 ? "toll" : number} ${signName(left)} ${signName(right)}`;
}

/** Formats a piece: a card, "monument" or "pillar". */
export function pieceName(piece: Placement["piece"]): string {
  return piece.case === "bridgeCard" ? cardName(piece.value) : (piece.case ?? "?");
}

/** Formats a decision in the notation of the rules. */
export function notation({ decision }: Decision): string {
  switch (decision.case) {
    case "take": {
      const { card } = decision.value;
      return `take ${card.case === "bridgeCard" ? cardName(card.value) : "monument"}`;
    }
    case "place":
      return `place ${pieceName(decision.value.piece)} at ${decision.value.level} ${decision.value.column}`;
    case "end":
      return "end";
    default:
      return "?";
  }
}
