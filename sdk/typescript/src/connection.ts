// The connection to a server.

import * as grpc from "@grpc/grpc-js";
import type { Place } from "./place.js";

/**
 * Silence after which the transport checks that the server is still there, and the time that it has
 * to show so: a machine that vanished is noticed within the sum.
 */
const KEEP_ALIVE_MS = 10_000;
/** Time for one attempt to reach a server: another one may be there. */
const CONNECT_TIMEOUT_MS = 5_000;

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  // A server on the own machine or network is not reached through the proxy of the browser.
  "grpc.enable_http_proxy": 0,
  // Without this a new channel would wait for the back-off of the one before it.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
  "grpc.keepalive_timeout_ms": KEEP_ALIVE_MS,
};

type SurfaceCall =
  | grpc.ClientDuplexStream<Uint8Array, unknown>
  | grpc.ClientReadableStream<unknown>;

/** Prepares a connection, which is made with the first call. */
export function clientOf(place: Place): grpc.Client {
  return new grpc.Client(place.target, credentials(place), CHANNEL_OPTIONS);
}

/** Ends a call that has no connection in time. grpc-js would wait for as long as the system does. */
export function limitConnecting(client: grpc.Client, call: SurfaceCall): void {
  const timer = setTimeout(() => {
    if (client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY) return;
    const why = `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`;
    call.call?.cancelWithStatus(grpc.status.UNAVAILABLE, why);
  }, CONNECT_TIMEOUT_MS);
  call.on("status", () => clearTimeout(timer));
}

/** The metadata of a call. */
export function metadataOf(entries: Readonly<Record<string, string>>): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

function credentials({ tls }: Place): grpc.ChannelCredentials {
  if (!tls) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(buffer(tls.ca), buffer(tls.clientKey), buffer(tls.clientCert));
}

/** What another thread sends as a Buffer arrives as plain bytes. */
function buffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes) : null;
}
