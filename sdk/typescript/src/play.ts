// Plays one match.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Bot, Decide } from "./bot.js";
import { answerMessage } from "./choice.js";
import { OptionsError } from "./errors.js";
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
export function play(bot: Bot | Decide, options: Options = {}): Promise<MatchResult> {
  return playInSlot(bot, options, () => undefined);
}

/** Plays as `play` does, and calls `release` once the last method of the bot has returned. */
export async function playInSlot(
  bot: Bot | Decide,
  options: Options,
  release: () => void,
): Promise<MatchResult> {
  const calls: Calls = { done: Promise.resolve(), areOver: false, cancel: () => undefined };
  try {
    return await playWith(bot, options, calls);
  } finally {
    calls.areOver = true;
    calls.cancel();
    void calls.done.catch(() => undefined).then(release);
  }
}

/** The calls of the methods of a bot. */
interface Calls {
  /** Settles once all calls have returned. */
  done: Promise<void>;
  /** Set once no further method is called. */
  areOver: boolean;
  /** Cancels the current request, if any. */
  cancel: () => void;
}

async function playWith(bot: Bot | Decide, options: Options, calls: Calls): Promise<MatchResult> {
  const player = typeof bot === "function" ? { decide: bot } : bot;
  if (typeof player?.decide !== "function") {
    throw new TypeError("bot must be a function, or an object with a method decide");
  }
  options.signal?.throwIfAborted();
  const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const task: Task = { options: resolveOptions(options, player), cancelled };
  const connection = new Worker(connectionThread(import.meta.url), { workerData: task });
  const post = (message: FromBot) => connection.postMessage(message);
  const stop = () => post({ kind: "stop" });
  options.signal?.addEventListener("abort", stop);
  try {
    return await runBot(player, connection, post, options, cancelled, calls);
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

/** Returns the file of the connection's thread. Throws an `OptionsError` if a bundle lacks it. */
export function connectionThread(module: string | undefined): URL {
  const file = module ? new URL("./connection-thread.js", module) : undefined;
  if (file && existsSync(file)) return file;
  throw new OptionsError(
    "the file connection-thread.js of the package bridgemaster is missing; a bundler must not " +
      "include the package: mark it as external, for example with esbuild --external:bridgemaster",
  );
}

/** Calls the methods of the bot in sequence, as the messages of the connection require. */
function runBot(
  bot: Bot,
  connection: Worker,
  post: (message: FromBot) => void,
  options: Options,
  cancelled: Int32Array,
  calls: Calls,
): Promise<MatchResult> {
  const log = options.log ?? warn;
  return new Promise((resolve, reject) => {
    const next = (step: () => unknown) => {
      calls.done = calls.done.then(() => (calls.areOver ? undefined : step())).then(() => undefined);
      // After the first failure all later steps are skipped.
      calls.done.catch(reject);
    };
    const decide = async (message: ToBot & { kind: "decide" }) => {
      const { requestKey } = message;
      const isCancelled = () => calls.areOver || Atomics.load(cancelled, 0) >= requestKey;
      if (isCancelled()) return;
      const cancelling = new AbortController();
      calls.cancel = () => isCancelled() && cancelling.abort();
      try {
        post(await answer(bot, message, cancelling.signal, isCancelled));
      } catch (error) {
        if (!isCancelled()) throw error;
      }
    };
    connection.on("error", reject);
    connection.on("exit", () => next(() => reject(new Error("the connection thread ended"))));
    connection.on("message", (message: ToBot) => {
      switch (message.kind) {
        case "decide":
          next(() => decide(message));
          break;
        case "cancelled":
          calls.cancel();
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

async function answer(
  bot: Bot,
  request: ToBot & { kind: "decide" },
  signal: AbortSignal,
  isCancelled: () => boolean,
): Promise<FromBot> {
  const { requestKey, seat, receivedMs } = request;
  const { message } = fromBinary(PlayResponseSchema, request.response);
  if (message.case !== "decisionRequest") throw new Error(`unexpected message ${message.case}`);
  const choice = await bot.decide(
    new Request(message.value, seat, receivedMs, signal, isCancelled),
  );
  const encoded = answerMessage(message.value.requestId, choice);
  return { kind: "answer", requestKey, answer: toBinary(PlayRequestSchema, encoded) };
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
