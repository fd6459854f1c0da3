// Decodes a sequence of length-delimited messages.

import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  type WatchPositionsResponse,
  WatchPositionsResponseSchema,
} from "../../gen/bridgemaster/v1/match_service_pb.ts";

/** Decodes length-delimited messages. Throws an error if the bytes are not valid. */
export function readPositions(bytes: Uint8Array): WatchPositionsResponse[] {
  const reader = new BinaryReader(bytes);
  const messages: WatchPositionsResponse[] = [];
  while (reader.pos < reader.len) {
    messages.push(fromBinary(WatchPositionsResponseSchema, reader.bytes()));
  }
  return messages;
}

/** Decodes base64, ignoring white space. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.replace(/\s+/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
