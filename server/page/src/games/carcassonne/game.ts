// Carcassonne with the Drawbridges.

import { game } from "../game.ts";
import { board, status } from "./board.ts";
import { notation } from "./notation.ts";
import { steps } from "./steps.ts";

export const carcassonne = game("carcassonne", "carcassonne", {
  name: "Carcassonne with the Drawbridges",
  pointsName: "points",
  board,
  status,
  notation,
  steps,
  toDecide({ phase, turnSeat }) {
    if (phase.case === "drawbridge") return phase.value.crossings.slice(0, 1).map(({ seat }) => seat);
    return phase.case === "over" || phase.case === undefined ? [] : [turnSeat];
  },
  points: ({ seats }) => seats.map((seat) => seat.roadPoints + seat.cityPoints + seat.monasteryPoints),
});
