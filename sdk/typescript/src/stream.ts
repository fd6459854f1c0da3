// One stream of a seat, with its own connection.

import { fromBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { limitConnectTime, openClient, toMetadata } from "./connection.js";
import type { Received } from "./conversation.js";
import { PlayResponseSchema, PlayService } from "./gen/bridgemaster/v1/play_pb.js";
import type { ResolvedOptions } from "./options.js";
import { nowMs } from "./request.js";
import type { Server } from "./server.js";

const PLAY_PATH = `/${PlayService.typeName}/${PlayService.method.play.name}`;

/** An event of a stream; `failed` or `ended` is the last one. */
export type FromServer =
  | { readonly kind: "message"; readonly received: Received }
  | { readonly kind: "failed"; readonly error: grpc.ServiceError }
  | { readonly kind: "ended" };

/** A stream; every event is passed to a callback at once. */
export class Stream {
  readonly #client: grpc.Client;
  readonly #call: grpc.ClientDuplexStream<Uint8Array, Received>;

  /** Opens the stream and sends the Hello. */
  constructor(
    { metadata }: ResolvedOptions,
    server: Server,
    hello: Uint8Array,
    receive: (event: FromServer) => void,
  ) {
    this.#client = openClient(server);
    this.#call = this.#client.makeBidiStreamRequest(
      PLAY_PATH,
      (message: Uint8Array) => Buffer.from(message.buffer, message.byteOffset, message.byteLength),
      received,
      toMetadata(metadata),
    );
    limitConnectTime(this.#client, this.#call);
    // grpc-js reports a failure once as `error`, and a regular end by the `status` OK.
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

  /** Closes the client's half of the stream. */
  halfClose(): void {
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
  // A copy, since the whole underlying buffer would be transferred to another thread.
  const bytes = new Uint8Array(message);
  return { response: fromBinary(PlayResponseSchema, bytes), bytes, receivedMs };
}
