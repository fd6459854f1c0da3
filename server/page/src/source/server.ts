// Clients of the server that delivered this page.

import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { LadderService } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { SeatService } from "../../gen/bridgemaster/v1/seat_service_pb.ts";
import { MatchService } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { ROOT } from "../address.ts";
import { readPositions } from "./delimited.ts";
import { fetchOnce } from "./early.ts";
import { keyHeaders } from "./key.ts";
import { Pauses } from "./pauses.ts";
import { reasonOf } from "./refusal.ts";

const withKey: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(keyHeaders())) request.header.set(name, value);
  return next(request);
};

/** Maximum number of attempts of a call while one server of a cluster takes over from another, which
 * takes up to ten seconds. */
const MAX_ATTEMPTS = 7;
/** Maximum pause between two attempts, in ms. */
const MAX_PAUSE_MS = 4_000;

/** Retries calls while another server of the cluster takes over. Streams are reopened by their
 * readers. */
const retryDuringTakeover: Interceptor = (next) => async (request) => {
  const pauses = new Pauses(MAX_PAUSE_MS);
  for (let left = MAX_ATTEMPTS - 1; ; left--) {
    try {
      return await next(request);
    } catch (error) {
      if (request.stream || left === 0 || reasonOf(error) !== "NODE_SUPERSEDED") throw error;
    }
    await pauses.wait();
  }
};

const transport = () => createGrpcWebTransport({ baseUrl: location.origin + ROOT, interceptors: [retryDuringTakeover, withKey], fetch: fetchOnce });

export const matches = () => createClient(MatchService, transport());
export const ladders = () => createClient(LadderService, transport());
export const seats = () => createClient(SeatService, transport());

/** Sends a replay file to the server, which verifies it, and returns its positions. */
export async function openReplay(file: Blob) {
  const headers = { "content-type": "application/octet-stream", ...keyHeaders() };
  const response = await fetch(`${ROOT}/open-replay`, { method: "POST", body: file, headers });
  if (!response.ok) throw new Error((await response.text()).slice(0, 1000) || `the server returned status ${response.status}`);
  return readPositions(new Uint8Array(await response.arrayBuffer()));
}
