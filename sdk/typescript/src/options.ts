// Options of a bot, from arguments, environment variables and the bot itself.

import { basename, extname } from "node:path";
import type { Bot } from "./bot.js";
import { OptionsError } from "./errors.js";
import { DEFAULT_SERVER, parseServers, type Server } from "./server.js";
import { isPrintable } from "./terminal.js";
import type { TlsFiles } from "./tls.js";

export const SERVER_VARIABLE = "BRIDGEMASTER_SERVER";
export const TICKET_VARIABLE = "BRIDGEMASTER_TICKET";
export const KEY_VARIABLE = "BRIDGEMASTER_KEY";
export const QUEUE_VARIABLE = "BRIDGEMASTER_QUEUE";
export const SLOTS_VARIABLE = "BRIDGEMASTER_SLOTS";
export const PROXY_VARIABLE = "BRIDGEMASTER_PROXY";

/** Default time to retry the first connection: a bot might start slightly before its server. */
const CONNECT_FOR_MS = 10_000;
/** Default time to resume a lost stream: three times the default reconnect time of a match. */
const RECONNECT_FOR_MS = 30_000;
/**
 * Default time to resume a lost stream while a bot attends a queue, and for each offered seat. A
 * server that is restarted, moved or repaired is often unavailable for minutes. A bot that stops
 * retrying forfeits its match, so the package leaves the decision to the reconnect time of the
 * match.
 */
const ATTEND_RECONNECT_FOR_MS = 600_000;
/** Maximum length of a bot's name and of its version; the server refuses longer ones. */
const MAX_NAME_CHARS = 64;
/** Maximum number of matches that a bot plays at once. */
const MAX_SLOTS = 64;
/** Name of the metadata entry that carries the API key of a call. */
const KEY_METADATA = "x-bridgemaster-key";

/** Severity of a log line. */
export type LogLevel = "debug" | "info" | "warn";

/**
 * The server and seat or queue to play, and how the bot introduces itself. Omitted options are
 * taken from the environment, or from the bot.
 */
export interface Options {
  /**
   * Address of the server, such as `http://127.0.0.1:50051`, `127.0.0.1:50051`, or
   * `https://host:50051`; the addresses of a cluster are separated by commas. Default:
   * `BRIDGEMASTER_SERVER`, or `http://127.0.0.1:50051`.
   */
  readonly server?: string;
  /** The join ticket of the seat. Default: `BRIDGEMASTER_TICKET`. */
  readonly ticket?: string;
  /**
   * The queue to attend instead of a ticket: the name of a contest or a ladder. Default:
   * `BRIDGEMASTER_QUEUE`.
   */
  readonly queue?: string;
  /**
   * Number of matches that an attending bot plays at once, 1 to 64. Default: `BRIDGEMASTER_SLOTS`,
   * or 1.
   */
  readonly slots?: number;
  /** The API key, for servers that require one. Default: `BRIDGEMASTER_KEY`. */
  readonly key?: string;
  /** PEM files for an `https://` address. */
  readonly tls?: TlsFiles;
  /**
   * Address of an HTTP proxy, such as `http://127.0.0.1:3128`, which connects by CONNECT. Default:
   * `BRIDGEMASTER_PROXY`, or no proxy. Other variables, such as `https_proxy`, are ignored.
   */
  readonly proxy?: string;
  /** Name of the bot; overrides the bot's own. */
  readonly name?: string;
  /** Version of the bot; overrides the bot's own. */
  readonly version?: string;
  /** Identifiers of the games that the bot plays; overrides the bot's own; empty for all. */
  readonly games?: readonly string[];
  /** Time to keep trying the first connection, in ms. Default: 10,000. */
  readonly connectForMs?: number;
  /**
   * Time to keep trying to resume a lost stream, for each loss, in ms. Default: 30,000, or 600,000
   * with a queue, for the attendance and for each seat offered there.
   */
  readonly reconnectForMs?: number;
  /** Receives log lines. Default: warnings go to standard error. */
  readonly log?: (level: LogLevel, line: string) => void;
  /** Leaves the match when aborted; `play` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Validated options of a seat or an attendance, with all defaults filled in. */
interface CommonOptions {
  /** The servers to try, in this order. */
  readonly servers: readonly Server[];
  /** The metadata of a call. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly name: string;
  readonly version: string;
  readonly connectForMs: number;
  readonly reconnectForMs: number;
}

/** Validated options of one seat. */
export interface ResolvedOptions extends CommonOptions {
  readonly games: readonly string[];
}

/** Validated options of an attendance. */
export interface ResolvedAttendOptions extends CommonOptions {
  readonly queue: string;
  readonly slots: number;
}

/** Returns whether a bot attends a queue: a queue is named, and no ticket is set. */
export function shouldAttend(options: Options): boolean {
  const ticket = options.ticket || process.env[TICKET_VARIABLE];
  return !ticket && Boolean(queueName(options));
}

/** Returns the queue that a bot attends, or in which its seat was offered. */
function queueName(options: Options): string | undefined {
  return options.queue || process.env[QUEUE_VARIABLE];
}

/**
 * Completes and validates the options of a seat. Throws an `OptionsError` if they are not valid.
 */
export function resolveOptions(options: Options, bot: Partial<Bot>): ResolvedOptions {
  const ticket = options.ticket || process.env[TICKET_VARIABLE];
  if (!ticket) {
    throw new OptionsError(
      `no ticket: set ${TICKET_VARIABLE}, or pass the option \`ticket\`; ` +
        "creating a match returns a ticket for each seat",
    );
  }
  const common = resolveCommon(options, bot);
  const authorization = `Bearer ${validateSecret(ticket, "ticket")}`;
  return {
    ...common,
    metadata: { authorization, ...common.metadata },
    games: options.games ?? bot.games ?? [],
    // The server was reachable a moment ago, so the first connection is retried for as long as a
    // lost stream.
    connectForMs: queueName(options)
      ? Math.max(common.connectForMs, common.reconnectForMs)
      : common.connectForMs,
  };
}

/** Completes and validates the options of an attendance, as `resolveOptions` does. */
export function resolveAttendOptions(options: Options): ResolvedAttendOptions {
  const queue = queueName(options);
  if (!queue) {
    throw new OptionsError(`no queue: set ${QUEUE_VARIABLE}, or pass the option \`queue\``);
  }
  const slots = options.slots ?? Number(process.env[SLOTS_VARIABLE] || 1);
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) {
    throw new OptionsError(`slots: ${slots} is out of range (1 to ${MAX_SLOTS})`);
  }
  return { ...resolveCommon(options, {}), queue, slots };
}

function resolveCommon(options: Options, bot: Partial<Bot>): CommonOptions {
  const server = options.server || process.env[SERVER_VARIABLE] || DEFAULT_SERVER;
  const key = options.key || process.env[KEY_VARIABLE];
  const reconnectForMs = queueName(options) ? ATTEND_RECONNECT_FOR_MS : RECONNECT_FOR_MS;
  return {
    servers: parseServers(server, options.tls ?? {}, options.proxy || process.env[PROXY_VARIABLE]),
    metadata: key ? { [KEY_METADATA]: validateSecret(key, "API key") } : {},
    name: validateName("name", botName(options, bot), 1),
    version: validateName("version", options.version ?? bot.version ?? "", 0),
    connectForMs: validateDuration("connectForMs", options.connectForMs ?? CONNECT_FOR_MS),
    reconnectForMs: validateDuration("reconnectForMs", options.reconnectForMs ?? reconnectForMs),
  };
}

/** Returns the name of a bot: the given one, or that of the program's file. */
export function botName(options: Options, bot: Partial<Bot>): string {
  const given = options.name ?? bot.name;
  if (given !== undefined) return given;
  const file = process.argv[1] ?? "";
  const program = basename(file, extname(file));
  return program && isPrintable(program) ? program.slice(0, MAX_NAME_CHARS) : "node-bot";
}

function validateSecret(text: string, what: string): string {
  const trimmed = text.trim();
  if (!/^[!-~]+$/.test(trimmed)) {
    throw new OptionsError(`the ${what} is not valid: it must be printable ASCII without spaces`);
  }
  return trimmed;
}

function validateName(option: string, text: string, minChars: number): string {
  const length = [...text].length;
  if (length >= minChars && length <= MAX_NAME_CHARS && isPrintable(text)) return text;
  throw new OptionsError(
    `${option}: "${text}" must have ${minChars} to ${MAX_NAME_CHARS} printable characters`,
  );
}

function validateDuration(option: string, ms: number): number {
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new OptionsError(`${option}: ${ms} is not a number of milliseconds (0 or more)`);
}
