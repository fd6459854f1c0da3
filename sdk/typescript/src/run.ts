// The main function of a bot program.

import { attend, type NewBot } from "./attend.js";
import type { Bot, Decide } from "./bot.js";
import { PlayError } from "./errors.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import { botName, shouldAttend, type Options } from "./options.js";
import { play } from "./play.js";
import { escapeText } from "./terminal.js";

/** Exit code if the match could not be played to its end. */
const FAILED = 1;

/**
 * Runs a bot program: plays a match, prints its outcome on one line, returns the result.
 *
 * The match is that of the options, or of the environment variables BRIDGEMASTER_SERVER and
 * BRIDGEMASTER_TICKET. If it cannot be played to its end, the program prints one line to standard
 * error and exits with code 1. Exceptions of the bot itself are thrown.
 */
export async function run(bot: Bot | Decide, options: Options = {}): Promise<MatchResult> {
  const name = escapeText(botName(options, typeof bot === "function" ? {} : bot));
  try {
    const result = await play(bot, options);
    const places = result.seats.map(
      ({ seat, place, score }) => `seat ${seat}: place ${place} with ${score}`,
    );
    console.log(`${name}: match ${escapeText(result.matchId)} is over; ${places.join(", ")}`);
    return result;
  } catch (error) {
    fail(name, error);
  }
}

/**
 * Runs a bot program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends the queue
 * of BRIDGEMASTER_QUEUE and plays every match offered there. `newBot` creates the bot of each
 * match. Failures are handled as in `run`.
 */
export async function runEach(newBot: NewBot, options: Options = {}): Promise<void> {
  if (!shouldAttend(options)) {
    await run(newBot(), options);
    return;
  }
  const name = escapeText(botName(options, {}));
  try {
    await attend(newBot, options);
    console.log(`${name}: left the queue`);
  } catch (error) {
    fail(name, error);
  }
}

function fail(name: string, error: unknown): never {
  if (!(error instanceof PlayError)) throw error;
  console.error(`${name}: error: ${error.message}`);
  process.exit(FAILED);
}
