// The body of a program.

import { attend, type NewBot } from "./attend.js";
import type { Bot, Decide } from "./bot.js";
import { PlayError } from "./errors.js";
import type { MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import { attends, botName, type Options } from "./options.js";
import { play } from "./play.js";
import { shown } from "./terminal.js";

/** Exit code of a bot that could not play to the end. */
const FAILED = 1;

/**
 * Is the body of a program: plays a match, says in one line how it ended, returns the result.
 *
 * The match is that of the environment variables BRIDGEMASTER_SERVER and BRIDGEMASTER_TICKET, or of
 * the options. A match that could not be played to its end ends the program with exit code 1 and one
 * line on standard error. What the bot itself throws is thrown here, so that its author sees where.
 */
export async function run(bot: Bot | Decide, options: Options = {}): Promise<MatchResult> {
  const name = shown(botName(options, typeof bot === "function" ? {} : bot));
  try {
    const result = await play(bot, options);
    const places = result.seats.map(
      ({ seat, place, score }) => `seat ${seat}: place ${place} with ${score}`,
    );
    console.log(`${name}: match ${shown(result.matchId)} is over; ${places.join(", ")}`);
    return result;
  } catch (error) {
    fail(name, error);
  }
}

/**
 * Is the body of a program that can attend: plays the match of BRIDGEMASTER_TICKET, or attends the
 * queue of BRIDGEMASTER_QUEUE and plays what it is offered there. `newBot` makes the bot of each
 * match. Ends as `run` does.
 */
export async function runEach(newBot: NewBot, options: Options = {}): Promise<void> {
  if (!attends(options)) {
    await run(newBot(), options);
    return;
  }
  const name = shown(botName(options, {}));
  try {
    await attend(newBot, options);
    console.log(`${name}: the queue is left`);
  } catch (error) {
    fail(name, error);
  }
}

function fail(name: string, error: unknown): never {
  if (!(error instanceof PlayError)) throw error;
  console.error(`${name}: error: ${error.message}`);
  process.exit(FAILED);
}
