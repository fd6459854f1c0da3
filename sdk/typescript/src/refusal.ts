// The refusals of PROTOCOL.md: names, and advice on how to handle them.

import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { RefusalReasonSchema, type RefusalReason } from "./gen/bridgemaster/v1/refusal_pb.js";
import type { DecisionRejected } from "./gen/bridgemaster/v1/play_pb.js";
import { ErrorInfoSchema, type ErrorInfo } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "./gen/google/rpc/status_pb.js";
import { escapeText } from "./terminal.js";

const DOMAIN = "bridgemaster";
const PREFIX = "REFUSAL_REASON_";

/** The reasons marked *retry* in PROTOCOL.md. */
export const REASONS_TO_RETRY: ReadonlySet<string> = new Set([
  "HELLO_LATE",
  "SLOW_CONSUMER",
  "LIMIT_REACHED",
  "SERVER_STOPPING",
  "STORAGE_FAILED",
  "MATCH_RUNNING",
  "GROUP_RUNNING",
  "NODE_SUPERSEDED",
  "ATTENDANCE_UNKNOWN",
  "BOT_NOT_AVAILABLE",
  "KEYS_UNREADABLE",
]);

/** The reasons marked *stop* in PROTOCOL.md. */
export const REASONS_TO_STOP: ReadonlySet<string> = new Set([
  "SUPERSEDED",
  "SEAT_CLOSED",
  "MATCH_CANCELLED",
  "MATCH_ENDED",
  "OFFER_UNKNOWN",
  "LADDER_CLOSED",
  "REPLAY_FORGOTTEN",
  "DATA_DAMAGED",
]);

/** Returns whether this package knows a reason; newer servers can send other reasons. */
export function isKnownReason(reason: string): boolean {
  return RefusalReasonSchema.values.some((value) => value.name === PREFIX + reason);
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
