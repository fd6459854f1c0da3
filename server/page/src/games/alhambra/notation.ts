// The text notation of decisions, as defined in docs/rules/alhambra.md.

import type { MoneyCard } from "../../../gen/bridgemaster/games/alhambra/v1/components_pb.ts";
import type { Decision } from "../../../gen/bridgemaster/games/alhambra/v1/decision_pb.ts";
import { currencyName } from "./pieces.ts";

function cardName({ currency, value }: MoneyCard): string {
  return `${currencyName(currency).charAt(0)}${value}`;
}

/** Formats a decision in the notation of the rules. */
export function notation({ decision }: Decision): string {
  switch (decision.case) {
    case "take": {
      const cards = [...decision.value.cards];
      cards.sort((a, b) => a.currency - b.currency || a.value - b.value);
      return ["take", ...cards.map(cardName)].join(" ");
    }
    case "buy": {
      const { slot, payment, give } = decision.value;
      const falling = [...payment].sort((a, b) => b - a);
      return ["buy", currencyName(slot), ...falling, ...(give ? ["give"] : [])].join(" ");
    }
    case "pass":
      return "pass";
    default:
      return "?";
  }
}
