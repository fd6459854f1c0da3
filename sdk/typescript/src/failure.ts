// Classifies gRPC failures.

import * as grpc from "@grpc/grpc-js";
import { RefusedError, type Advice, type PlayError } from "./errors.js";
import { adviceOf, errorInfo } from "./refusal.js";
import { escapeText } from "./terminal.js";

/** Codes of temporary failures, for a reason that only newer servers use. */
const CODES_TO_RETRY: ReadonlySet<grpc.status> = new Set([
  grpc.status.UNAVAILABLE,
  grpc.status.UNKNOWN,
  grpc.status.INTERNAL,
  grpc.status.CANCELLED,
  grpc.status.ABORTED,
  grpc.status.DEADLINE_EXCEEDED,
  grpc.status.RESOURCE_EXHAUSTED,
]);

/** A stream ended before the match did; a retry might help. */
export class StreamLost extends Error {
  constructor(
    message: string,
    readonly reason?: string,
  ) {
    super(escapeText(message));
  }
}

/** Classifies a gRPC failure: `StreamLost` if a retry might help, otherwise another error. */
export function errorFromRpc({ code, details, metadata }: grpc.ServiceError): StreamLost | PlayError {
  const name = grpc.status[code];
  const message = details || name;
  const [trailer] = metadata?.get("grpc-status-details-bin") ?? [];
  const info = trailer instanceof Uint8Array ? errorInfo(trailer) : undefined;
  if (!info) {
    // The status comes from the transport or from an intermediary, such as a proxy.
    const origin = CODES_TO_RETRY.has(code)
      ? ""
      : " (not an answer of a Bridgemaster server; check the address and proxies)";
    return new StreamLost(`${name}: ${message}${origin}`);
  }
  const advice = adviceFor(info.reason, code);
  if (advice === "retry") return new StreamLost(`${info.reason}: ${message}`, info.reason);
  return new RefusedError(info.reason, message, info.metadata, advice);
}

function adviceFor(reason: string, code: grpc.status): Advice {
  return adviceOf(reason) ?? (CODES_TO_RETRY.has(code) ? "retry" : "fix");
}
