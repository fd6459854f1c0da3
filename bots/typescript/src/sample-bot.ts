// A bot that plays every game: it gives each legal decision a value and answers the best in full.

import { runEach, type Choice, type Request } from "bridgemaster";
import { Segment } from "bridgemaster/games/carcassonne/v1/components";
import type { Decision as Alhambra } from "bridgemaster/games/alhambra/v1/decision";
import type { Observation as AlhambraView } from "bridgemaster/games/alhambra/v1/observation";
import type { Decision as BridgesToNowhere } from "bridgemaster/games/bridges_to_nowhere/v1/decision";
import type { Observation as BridgesView } from "bridgemaster/games/bridges_to_nowhere/v1/observation";
import type { Decision as Carcassonne } from "bridgemaster/games/carcassonne/v1/decision";
import type { Observation as CarcassonneView } from "bridgemaster/games/carcassonne/v1/observation";
import type { Decision as OldLondonBridge } from "bridgemaster/games/old_london_bridge/v1/decision";

/** In the last of three rounds the pillars are placed: earlier they stop runs from growing. */
const LAST_ROUND = 3;
/** Meeples that are kept for cities and monasteries. */
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
      // A game of a newer server: an index works without knowing it.
      return Math.floor(Math.random() * legalCount);
  }
}

/** A decision of the highest value, by chance among equals. */
function best<Decision>(legal: readonly Decision[], value: (decision: Decision) => number): Decision {
  const values = legal.map(value);
  const highest = values.reduce((one, other) => Math.max(one, other));
  const equals = legal.filter((_, index) => values[index] === highest);
  const chosen = equals[Math.floor(Math.random() * equals.length)];
  if (chosen === undefined) throw new Error("no request is without a legal decision");
  return chosen;
}

/** Uses what it has before it ends its turn, and likes the centre. */
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

/** Buys at exact prices, the dearest first; else takes the most money. */
function valueInAlhambra({ decision }: Alhambra, view: AlhambraView | undefined): number {
  if (decision.case === "take") return sum(decision.value.cards.map((card) => card.value));
  if (decision.case !== "buy" || decision.value.give) return 0;
  const { yard } = view ?? {};
  const slots = [undefined, yard?.blue, yard?.green, yard?.orange, yard?.yellow];
  const price = slots[decision.value.slot]?.price ?? 0;
  const tooMuch = sum(decision.value.payment) - price;
  return price + (tooMuch === 0 ? 10 : -2 * tooMuch);
}

/** Drafts high numbers and builds them high up. */
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

/** Lays tiles where many lie around, and places meeples where they pay. */
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

/** On a field a meeple would stay to the end. */
function valueOfSegment(segment: Segment): number {
  if (segment === Segment.MONASTERY) return 3;
  if (segment >= Segment.CITY_NORTH && segment <= Segment.CITY_WEST) return 2;
  return segment <= Segment.ROAD_WEST ? 1 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

await runEach(() => decide, { name: "typescript-sample", version: "1" });
