// Encodes refusals over gRPC-Web: trailers with the reason in the error details.

import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** gRPC status codes. */
export const NOT_FOUND = 5;
export const FAILED_PRECONDITION = 9;
export const UNIMPLEMENTED = 12;
export const INTERNAL = 13;
export const UNAVAILABLE = 14;
export const DATA_LOSS = 15;
export const UNAUTHENTICATED = 16;

/** Ends a call with this gRPC status. */
export class Refused extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** The reason, such as "NODE_SUPERSEDED"; empty for errors that the server did not create. */
    readonly reason = "",
  ) {
    super(message);
  }
}

type Field = readonly [number: number, value: string | Uint8Array];

/** Encodes a message with these fields. */
function message(...fields: Field[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    writer.tag(number, WireType.LengthDelimited);
    if (typeof value === "string") writer.string(value);
    else writer.bytes(value);
  }
  return writer.finish();
}

/** Encodes google.rpc.Status with google.rpc.ErrorInfo, as base64 for the trailer. */
function details({ code, message: text, reason }: Refused): string {
  const info = message([1, reason], [2, "bridgemaster"]);
  const any = message([1, "type.googleapis.com/google.rpc.ErrorInfo"], [2, info]);
  const status = new BinaryWriter().tag(1, WireType.Varint).int32(code).finish();
  return Buffer.concat([status, message([2, text], [3, any])]).toString("base64");
}

/** Encodes a gRPC-Web frame. */
export function frame(flag: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Encodes the last frame of a call: the refusal, or status 0 without one. */
export function trailers(refused?: Refused): Buffer {
  const text = encodeURIComponent(refused?.message ?? "");
  const reason = refused?.reason ? `grpc-status-details-bin: ${details(refused)}\r\n` : "";
  return frame(0x80, Buffer.from(`grpc-status: ${refused?.code ?? 0}\r\ngrpc-message: ${text}\r\n${reason}`));
}
