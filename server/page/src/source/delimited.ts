// Messages one after the other, each with its length before it.

import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  type WatchPositionsResponse,
  WatchPositionsResponseSchema,
} from "../../gen/bridgemaster/v1/match_service_pb.ts";

/** The messages of such bytes. Bytes that are no such messages are refused by an error. */
export function readPositions(bytes: Uint8Array): WatchPositionsResponse[] {
  const reader = new BinaryReader(bytes);
  const messages: WatchPositionsResponse[] = [];
  while (reader.pos < reader.len) {
    messages.push(fromBinary(WatchPositionsResponseSchema, reader.bytes()));
  }
  return messages;
}

/** The bytes that a text in base64 stands for; blanks in it are passed over. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.replace(/\s+/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
