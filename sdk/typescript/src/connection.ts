// The connection to a server.

import * as grpc from "@grpc/grpc-js";
import type { PemFiles } from "./tls.js";

/**
 * Silence after which the transport checks that the server is still there, and the time that it has
 * to show so: a machine that vanished is noticed within the sum.
 */
const KEEP_ALIVE_MS = 10_000;

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  // A server on the own machine or network is not reached through the proxy of the browser.
  "grpc.enable_http_proxy": 0,
  // Without this a new channel would wait for the back-off of the one before it.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
  "grpc.keepalive_timeout_ms": KEEP_ALIVE_MS,
};

/** A server, and what is shown to it. */
export interface Server {
  /** The server as gRPC dials it: host and port. */
  readonly target: string;
  /** Undefined for a server that is reached without TLS. */
  readonly tls: PemFiles | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Prepares a connection, which is made with the first call. */
export function clientOf(server: Server): grpc.Client {
  return new grpc.Client(server.target, credentials(server), CHANNEL_OPTIONS);
}

/** The metadata of a call. */
export function metadataOf(server: Server): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(server.metadata)) metadata.set(name, value);
  return metadata;
}

function credentials({ tls }: Server): grpc.ChannelCredentials {
  if (!tls) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(buffer(tls.ca), buffer(tls.clientKey), buffer(tls.clientCert));
}

/** What another thread sends as a Buffer arrives as plain bytes. */
function buffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes) : null;
}
