// What the thread of the connection and the thread of the bot say to each other. Messages of the
// protocol travel encoded.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  BrokenSeedCommitmentError,
  NoLegalDecisionError,
  OptionsError,
  PlayError,
  ProtocolError,
  RefusedError,
  ServerLostError,
} from "./errors.js";
import { MatchResultSchema } from "./gen/bridgemaster/v1/match_pb.js";
import { DecisionRejectedSchema } from "./gen/bridgemaster/v1/play_pb.js";
import type { LogLevel, Seating } from "./options.js";

/** What the thread of the connection starts with. */
export type Task = Seating;

/** What the connection tells the bot. `ended` or `failed` is the last of it. */
export type ToBot =
  | {
      readonly kind: "ask";
      readonly askedId: number;
      readonly seat: number;
      readonly receivedMs: number;
      readonly response: Uint8Array;
    }
  | { readonly kind: "tell"; readonly response: Uint8Array }
  | { readonly kind: "log"; readonly level: LogLevel; readonly line: string }
  | { readonly kind: "ended"; readonly result: Uint8Array }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "stopped" };

/** What the bot tells the connection. */
export type FromBot =
  | { readonly kind: "answer"; readonly askedId: number; readonly answer: Uint8Array }
  | { readonly kind: "stop" };

/** A `PlayError` on its way to another thread, which would make a plain Error of it. */
export interface Failure {
  readonly error: Error;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly result: Uint8Array | undefined;
  readonly last: Uint8Array | undefined;
}

const KINDS = new Map<string, { readonly prototype: PlayError }>(
  Object.entries({
    PlayError,
    OptionsError,
    RefusedError,
    ServerLostError,
    ProtocolError,
    BrokenSeedCommitmentError,
    NoLegalDecisionError,
  }),
);

/** Packs an error. */
export function packed(error: unknown): Failure {
  const plain = error instanceof Error ? error : new Error(String(error));
  const { result, last, ...fields } = { ...plain } as Record<string, unknown>;
  return {
    error: plain,
    name: plain.name,
    fields,
    result:
      plain instanceof BrokenSeedCommitmentError && plain.result
        ? toBinary(MatchResultSchema, plain.result)
        : undefined,
    last:
      plain instanceof NoLegalDecisionError
        ? toBinary(DecisionRejectedSchema, plain.last)
        : undefined,
  };
}

/** Unpacks an error, as it was. */
export function unpacked({ error, name, fields, result, last }: Failure): Error {
  const kind = KINDS.get(name);
  if (!kind) return error;
  Object.setPrototypeOf(error, kind.prototype);
  Object.assign(error, fields);
  if (result) Object.assign(error, { result: fromBinary(MatchResultSchema, result) });
  if (last) Object.assign(error, { last: fromBinary(DecisionRejectedSchema, last) });
  return error;
}
