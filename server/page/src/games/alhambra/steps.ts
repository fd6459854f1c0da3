// The steps in which a player chooses a decision of Alhambra.

import type { MoneyCard } from "../../../gen/bridgemaster/games/alhambra/v1/components_pb.ts";
import type { Decision } from "../../../gen/bridgemaster/games/alhambra/v1/decision_pb.ts";
import type { Observation } from "../../../gen/bridgemaster/games/alhambra/v1/observation_pb.ts";
import type { Step } from "../../play/picking.ts";
import { buildingIn, categoryName, currencyName } from "./pieces.ts";

const cardText = ({ currency, value }: MoneyCard) => `${currencyName(currency)} ${value}`;

/** Returns the steps of a decision. */
export function steps({ decision }: Decision, observation: Observation): Step[] {
  switch (decision.case) {
    case "take": {
      const cards = [...decision.value.cards].sort((a, b) => a.currency - b.currency || a.value - b.value);
      const [only] = cards;
      if (cards.length === 1 && only) return [{ key: `money:${only.currency}:${only.value}`, label: `take ${cardText(only)}` }];
      const text = cards.map(cardText).join(" and ");
      return [{ key: "several", label: "take several cards" }, { key: text, label: text }];
    }
    case "buy": {
      const { slot, payment, give } = decision.value;
      const building = buildingIn(observation, slot);
      const what = building ? `${categoryName(building.category)} for ${building.price}` : "?";
      const falling = [...payment].sort((a, b) => b - a);
      const over = falling.reduce((sum, each) => sum + each, 0) - (building?.price ?? 0);
      return [
        { key: `buy:${slot}`, label: `buy ${what} ${currencyName(slot)}` },
        give ? { key: "give", label: "for the dummy" } : { key: "keep", label: "for yourself" },
        { key: `pay:${falling.join(":")}`, label: `pay ${falling.join(" + ")}${over === 0 ? ", exactly" : `, overpaying by ${over}`}` },
      ];
    }
    case "pass":
      return [{ key: "pass", label: "pass" }];
    default:
      return [{ key: "?", label: "?" }];
  }
}
