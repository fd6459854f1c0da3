// One stream of a seat, and the connection below it.

import { fromBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import type { Received } from "./conversation.js";
import { PlayResponseSchema, PlayService } from "./gen/bridgemaster/v1/play_pb.js";
import type { Seating } from "./options.js";
import { nowMs } from "./request.js";

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

const PLAY_PATH = `/${PlayService.typeName}/${PlayService.method.play.name}`;

/** What comes on a stream; `failed` or `ended` is the last of it. */
export type FromServer =
  | { readonly kind: "message"; readonly received: Received }
  | { readonly kind: "failed"; readonly error: grpc.ServiceError }
  | { readonly kind: "ended" };

/** A stream; whatever comes on it is handed to `receive` at once. */
export class Stream {
  readonly #client: grpc.Client;
  readonly #call: grpc.ClientDuplexStream<Uint8Array, Received>;

  /** Opens the stream, with the Hello as its first message. */
  constructor(seating: Seating, hello: Uint8Array, receive: (what: FromServer) => void) {
    this.#client = new grpc.Client(seating.target, credentials(seating), CHANNEL_OPTIONS);
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(seating.metadata)) metadata.set(name, value);
    this.#call = this.#client.makeBidiStreamRequest(
      PLAY_PATH,
      (message: Uint8Array) => Buffer.from(message.buffer, message.byteOffset, message.byteLength),
      received,
      metadata,
    );
    // grpc-js reports a failure once as `error`, and an end in order by the `status` OK.
    this.#call.on("data", (received: Received) => receive({ kind: "message", received }));
    this.#call.on("error", (error: grpc.ServiceError) => receive({ kind: "failed", error }));
    this.#call.on("status", ({ code }: grpc.StatusObject) => {
      if (code === grpc.status.OK) receive({ kind: "ended" });
    });
    this.#call.write(hello);
  }

  /** Sends an encoded PlayRequest. */
  send(message: Uint8Array): void {
    this.#call.write(message);
  }

  /** Closes our half. */
  end(): void {
    this.#call.end();
  }

  /** Closes the connection. */
  close(): void {
    this.#call.cancel();
    this.#client.close();
  }
}

function received(message: Buffer): Received {
  const receivedMs = nowMs();
  // A copy: what is handed to another thread takes the whole memory below it along.
  const bytes = new Uint8Array(message);
  return { response: fromBinary(PlayResponseSchema, bytes), bytes, receivedMs };
}

function credentials({ tls }: Seating): grpc.ChannelCredentials {
  if (!tls) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(buffer(tls.ca), buffer(tls.clientKey), buffer(tls.clientCert));
}

/** What another thread sends as a Buffer arrives as plain bytes. */
function buffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes ? Buffer.from(bytes) : null;
}
