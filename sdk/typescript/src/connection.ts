// Connections to servers.

import * as grpc from "@grpc/grpc-js";
import type { Server } from "./server.js";

/**
 * Interval of keepalive pings, and the time to wait for their answer: a vanished machine is noticed
 * within the sum of both.
 */
const KEEP_ALIVE_MS = 10_000;
/** Time limit of one connection attempt. */
const CONNECT_TIMEOUT_MS = 5_000;

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  // Bot servers usually run on the same machine or network, which the proxy of the environment
  // cannot reach.
  "grpc.enable_http_proxy": 0,
  // Without this, a new channel would inherit the backoff of the previous one.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
  "grpc.keepalive_timeout_ms": KEEP_ALIVE_MS,
};

type SurfaceCall =
  | grpc.ClientDuplexStream<Uint8Array, unknown>
  | grpc.ClientReadableStream<unknown>;

/** Creates a client; it connects with its first call. */
export function openClient(server: Server): grpc.Client {
  const { target, proxy } = server;
  if (!proxy) return new grpc.Client(target, credentials(server), CHANNEL_OPTIONS);
  return new grpc.Client(proxy, credentials(server), {
    ...CHANNEL_OPTIONS,
    "grpc.http_connect_target": `dns:${target}`,
    "grpc.default_authority": target,
  });
}

/** Cancels a call that has no connection in time. grpc-js has no such limit. */
export function limitConnectTime(client: grpc.Client, call: SurfaceCall): void {
  const timer = setTimeout(() => {
    if (client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY) return;
    const details = `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`;
    call.call?.cancelWithStatus(grpc.status.UNAVAILABLE, details);
  }, CONNECT_TIMEOUT_MS);
  call.on("status", () => clearTimeout(timer));
}

/** Converts entries to the metadata of a call. */
export function toMetadata(entries: Readonly<Record<string, string>>): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

function credentials({ tls }: Server): grpc.ChannelCredentials {
  if (!tls) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(buffer(tls.ca), buffer(tls.clientKey), buffer(tls.clientCert));
}

/** Restores a Buffer, which arrives from another thread as plain bytes. */
function buffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes) : null;
}
