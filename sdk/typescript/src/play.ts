// Plays a match.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Worker } from "node:worker_threads";
import type { Bot, Decide } from "./bot.js";
import { answerMessage } from "./choice.js";
import { MatchResultSchema, type MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import { PlayRequestSchema, PlayResponseSchema } from "./gen/bridgemaster/v1/play_pb.js";
import { seating, type LogLevel, type Options } from "./options.js";
import { Request } from "./request.js";
import { unpacked, type FromBot, type Task, type ToBot } from "./threads.js";

/**
 * Plays one match to its end and returns the result. `bot` is a `Bot`, or only its `decide`. Several
 * matches may be played at once.
 *
 * Rejected with a `PlayError` when the match could not be played to its end, and with what the bot
 * throws.
 */
export async function play(bot: Bot | Decide, options: Options = {}): Promise<MatchResult> {
  const player = typeof bot === "function" ? { decide: bot } : bot;
  if (typeof player?.decide !== "function") {
    throw new TypeError("a bot is needed: a function, or an object with the method decide");
  }
  options.signal?.throwIfAborted();
  const task: Task = seating(options, player);
  const connection = new Worker(new URL("./connection-thread.js", import.meta.url), {
    workerData: task,
  });
  const tell = (message: FromBot) => connection.postMessage(message);
  const stop = () => tell({ kind: "stop" });
  options.signal?.addEventListener("abort", stop);
  try {
    return await followed(player, connection, tell, options);
  } catch (error) {
    // The stream is closed in order before the caller goes on.
    const gone = new Promise((resolve) => connection.once("exit", resolve));
    stop();
    if (connection.threadId !== -1) await gone;
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
}

/** Calls the bot one thing after the other, as the connection tells it. */
function followed(
  bot: Bot,
  connection: Worker,
  tell: (message: FromBot) => void,
  options: Options,
): Promise<MatchResult> {
  const log = options.log ?? warn;
  return new Promise((resolve, reject) => {
    let done = Promise.resolve();
    const next = (step: () => unknown) => {
      done = done.then(step).then(() => undefined);
      // The first failure is the one that counts; what waits behind it is skipped.
      done.catch(reject);
    };
    connection.on("error", reject);
    connection.on("exit", () => next(() => reject(new Error("the thread of the connection ended"))));
    connection.on("message", (message: ToBot) => {
      switch (message.kind) {
        case "ask":
          next(async () => tell(await decided(bot, message)));
          break;
        case "tell":
          next(() => hear(bot, message.response));
          break;
        case "log":
          log(message.level, message.line);
          break;
        case "ended":
          next(async () => {
            const result = fromBinary(MatchResultSchema, message.result);
            await bot.matchEnded?.(result);
            resolve(result);
          });
          break;
        case "failed":
          reject(unpacked(message.failure));
          break;
        case "stopped":
          reject(options.signal?.reason);
          break;
      }
    });
  });
}

async function decided(bot: Bot, asked: ToBot & { kind: "ask" }): Promise<FromBot> {
  const { askedId, seat, receivedMs } = asked;
  const { message } = fromBinary(PlayResponseSchema, asked.response);
  if (message.case !== "decisionRequest") throw new Error(`asked by a ${message.case}`);
  const choice = await bot.decide(new Request(message.value, seat, receivedMs));
  const answer = answerMessage(message.value.requestId, choice);
  return { kind: "answer", askedId, answer: toBinary(PlayRequestSchema, answer) };
}

function hear(bot: Bot, response: Uint8Array): unknown {
  const { message } = fromBinary(PlayResponseSchema, response);
  switch (message.case) {
    case "matchStarted":
      return bot.matchStarted?.(message.value);
    case "decisionRejected":
      return bot.decisionRejected?.(message.value);
    case "seatStatus":
      return bot.seatChanged?.(message.value);
    default:
      return undefined;
  }
}

/** Tells warnings to standard error. */
export function warn(level: LogLevel, line: string): void {
  if (level === "warn") console.error(`bridgemaster: ${line}`);
}
