// Refusals of the server, and their presentation.

import { getOption } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { advice, RefusalAdvice, RefusalReasonSchema } from "../../gen/bridgemaster/v1/refusal_pb.ts";

/** Field number of the reason in google.rpc.ErrorInfo. */
const REASON = 1;

/**
 * Returns the reason for a refusal, such as "SUPERSEDED"; empty if the error does not come from the
 * server.
 */
export function reasonOf(error: unknown): string {
  for (const detail of ConnectError.from(error).details) {
    if (!("type" in detail) || detail.type !== "google.rpc.ErrorInfo") continue;
    const reader = new BinaryReader(detail.value);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === REASON && type === WireType.LengthDelimited) return reader.string();
      reader.skip(type, field);
    }
  }
  return "";
}

/** Reasons that end with the match or its group: too long to wait for. */
const LONG_REASONS = ["MATCH_RUNNING", "GROUP_RUNNING"];
/** Codes of temporary errors without a reason. */
const TEMPORARY_CODES = [Code.Unavailable, Code.Unknown, Code.Internal, Code.ResourceExhausted];

/** An error, for visitors. */
export interface Failure {
  text: string;
  /** An API key is required. */
  needsKey: boolean;
  /** The server does not support the call: it is disabled, or the server is older. */
  isUnsupported: boolean;
  /** A retry may succeed. */
  isTemporary: boolean;
}

/** Classifies an error for visitors. */
export function failureOf(error: unknown): Failure {
  const { code, rawMessage } = ConnectError.from(error);
  const reason = reasonOf(error);
  // The message of this refusal is for bots.
  const superseded = reason === "NODE_SUPERSEDED" && "another server of the cluster is taking over from this server";
  return {
    text: superseded || rawMessage || Code[code],
    needsKey: code === Code.Unauthenticated || code === Code.PermissionDenied,
    isUnsupported: code === Code.Unimplemented,
    isTemporary: reason === "" ? TEMPORARY_CODES.includes(code) : isRetryAdvised(reason) && !LONG_REASONS.includes(reason),
  };
}

/** Returns whether the advice for a reason is to retry. */
function isRetryAdvised(reason: string): boolean {
  const value = RefusalReasonSchema.values.find(({ name }) => name === `REFUSAL_REASON_${reason}`);
  return value !== undefined && getOption(value, advice) === RefusalAdvice.RETRY;
}
