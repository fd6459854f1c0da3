// Refusals of the server, and their presentation.

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** A refusal of the server. */
export interface Refusal {
  /** The reason, such as "SUPERSEDED"; empty if the error does not come from the server. */
  reason: string;
  metadata: ReadonlyMap<string, string>;
}

/** Field numbers of google.rpc.ErrorInfo, and of an entry of its metadata. */
const REASON = 1;
const METADATA = 3;
const [NAME, VALUE] = [1, 2];

/** Calls `found` for each length-delimited field of a message. */
function eachField(bytes: Uint8Array, found: (field: number, value: Uint8Array) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) found(field, reader.bytes());
    else reader.skip(type, field);
  }
}

/** Reads the refusal from an error. */
export function refusalOf(error: unknown): Refusal {
  const metadata = new Map<string, string>();
  let reason = "";
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  for (const detail of ConnectError.from(error).details) {
    if (!("type" in detail) || detail.type !== "google.rpc.ErrorInfo") continue;
    eachField(detail.value, (field, value) => {
      if (field === REASON) reason = text(value);
      if (field !== METADATA) return;
      const entry = ["", ""];
      eachField(value, (part, bytes) => {
        if (part === NAME || part === VALUE) entry[part - 1] = text(bytes);
      });
      metadata.set(entry[0] ?? "", entry[1] ?? "");
    });
  }
  return { reason, metadata };
}

/** Reasons of temporary refusals. */
const TEMPORARY_REASONS = ["SERVER_STOPPING", "LIMIT_REACHED", "SLOW_CONSUMER", "STORAGE_FAILED", "KEYS_UNREADABLE", "NODE_SUPERSEDED"];
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

/** Returns a text for a refusal whose own message does not help visitors. */
function textFor({ reason, metadata }: Refusal): string | undefined {
  switch (reason) {
    case "MOVED":
      // The address is the one for bots; the address of that server's page is not known.
      return `This content is on another server of the cluster, at ${metadata.get("address") || "an unknown address"}. Open the page of that server.`;
    case "NODE_SUPERSEDED":
      return "another server of the cluster is taking over from this server";
    default:
      return undefined;
  }
}

/** Classifies an error for visitors. */
export function failureOf(error: unknown): Failure {
  const { code, rawMessage } = ConnectError.from(error);
  const refusal = refusalOf(error);
  return {
    text: textFor(refusal) ?? (rawMessage || Code[code]),
    needsKey: code === Code.Unauthenticated || code === Code.PermissionDenied,
    isUnsupported: code === Code.Unimplemented,
    isTemporary: refusal.reason === "" ? TEMPORARY_CODES.includes(code) : TEMPORARY_REASONS.includes(refusal.reason),
  };
}
