// The steps in which a player chooses a decision of Carcassonne.

import { html } from "lit-html";
import type { Config } from "../../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";
import type { Decision } from "../../../gen/bridgemaster/games/carcassonne/v1/decision_pb.ts";
import { Edge, Segment } from "../../../gen/bridgemaster/games/carcassonne/v1/components_pb.ts";
import type { Observation } from "../../../gen/bridgemaster/games/carcassonne/v1/observation_pb.ts";
import type { Step } from "../../play/picking.ts";
import { tileOf } from "./shape.ts";
import { drawTile } from "./tile.ts";

const TURNS = ["as it was drawn", "turned right", "turned around", "turned left"];

/** Renders the tile in a rotation. */
function lying(config: Config | undefined, { phase }: Observation, rotation: number): Partial<Step> {
  const tile = phase.case === "placeTile" ? tileOf(config, phase.value.tile) : undefined;
  return tile ? { picture: html`<svg viewBox="0 0 100 100" aria-hidden="true">${drawTile(tile, rotation)}</svg>` } : {};
}

/** Formats a segment: "road in the north", "field in the north, left". */
function segmentWords(segment: Segment): string {
  const [kind = "?", edge, half] = (Segment[segment] ?? "?").toLowerCase().split("_");
  return `${kind}${edge ? ` in the ${edge}` : ""}${half ? `, ${half}` : ""}`;
}

/** Returns the steps of a decision. */
export function steps({ decision }: Decision, observation: Observation, config: Config | undefined): Step[] {
  switch (decision.case) {
    case "place": {
      const { x, y, rotation } = decision.value;
      return [
        { key: `cell:${x}:${y}`, label: `place it at (${x}, ${y})` },
        { key: `turn:${rotation}`, label: TURNS[rotation] ?? "?", ...lying(config, observation, rotation) },
      ];
    }
    case "meeple": {
      const { choice } = decision.value;
      return choice.case === "segment"
        ? [{ key: `meeple:${choice.value}`, label: `a meeple on the ${segmentWords(choice.value)}` }]
        : [{ key: "none", label: "no meeple" }];
    }
    case "drawbridge": {
      const { choice } = decision.value;
      if (choice.case !== "gate") return [{ key: "home", label: "take the meeple home" }];
      const { x, y, city } = choice.value;
      return [{ key: `gate:${x}:${y}:${city}`, label: `cross to the city in the ${(Edge[city] ?? "?").toLowerCase()} of (${x}, ${y})` }];
    }
    default:
      return [{ key: "?", label: "?" }];
  }
}
