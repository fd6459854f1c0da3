// A minimal bot on grpc-js alone, for the example `instant_server` of the Rust SDK. The benchmark
// in `.ci/languages` compares the package with it.

import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { PlayRequestSchema, PlayResponseSchema, PlayService } from "bridgemaster/v1/play";
import type { PlayResponse } from "bridgemaster/v1/play";

const server = (process.env["BRIDGEMASTER_SERVER"] ?? "").replace(/^http:\/\//, "");
const client = new grpc.Client(server, grpc.credentials.createInsecure());
const call = client.makeBidiStreamRequest(
  `/${PlayService.typeName}/${PlayService.method.play.name}`,
  (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  (bytes: Buffer) => fromBinary(PlayResponseSchema, bytes),
);

function send(request: MessageInitShape<typeof PlayRequestSchema>): void {
  call.write(toBinary(PlayRequestSchema, create(PlayRequestSchema, request)));
}

call.on("data", ({ message }: PlayResponse) => {
  if (message.case === "decisionRequest") {
    const { requestId, legalCount } = message.value;
    const choice = { case: "index", value: Math.floor(legalCount / 2) } as const;
    send({ message: { case: "decision", value: { requestId, choice } } });
  } else if (message.case === "matchEnded") {
    call.end();
  }
});
call.on("end", () => client.close());
send({ message: { case: "hello", value: {} } });
