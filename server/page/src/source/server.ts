// The server that this page came from.

import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { LadderService } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { SeatService } from "../../gen/bridgemaster/v1/seat_service_pb.ts";
import { MatchService } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { readPositions } from "./delimited.ts";
import { fetchOnce } from "./early.ts";
import { keyHeaders } from "./key.ts";
import { Pauses } from "./pauses.ts";
import { refusalOf } from "./refusal.ts";

const withKey: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(keyHeaders())) request.header.set(name, value);
  return next(request);
};

/** How often a call is tried while one server of a cluster takes over from another, which takes up to
 * ten seconds, and the longest pause between two tries, in ms. */
const MOST_TRIES = 7;
const LONGEST_PAUSE_MS = 4_000;

/** Tries calls again while another server of the cluster takes over. Streams are opened again by those
 * who read them. */
const again: Interceptor = (next) => async (request) => {
  const pauses = new Pauses(LONGEST_PAUSE_MS);
  for (let left = MOST_TRIES - 1; ; left--) {
    try {
      return await next(request);
    } catch (error) {
      if (request.stream || left === 0 || refusalOf(error).reason !== "NODE_SUPERSEDED") throw error;
    }
    await pauses.pass();
  }
};

const transport = () => createGrpcWebTransport({ baseUrl: location.origin, interceptors: [again, withKey], fetch: fetchOnce });

export const matches = () => createClient(MatchService, transport());
export const ladders = () => createClient(LadderService, transport());
export const seats = () => createClient(SeatService, transport());

/** Has the server verify a replay file and play it again. */
export async function openReplay(file: Blob) {
  const headers = { "content-type": "application/octet-stream", ...keyHeaders() };
  const response = await fetch("/open-replay", { method: "POST", body: file, headers });
  if (!response.ok) throw new Error((await response.text()).slice(0, 1000) || `the server answers ${response.status}`);
  return readPositions(new Uint8Array(await response.arrayBuffer()));
}
