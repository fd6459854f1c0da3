// The steps in which a player chooses a decision of Old London Bridge.

import { type Decision, Spot } from "../../../gen/bridgemaster/games/old_london_bridge/v1/decision_pb.ts";
import type { Observation } from "../../../gen/bridgemaster/games/old_london_bridge/v1/observation_pb.ts";
import type { Step } from "../../play/picking.ts";
import { kindName, tileName } from "./notation.ts";
import { buildingName } from "./pieces.ts";

const words = (name: string) => name.replace(/_/g, " ");

/** Returns the steps of a decision. */
export function steps({ decision }: Decision, observation: Observation): Step[] {
  switch (decision.case) {
    case "takeA2":
      return [decision.value.used ? { key: "take_a_2:yes", label: "use a tile to take a 2" } : { key: "take_a_2:no", label: "do not take a 2" }];
    case "playCards": {
      const { first, second } = decision.value;
      return [
        { key: `card:${first}`, label: `play a ${first}` },
        second === undefined ? { key: "alone", label: "alone" } : { key: `and:${second}`, label: `and a ${second}` },
      ];
    }
    case "raiseCards": {
      const { first, second } = decision.value;
      if (first + second === 0) return [{ key: "raise:0", label: "raise nothing" }];
      const parts = [first > 0 ? `the first card by ${first}` : "", second > 0 ? `the second by ${second}` : ""];
      return [{ key: `raise:${first}:${second}`, label: `raise ${parts.filter((part) => part !== "").join(", ")}` }];
    }
    case "place": {
      const { spot, stack, share, opening } = decision.value;
      const isCentre = spot === Spot.CENTRE;
      const tile = isCentre ? "a free centre" : "an X space";
      return [
        { key: `stack:${stack}`, label: `take the ${kindName(stack)}` },
        isCentre ? { key: "centre", label: "from the centre" } : { key: "space", label: "from its space" },
        { key: `spend:${share}:${opening}`, label: [share ? "with a share tile" : "", opening ? `with ${tile} tile` : ""].filter((part) => part !== "").join(" and ") || "without a tile" },
      ];
    }
    case "replace": {
      const viewer = observation.viewerSeat ?? 0;
      const old = observation.seats[viewer]?.bridge[decision.value.slot];
      return [{ key: `slot:${decision.value.slot}`, label: `replace ${old ? buildingName(old) : "nothing"} in slot ${decision.value.slot}` }];
    }
    case "takeTile": {
      const { bonusStack } = decision.value;
      const tile = observation.bonusStacks[bonusStack]?.faceUp;
      return [{ key: `bonus:${bonusStack}`, label: `take the tile ${tile ? words(tileName(tile)) : "?"} of stack ${bonusStack}` }];
    }
    case "takeCards": {
      const counts = decision.value.cards.flatMap((count, value) => (count > 0 ? [`${count} of ${value}`] : []));
      return [{ key: `cards:${decision.value.cards.join(":")}`, label: counts.length > 0 ? `take ${counts.join(", ")}` : "take no card" }];
    }
    case "useTile":
      return [{ key: `use:${decision.value.tile}`, label: `use the tile ${words(tileName(decision.value.tile))}` }];
    case "end":
      return [{ key: "end", label: "end the turn" }];
    default:
      return [{ key: "?", label: "?" }];
  }
}
