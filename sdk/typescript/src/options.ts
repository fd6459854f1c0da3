// How a bot reaches its seat, and what it says about itself.

import { basename, extname } from "node:path";
import type { Bot } from "./bot.js";
import { OptionsError } from "./errors.js";
import { DEFAULT_SERVER, placesOf, type Place } from "./place.js";
import { isPrintable } from "./terminal.js";
import type { TlsFiles } from "./tls.js";

export const SERVER_VARIABLE = "BRIDGEMASTER_SERVER";
export const TICKET_VARIABLE = "BRIDGEMASTER_TICKET";
export const KEY_VARIABLE = "BRIDGEMASTER_KEY";
export const QUEUE_VARIABLE = "BRIDGEMASTER_QUEUE";
export const SLOTS_VARIABLE = "BRIDGEMASTER_SLOTS";

/** A bot may be started a little before its server. */
const CONNECT_FOR_MS = 10_000;
/** Three times the default reconnect time of a match. */
const RECONNECT_FOR_MS = 30_000;
/**
 * For a bot that attends a queue, and for each seat that was offered there: a server that is
 * restarted, moved or repaired is often away for minutes. A bot that gives up before it is back
 * forfeits its match, and whether it is too late is for the match's own reconnect time to say.
 */
const ATTENDING_RECONNECT_FOR_MS = 600_000;
/** Longest name and version of a bot that a server takes. */
const MAX_NAME_CHARS = 64;
/** Most matches that a bot plays at once. */
const MAX_SLOTS = 64;
/** Name of the metadata entry that carries the API key of a call. */
const KEY_METADATA = "x-bridgemaster-key";

/** How much a line of the log matters. */
export type LogLevel = "debug" | "info" | "warn";

/**
 * How a bot reaches its seat, and what it says about itself. What is left out is taken from the
 * environment, or from the bot.
 */
export interface Options {
  /**
   * Address of the server, such as `http://127.0.0.1:50051`, `127.0.0.1:50051`, or
   * `https://host:50051`; those of a cluster with commas between them; `BRIDGEMASTER_SERVER`, or
   * `http://127.0.0.1:50051`.
   */
  readonly server?: string;
  /** The join ticket of the seat; `BRIDGEMASTER_TICKET`. */
  readonly ticket?: string;
  /**
   * The queue to attend instead of a ticket: the name of a contest or a ladder;
   * `BRIDGEMASTER_QUEUE`.
   */
  readonly queue?: string;
  /**
   * Matches that a bot which attends a queue plays at once, 1 to 64; `BRIDGEMASTER_SLOTS`, or 1.
   */
  readonly slots?: number;
  /** The API key, for servers that ask for one; `BRIDGEMASTER_KEY`. */
  readonly key?: string;
  /** PEM files for an `https://` address. */
  readonly tls?: TlsFiles;
  /** Name of the bot, instead of the bot's own. */
  readonly name?: string;
  /** Version of the bot, instead of the bot's own. */
  readonly version?: string;
  /** Identifiers of the games that it plays, instead of the bot's own; empty for all. */
  readonly games?: readonly string[];
  /** How long the first connection is tried for, in ms: 10,000 if not set. */
  readonly connectForMs?: number;
  /**
   * How long a lost server is looked for, each time, in ms: if not set 30,000, or with a queue
   * 600,000, for the attendance and for each seat that was offered there.
   */
  readonly reconnectForMs?: number;
  /** Where lines of the log go; warnings to standard error if not set. */
  readonly log?: (level: LogLevel, line: string) => void;
  /** Leaves the match when it is aborted; `play` is then rejected with its reason. */
  readonly signal?: AbortSignal;
}

/** Options that were checked, with all that was taken from elsewhere. */
interface Checked {
  /** The servers, in the order in which they were named. */
  readonly places: readonly Place[];
  /** The metadata of a call. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly name: string;
  readonly version: string;
  readonly connectForMs: number;
  readonly reconnectForMs: number;
}

/** What a seat needs. */
export interface Seating extends Checked {
  readonly games: readonly string[];
}

/** What an attendance needs. */
export interface Queueing extends Checked {
  readonly queue: string;
  readonly slots: number;
}

/** Whether a bot is to attend a queue: one is named, and no ticket. */
export function attends(options: Options): boolean {
  const ticket = options.ticket || process.env[TICKET_VARIABLE];
  return !ticket && Boolean(queueOf(options));
}

/** The queue that a bot attends, or in which its seat was offered. */
function queueOf(options: Options): string | undefined {
  return options.queue || process.env[QUEUE_VARIABLE];
}

/** Checks the options and completes them. Throws an `OptionsError` for what cannot be used. */
export function seating(options: Options, bot: Partial<Bot>): Seating {
  const ticket = options.ticket || process.env[TICKET_VARIABLE];
  if (!ticket) {
    throw new OptionsError(
      `no ticket: set ${TICKET_VARIABLE}, or give the option \`ticket\`; ` +
        "creating a match returns one for each seat",
    );
  }
  const own = checked(options, bot);
  const authorization = `Bearer ${secret(ticket, "ticket")}`;
  return {
    ...own,
    metadata: { authorization, ...own.metadata },
    games: options.games ?? bot.games ?? [],
    // The server that offered a seat was there a moment ago: one that is not reached is lost.
    connectForMs: queueOf(options)
      ? Math.max(own.connectForMs, own.reconnectForMs)
      : own.connectForMs,
  };
}

/** Checks the options of an attendance and completes them, as `seating` does. */
export function queueing(options: Options): Queueing {
  const queue = queueOf(options);
  if (!queue) {
    throw new OptionsError(`no queue: set ${QUEUE_VARIABLE}, or give the option \`queue\``);
  }
  const slots = options.slots ?? Number(process.env[SLOTS_VARIABLE] || 1);
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) {
    throw new OptionsError(`a bot plays 1 to ${MAX_SLOTS} matches at once, not ${slots}`);
  }
  return { ...checked(options, {}), queue, slots };
}

function checked(options: Options, bot: Partial<Bot>): Checked {
  const server = options.server || process.env[SERVER_VARIABLE] || DEFAULT_SERVER;
  const key = options.key || process.env[KEY_VARIABLE];
  const reconnectForMs = queueOf(options) ? ATTENDING_RECONNECT_FOR_MS : RECONNECT_FOR_MS;
  return {
    places: placesOf(server, options.tls ?? {}),
    metadata: key ? { [KEY_METADATA]: secret(key, "API key") } : {},
    name: checkedName("name", botName(options, bot), 1),
    version: checkedName("version", options.version ?? bot.version ?? "", 0),
    connectForMs: duration("connectForMs", options.connectForMs ?? CONNECT_FOR_MS),
    reconnectForMs: duration("reconnectForMs", options.reconnectForMs ?? reconnectForMs),
  };
}

/** The name of a bot: one that was given, or that of the program's file. */
export function botName(options: Options, bot: Partial<Bot>): string {
  const given = options.name ?? bot.name;
  if (given !== undefined) return given;
  const file = process.argv[1] ?? "";
  const program = basename(file, extname(file));
  return program && isPrintable(program) ? program.slice(0, MAX_NAME_CHARS) : "node-bot";
}

function secret(text: string, what: string): string {
  const trimmed = text.trim();
  if (!/^[!-~]+$/.test(trimmed)) {
    throw new OptionsError(`the ${what} has characters that none has: copy it again`);
  }
  return trimmed;
}

function checkedName(what: string, text: string, least: number): string {
  const length = [...text].length;
  if (length >= least && length <= MAX_NAME_CHARS && isPrintable(text)) return text;
  throw new OptionsError(
    `the bot's ${what} "${text}" must have ${least} to ${MAX_NAME_CHARS} printable characters`,
  );
}

function duration(what: string, ms: number): number {
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new OptionsError(`${what} is a number of ms, 0 or more, and not ${ms}`);
}
