// What the server refuses, and what that means for whoever looks at the page.

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** A refusal of the server. */
export interface Refusal {
  /** Its reason, such as "SUPERSEDED"; empty when the error is none of the server's. */
  reason: string;
  metadata: ReadonlyMap<string, string>;
}

/** The fields of google.rpc.ErrorInfo, and of an entry of its metadata. */
const REASON = 1;
const METADATA = 3;
const [NAME, VALUE] = [1, 2];

/** Calls back for each field of a message whose fields are all texts or messages. */
function eachField(bytes: Uint8Array, found: (field: number, value: Uint8Array) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) found(field, reader.bytes());
    else reader.skip(type, field);
  }
}

/** What the server refused by an error. */
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

/** The reasons that pass by themselves. */
const PASSING = ["SERVER_STOPPING", "LIMIT_REACHED", "SLOW_CONSUMER", "STORAGE_FAILED", "KEYS_UNREADABLE", "NODE_SUPERSEDED"];
/** The codes of errors that are none of the server's and may pass. */
const PASSING_CODES = [Code.Unavailable, Code.Unknown, Code.Internal, Code.ResourceExhausted];

/** What went wrong, for people. */
export interface Trouble {
  text: string;
  /** An API key would help. */
  needsKey: boolean;
  /** The server does not do this: it is turned off, or of an earlier version. */
  isUnsupported: boolean;
  /** It may work when it is tried again. */
  mayPass: boolean;
}

/** What is said of a refusal where the server's own words do not help people. */
function wordsFor({ reason, metadata }: Refusal): string | undefined {
  switch (reason) {
    case "MOVED":
      // The address is that of bots. Where the page of that server is, only its operator knows.
      return `Another server of the cluster has this: the one at ${metadata.get("address") || "an address that it does not tell"}. Open it on the page of that server.`;
    case "NODE_SUPERSEDED":
      return "another server of the cluster takes over from this one";
    default:
      return undefined;
  }
}

/** What an error means. */
export function troubleOf(error: unknown): Trouble {
  const { code, rawMessage } = ConnectError.from(error);
  const refusal = refusalOf(error);
  return {
    text: wordsFor(refusal) ?? (rawMessage || Code[code]),
    needsKey: code === Code.Unauthenticated || code === Code.PermissionDenied,
    isUnsupported: code === Code.Unimplemented,
    mayPass: refusal.reason === "" ? PASSING_CODES.includes(code) : PASSING.includes(refusal.reason),
  };
}
