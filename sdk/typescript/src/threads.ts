// Messages between the thread of the connection and the thread of the bot. Messages of the protocol
// are passed in encoded form.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  BrokenSeedCommitmentError,
  NoLegalDecisionError,
  OptionsError,
  PlayError,
  ProtocolError,
  RefusedError,
  ServerLostError,
  TlsError,
} from "./errors.js";
import { MatchResultSchema } from "./gen/bridgemaster/v1/match_pb.js";
import { DecisionRejectedSchema } from "./gen/bridgemaster/v1/play_pb.js";
import type { LogLevel, ResolvedOptions } from "./options.js";

/** The data that the thread of the connection starts with. */
export interface Task {
  readonly options: ResolvedOptions;
  /** Shared memory: the highest key of a cancelled request. */
  readonly cancelled: Int32Array;
}

/** A message from the connection to the bot. `ended`, `failed` or `stopped` is the last one. */
export type ToBot =
  | {
      readonly kind: "decide";
      readonly requestKey: number;
      readonly seat: number;
      readonly receivedMs: number;
      readonly response: Uint8Array;
    }
  | { readonly kind: "cancelled" }
  | { readonly kind: "notify"; readonly response: Uint8Array }
  | { readonly kind: "log"; readonly level: LogLevel; readonly line: string }
  | { readonly kind: "ended"; readonly result: Uint8Array }
  | { readonly kind: "failed"; readonly error: PackedError }
  | { readonly kind: "stopped" };

/** A message from the bot to the connection. */
export type FromBot =
  | { readonly kind: "answer"; readonly requestKey: number; readonly answer: Uint8Array }
  | { readonly kind: "stop" };

/** A `PlayError` in transfer to another thread, which would turn it into a plain Error. */
export interface PackedError {
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
    TlsError,
    ProtocolError,
    BrokenSeedCommitmentError,
    NoLegalDecisionError,
  }),
);

/** Packs an error for transfer to another thread. */
export function packError(error: unknown): PackedError {
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

/** Restores a packed error. */
export function unpackError({ error, name, fields, result, last }: PackedError): Error {
  const kind = KINDS.get(name);
  if (!kind) return error;
  Object.setPrototypeOf(error, kind.prototype);
  Object.assign(error, fields);
  if (result) Object.assign(error, { result: fromBinary(MatchResultSchema, result) });
  if (last) Object.assign(error, { last: fromBinary(DecisionRejectedSchema, last) });
  return error;
}
