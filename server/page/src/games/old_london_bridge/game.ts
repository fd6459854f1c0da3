// Old London Bridge.

import { game } from "../game.ts";
import { board, status } from "./board.ts";
import { notation } from "./notation.ts";
import { steps } from "./steps.ts";

export const oldLondonBridge = game("old_london_bridge", "oldLondonBridge", {
  name: "Old London Bridge",
  pointsName: "pounds",
  board,
  status,
  notation,
  steps,
  toDecide({ phase, turns, seats }) {
    switch (phase.case) {
      case "takeA2":
      case "raiseCards":
        return [phase.value.seat];
      case "chooseCards":
        return seats.flatMap((view, seat) => (view.hasChosen ? [] : [seat]));
      case "turn": {
        const seat = turns[phase.value.turn]?.seat;
        return seat === undefined ? [] : [seat];
      }
      default:
        return [];
    }
  },
  points: ({ seats }) => seats.map((seat) => seat.money),
});
