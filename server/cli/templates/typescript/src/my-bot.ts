// A bot that plays every game.

import { runEach, type Bot, type Choice, type Request } from "bridgemaster";

/** Takes the legal decision in the middle of the list. */
class MyBot implements Bot {
  /**
   * Answers a request: with a position in the list of legal decisions, or with a decision in full.
   *
   * The request has all that there is to know. `request.game.case` names the game, and
   * `request.game.value` has what this seat sees (`observation`) and may do (`legalDecisions`).
   * `request.clock` tells the time that is left.
   */
  decide(request: Request): Choice {
    return Math.floor(request.legalCount / 2);
  }
}

// Each match gets a bot of its own.
await runEach(() => new MyBot(), { name: "my-bot", version: "0.1" });
