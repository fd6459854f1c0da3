// The list of games.

import { alhambra } from "./alhambra/game.ts";
import { bridgesToNowhere } from "./bridges_to_nowhere/game.ts";
import { carcassonne } from "./carcassonne/game.ts";
import type { Game } from "./game.ts";
import { oldLondonBridge } from "./old_london_bridge/game.ts";

/** All games, in the order of the catalogue. */
export const GAMES: readonly Game[] = [oldLondonBridge, alhambra, bridgesToNowhere, carcassonne];

/** Returns the game of a message with one field for each game; undefined for an unknown game. */
export function gameOf(message: { game: { case?: string | undefined } } | undefined): Game | undefined {
  return GAMES.find((game) => game.entry === message?.game.case);
}
