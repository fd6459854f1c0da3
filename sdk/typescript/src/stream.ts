// One stream of a seat, and the connection below it.

import { fromBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { clientOf, limitConnecting, metadataOf } from "./connection.js";
import type { Received } from "./conversation.js";
import { PlayResponseSchema, PlayService } from "./gen/bridgemaster/v1/play_pb.js";
import type { Seating } from "./options.js";
import type { Place } from "./place.js";
import { nowMs } from "./request.js";

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

  /** Opens the stream at a server, with the Hello as its first message. */
  constructor(
    { metadata }: Seating,
    place: Place,
    hello: Uint8Array,
    receive: (what: FromServer) => void,
  ) {
    this.#client = clientOf(place);
    this.#call = this.#client.makeBidiStreamRequest(
      PLAY_PATH,
      (message: Uint8Array) => Buffer.from(message.buffer, message.byteOffset, message.byteLength),
      received,
      metadataOf(metadata),
    );
    limitConnecting(this.#client, this.#call);
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
