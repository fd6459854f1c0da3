// Bridges to Nowhere.

import { game } from "../game.ts";
import { board, status } from "./board.ts";
import { notation } from "./notation.ts";
import { scoreOf, segmentsOf } from "./segments.ts";
import { steps } from "./steps.ts";

export const bridgesToNowhere = game("bridges_to_nowhere", "bridgesToNowhere", {
  name: "Bridges to Nowhere",
  pointsName: "points of all games",
  board,
  status,
  notation,
  steps,
  toDecide({ phase, seats }) {
    if (phase.case === "draft") return [phase.value.seat];
    // Which seats have ended is secret, except for the viewer's own.
    return phase.case === "build" ? seats.flatMap((view, seat) => (view.hasEnded ? [] : [seat])) : [];
  },
  continuesIn: (now, later) => now.game === later.game,
  points({ phase, results, seats }) {
    return seats.map((view, seat) => {
      const over = results.reduce((sum, { scores }) => {
        const score = scores[seat];
        return sum + (score ? score.numbers + score.tolls + score.monuments + score.symbols + score.contract : 0);
      }, 0);
      // The structures of the last game remain on the table after its result.
      if (phase.case === "over") return over;
      const now = scoreOf(segmentsOf(view.structure));
      return over + now.numbers + now.tolls + now.monuments + now.symbols;
    });
  },
});
