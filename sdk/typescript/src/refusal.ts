// The refusals of docs/reference/refusals.md: names, and advice on how to handle them.

import { fromBinary, getOption } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Advice } from "./errors.js";
import { advice, RefusalAdvice, RefusalReasonSchema, type RefusalReason } from "./gen/bridgemaster/v1/refusal_pb.js";
import type { DecisionRejected } from "./gen/bridgemaster/v1/play_pb.js";
import { ErrorInfoSchema, type ErrorInfo } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "./gen/google/rpc/status_pb.js";
import { escapeText } from "./terminal.js";

const DOMAIN = "bridgemaster";
const PREFIX = "REFUSAL_REASON_";

const ADVICE = {
  [RefusalAdvice.RETRY]: "retry",
  [RefusalAdvice.FIX]: "fix",
  [RefusalAdvice.STOP]: "stop",
  [RefusalAdvice.UNSPECIFIED]: "fix",
} as const satisfies Record<RefusalAdvice, Advice>;

/**
 * Returns the advice for a reason, from its option in refusal.proto; undefined if only newer
 * servers use the reason.
 */
export function adviceOf(reason: string): Advice | undefined {
  const value = RefusalReasonSchema.values.find(({ name }) => name === PREFIX + reason);
  return value && ADVICE[getOption(value, advice)];
}

/** Returns the name of a reason, or the number of a reason that only newer servers use. */
export function reasonName(reason: RefusalReason): string {
  const value = RefusalReasonSchema.values.find(({ number }) => number === reason);
  return value?.name.slice(PREFIX.length) ?? `reason ${reason}`;
}

/** Returns the reason for a refused decision, as one line for people. */
export function rejectionText(rejected: DecisionRejected): string {
  return escapeText(`${reasonName(rejected.reason)} at "${rejected.field}": ${rejected.detail}`);
}

/** Reads the reason from the details of a status; undefined if there is none of this domain. */
export function errorInfo(statusDetails: Uint8Array): ErrorInfo | undefined {
  try {
    for (const detail of fromBinary(StatusSchema, statusDetails).details) {
      const info = anyUnpack(detail, ErrorInfoSchema);
      if (info?.domain === DOMAIN) return info;
    }
  } catch {
    // The details come from another kind of server.
  }
  return undefined;
}
