// The steps in which a player chooses a decision of Bridges to Nowhere.

import type { Decision } from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/decision_pb.ts";
import type { Step } from "../../play/picking.ts";
import { cardName, pieceName } from "./notation.ts";

/** Returns the steps of a decision. */
export function steps({ decision }: Decision): Step[] {
  switch (decision.case) {
    case "take": {
      const { card } = decision.value;
      const name = card.case === "bridgeCard" ? cardName(card.value) : "monument";
      return [{ key: `take:${name}`, label: `take ${name}` }];
    }
    case "place": {
      const { piece, level, column } = decision.value;
      return [
        { key: `piece:${pieceName(piece)}`, label: `place ${pieceName(piece)}` },
        { key: `at:${level}:${column}`, label: `on level ${level}, column ${column}` },
      ];
    }
    case "end":
      return [{ key: "end", label: "end building" }];
    default:
      return [{ key: "?", label: "?" }];
  }
}
