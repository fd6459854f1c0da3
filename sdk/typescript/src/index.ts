/**
 * Write a Bridgemaster bot in TypeScript or JavaScript. A complete bot:
 *
 *     import { run } from "bridgemaster";
 *
 *     await run((request) => Math.floor(request.legalCount / 2));
 *
 * Environment variables select the match: `BRIDGEMASTER_TICKET` is the join ticket of the seat,
 * `BRIDGEMASTER_SERVER` the address of the server, and `BRIDGEMASTER_KEY` the API key if the server
 * requires one. `play` takes `Options` instead, and returns the result of the match.
 *
 * The messages of the protocol are in `bridgemaster/v1/...` and `bridgemaster/games/...`.
 *
 * @module
 */

export { attend } from "./attend.js";
export type { NewBot } from "./attend.js";
export { RESIGN } from "./bot.js";
export type { Answer, Bot, Choice, CompleteDecision, Decide } from "./bot.js";
export { PROTOCOL_REVISION } from "./conversation.js";
export {
  BrokenSeedCommitmentError,
  NoLegalDecisionError,
  OptionsError,
  PlayError,
  ProtocolError,
  RefusedError,
  ServerLostError,
  TlsError,
} from "./errors.js";
export type { Advice } from "./errors.js";
export {
  KEY_VARIABLE,
  PROXY_VARIABLE,
  QUEUE_VARIABLE,
  SERVER_VARIABLE,
  SLOTS_VARIABLE,
  TICKET_VARIABLE,
} from "./options.js";
export type { LogLevel, Options } from "./options.js";
export { play } from "./play.js";
export { Clock, Request } from "./request.js";
export { run, runEach } from "./run.js";
export { seedCommitment } from "./seed-commitment.js";
export { DEFAULT_SERVER } from "./server.js";
export { CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE } from "./tls.js";
export type { TlsFiles } from "./tls.js";
