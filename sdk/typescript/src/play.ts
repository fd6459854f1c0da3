// Plays one match.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Worker } from "node:worker_threads";
import type { Bot, Decide } from "./bot.js";
import { answerMessage } from "./choice.js";
import { MatchResultSchema, type MatchResult } from "./gen/bridgemaster/v1/match_pb.js";
import { PlayRequestSchema, PlayResponseSchema } from "./gen/bridgemaster/v1/play_pb.js";
import { resolveOptions, type LogLevel, type Options } from "./options.js";
import { Request } from "./request.js";
import { unpackError, type FromBot, type Task, type ToBot } from "./threads.js";

/**
 * Plays one match to its end and returns the result. `bot` is a `Bot`, or only its `decide`.
 * Several matches can be played at once.
 *
 * Rejects with a `PlayError` if the match could not be played to its end, and with any exception of
 * the bot.
 */
export async function play(bot: Bot | Decide, options: Options = {}): Promise<MatchResult> {
  const player = typeof bot === "function" ? { decide: bot } : bot;
  if (typeof player?.decide !== "function") {
    throw new TypeError("bot must be a function, or an object with a method decide");
  }
  options.signal?.throwIfAborted();
  const task: Task = resolveOptions(options, player);
  const connection = new Worker(new URL("./connection-thread.js", import.meta.url), {
    workerData: task,
  });
  const post = (message: FromBot) => connection.postMessage(message);
  const stop = () => post({ kind: "stop" });
  options.signal?.addEventListener("abort", stop);
  try {
    return await runBot(player, connection, post, options);
  } catch (error) {
    // Close the stream in order before returning to the caller.
    const exited = new Promise((resolve) => connection.once("exit", resolve));
    stop();
    if (connection.threadId !== -1) await exited;
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
}

/** Calls the methods of the bot in sequence, as the messages of the connection require. */
function runBot(
  bot: Bot,
  connection: Worker,
  post: (message: FromBot) => void,
  options: Options,
): Promise<MatchResult> {
  const log = options.log ?? warn;
  return new Promise((resolve, reject) => {
    let done = Promise.resolve();
    const next = (step: () => unknown) => {
      done = done.then(step).then(() => undefined);
      // After the first failure all later steps are skipped.
      done.catch(reject);
    };
    connection.on("error", reject);
    connection.on("exit", () => next(() => reject(new Error("the connection thread ended"))));
    connection.on("message", (message: ToBot) => {
      switch (message.kind) {
        case "decide":
          next(async () => post(await decide(bot, message)));
          break;
        case "notify":
          next(() => notify(bot, message.response));
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
          reject(unpackError(message.error));
          break;
        case "stopped":
          reject(options.signal?.reason);
          break;
      }
    });
  });
}

async function decide(bot: Bot, request: ToBot & { kind: "decide" }): Promise<FromBot> {
  const { requestKey, seat, receivedMs } = request;
  const { message } = fromBinary(PlayResponseSchema, request.response);
  if (message.case !== "decisionRequest") throw new Error(`unexpected message ${message.case}`);
  const choice = await bot.decide(new Request(message.value, seat, receivedMs));
  const answer = answerMessage(message.value.requestId, choice);
  return { kind: "answer", requestKey, answer: toBinary(PlayRequestSchema, answer) };
}

function notify(bot: Bot, response: Uint8Array): unknown {
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

/** Writes warnings to standard error. */
export function warn(level: LogLevel, line: string): void {
  if (level === "warn") console.error(`bridgemaster: ${line}`);
}
