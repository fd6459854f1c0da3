// A bot for every game that computes a value for each legal decision and answers with the best.

import { runEach, type Choice, type Request } from "bridgemaster";
import { Segment } from "bridgemaster/games/carcassonne/v1/components";
import type { Decision as Alhambra } from "bridgemaster/games/alhambra/v1/decision";
import type { Observation as AlhambraView } from "bridgemaster/games/alhambra/v1/observation";
import type { Decision as BridgesToNowhere } from "bridgemaster/games/bridges_to_nowhere/v1/decision";
import type { Observation as BridgesView } from "bridgemaster/games/bridges_to_nowhere/v1/observation";
import type { Decision as Carcassonne } from "bridgemaster/games/carcassonne/v1/decision";
import type { Observation as CarcassonneView } from "bridgemaster/games/carcassonne/v1/observation";
import type { Decision as OldLondonBridge } from "bridgemaster/games/old_london_bridge/v1/decision";

/** The round in which pillars are placed. Earlier pillars would only stop runs from growing. */
const LAST_ROUND = 3;
/** Number of meeples reserved for cities and monasteries. */
const RESERVE = 2;

function decide({ game, legalCount }: Request): Choice {
  switch (game.case) {
    case "oldLondonBridge":
      return best(game.value.legalDecisions, valueInOldLondonBridge);
    case "alhambra": {
      const view = game.value.observation;
      return best(game.value.legalDecisions, (decision) => valueInAlhambra(decision, view));
    }
    case "bridgesToNowhere": {
      const view = game.value.observation;
      return best(game.value.legalDecisions, (decision) => valueInBridges(decision, view));
    }
    case "carcassonne": {
      const view = game.value.observation;
      return best(game.value.legalDecisions, (decision) => valueInCarcassonne(decision, view));
    }
    default:
      // The game is unknown to this program. An index is a valid answer in every game.
      return Math.floor(Math.random() * legalCount);
  }
}

/** Returns a decision with the highest value; ties are broken at random. */
function best<Decision>(legal: readonly Decision[], value: (decision: Decision) => number): Decision {
  const values = legal.map(value);
  const highest = values.reduce((one, other) => Math.max(one, other));
  const equals = legal.filter((_, index) => values[index] === highest);
  const chosen = equals[Math.floor(Math.random() * equals.length)];
  if (chosen === undefined) throw new Error("a request has at least one legal decision");
  return chosen;
}

/** Prefers placements in the centre, and uses tiles before it ends the turn. */
function valueInOldLondonBridge({ decision }: OldLondonBridge): number {
  switch (decision.case) {
    case "end":
      return -1;
    case "takeCards":
      return sum(decision.value.cards);
    case "place":
      return decision.value.spot + (decision.value.share ? 1 : 0);
    default:
      return 0;
  }
}

/** Prefers exact purchases by price, and otherwise takes the most money. */
function valueInAlhambra({ decision }: Alhambra, view: AlhambraView | undefined): number {
  if (decision.case === "take") return sum(decision.value.cards.map((card) => card.value));
  if (decision.case !== "buy" || decision.value.give) return 0;
  const { yard } = view ?? {};
  const slots = [undefined, yard?.blue, yard?.green, yard?.orange, yard?.yellow];
  const price = slots[decision.value.slot]?.price ?? 0;
  const excess = sum(decision.value.payment) - price;
  return price + (excess === 0 ? 10 : -2 * excess);
}

/** Prefers high numbers, and builds them on high levels. */
function valueInBridges({ decision }: BridgesToNowhere, view: BridgesView | undefined): number {
  if (decision.case === "take") {
    const { card } = decision.value;
    return card.case === "bridgeCard" ? card.value.number : 1;
  }
  if (decision.case !== "place") return 0;
  const { piece, level } = decision.value;
  if (piece.case === "bridgeCard") return level * piece.value.number;
  return piece.case === "pillar" && view?.round !== LAST_ROUND ? -1 : 1;
}

/** Prefers cells with many neighbours, and segments that score for a meeple. */
function valueInCarcassonne({ decision }: Carcassonne, view: CarcassonneView | undefined): number {
  if (!view) return 0;
  if (decision.case === "place") {
    const { x, y } = decision.value;
    const around = view.tiles.filter((tile) => Math.abs(tile.x - x) <= 1 && Math.abs(tile.y - y) <= 1);
    return around.length;
  }
  if (decision.case !== "meeple" || decision.value.choice.case !== "segment") return 0;
  const supply = view.seats[view.viewerSeat ?? 0]?.supply ?? 0;
  const value = valueOfSegment(decision.value.choice.value);
  return value > (supply > RESERVE ? 0 : 1) ? value : -1;
}

/**
 * Returns the value of a segment for a meeple. Fields are worth least, because a meeple on a field
 * stays to the end of the match.
 */
function valueOfSegment(segment: Segment): number {
  if (segment === Segment.MONASTERY) return 3;
  if (segment >= Segment.CITY_NORTH && segment <= Segment.CITY_WEST) return 2;
  return segment <= Segment.ROAD_WEST ? 1 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

await runEach(() => decide, { name: "typescript-sample", version: "1" });
