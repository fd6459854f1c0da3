// The refusals of PROTOCOL.md: their names, and what to do about them.

import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { RefusalReasonSchema, type RefusalReason } from "./gen/bridgemaster/v1/refusal_pb.js";
import type { DecisionRejected } from "./gen/bridgemaster/v1/play_pb.js";
import { ErrorInfoSchema, type ErrorInfo } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "./gen/google/rpc/status_pb.js";
import { shown } from "./terminal.js";

const DOMAIN = "bridgemaster";
const PREFIX = "REFUSAL_REASON_";

/** The reasons that PROTOCOL.md marks with *retry*. */
export const REASONS_TO_RETRY: ReadonlySet<string> = new Set([
  "HELLO_LATE",
  "SLOW_CONSUMER",
  "LIMIT_REACHED",
  "SERVER_STOPPING",
  "STORAGE_FAILED",
  "MATCH_RUNNING",
  "GROUP_RUNNING",
  "MOVED",
  "NODE_SUPERSEDED",
  "ATTENDANCE_UNKNOWN",
  "BOT_NOT_AVAILABLE",
  "KEYS_UNREADABLE",
]);

/** The reasons that PROTOCOL.md marks with *stop*. */
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

/** Whether this package knows a reason; a newer server may have more. */
export function isKnownReason(reason: string): boolean {
  return RefusalReasonSchema.values.some((value) => value.name === PREFIX + reason);
}

/** The name of a reason in a message; a newer server may send one that has none here. */
export function reasonName(reason: RefusalReason): string {
  const value = RefusalReasonSchema.values.find(({ number }) => number === reason);
  return value?.name.slice(PREFIX.length) ?? `reason ${reason}`;
}

/** Why a decision was refused, for people. */
export function explanation(rejected: DecisionRejected): string {
  return shown(`${reasonName(rejected.reason)} at "${rejected.field}": ${rejected.detail}`);
}

/** The reason in the details of a status, if they hold one of this domain. */
export function errorInfo(statusDetails: Uint8Array): ErrorInfo | undefined {
  try {
    for (const detail of fromBinary(StatusSchema, statusDetails).details) {
      const info = anyUnpack(detail, ErrorInfoSchema);
      if (info?.domain === DOMAIN) return info;
    }
  } catch {
    // The details are none of ours.
  }
  return undefined;
}
