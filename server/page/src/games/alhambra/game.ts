// Alhambra: The Card Game.

import type { Points } from "../../../gen/bridgemaster/games/alhambra/v1/components_pb.ts";
import { game } from "../game.ts";
import { board, status } from "./board.ts";
import { notation } from "./notation.ts";
import { steps } from "./steps.ts";

function total(points: Points | undefined): number {
  return [...(points?.a ?? []), ...(points?.b ?? []), ...(points?.c ?? [])].reduce((sum, each) => sum + each, 0);
}

export const alhambra = game("alhambra", "alhambra", {
  name: "Alhambra: The Card Game",
  pointsName: "points",
  board,
  status,
  notation,
  steps,
  toDecide: ({ phase }) => (phase.case === "turn" ? [phase.value.seat] : []),
  points: ({ seats }) => seats.map((seat) => total(seat.points)),
});
