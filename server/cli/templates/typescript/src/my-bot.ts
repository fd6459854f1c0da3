// A bot that plays every game.

import { runEach, type Bot, type Choice, type Request } from "bridgemaster";

/** Chooses the legal decision in the middle of the list. */
class MyBot implements Bot {
  /**
   * Returns the index of a legal decision, or a complete decision.
   *
   * `request.game.case` is the name of the game, and `request.game.value` has the `observation` and
   * the `legalDecisions` of this seat. `request.clock` has the remaining time.
   */
  decide(request: Request): Choice {
    return Math.floor(request.legalCount / 2);
  }
}

// Each match has its own instance of the bot.
await runEach(() => new MyBot(), { name: "my-bot", version: "0.1" });
