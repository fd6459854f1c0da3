// The server that this page came from.

import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { LadderService } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { SeatService } from "../../gen/bridgemaster/v1/seat_service_pb.ts";
import { MatchService } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { readPositions } from "./delimited.ts";

/** Where the API key is kept: as long as the tab is open, and never in the address. */
const KEY = "bridgemaster-api-key";
/** What it is sent as. */
const KEY_HEADER = "x-bridgemaster-key";

const withKey: Interceptor = (next) => (request) => {
  const key = sessionStorage.getItem(KEY);
  if (key) request.header.set(KEY_HEADER, key);
  return next(request);
};

const transport = () => createGrpcWebTransport({ baseUrl: location.origin, interceptors: [withKey] });

export const matches = () => createClient(MatchService, transport());
export const ladders = () => createClient(LadderService, transport());
export const seats = () => createClient(SeatService, transport());

/** Keeps the API key that calls are made with; an empty one forgets it. */
export function keepKey(key: string): void {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** The reason of a refusal, such as "SUPERSEDED"; empty when the error is none of the server's. */
export function reasonOf(error: unknown): string {
  for (const detail of ConnectError.from(error).details) {
    // google.rpc.ErrorInfo: its first field is the reason, shorter than 128 bytes.
    if (!("type" in detail) || detail.type !== "google.rpc.ErrorInfo") continue;
    const [tag, length = 0] = detail.value;
    if (tag === 0x0a) return new TextDecoder().decode(detail.value.subarray(2, 2 + length));
  }
  return "";
}

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

/** What an error means. */
export function troubleOf(error: unknown): Trouble {
  const { code, rawMessage } = ConnectError.from(error);
  return {
    text: rawMessage || Code[code],
    needsKey: code === Code.Unauthenticated || code === Code.PermissionDenied,
    isUnsupported: code === Code.Unimplemented,
    mayPass: code === Code.Unavailable || code === Code.Unknown || code === Code.Internal || code === Code.ResourceExhausted,
  };
}

/** Has the server verify a replay file and play it again. */
export async function openReplay(file: Blob) {
  const headers: Record<string, string> = { "content-type": "application/octet-stream" };
  const key = sessionStorage.getItem(KEY);
  if (key) headers[KEY_HEADER] = key;
  const response = await fetch("/open-replay", { method: "POST", body: file, headers });
  if (!response.ok) throw new Error((await response.text()).slice(0, 1000) || `the server answers ${response.status}`);
  return readPositions(new Uint8Array(await response.arrayBuffer()));
}
