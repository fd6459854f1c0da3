// A server on loopback whose every message is in the test's hand.

import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import {
  AttendRequestSchema,
  AttendResponseSchema,
  type AttendRequest,
} from "bridgemaster/v1/lobby_service";
import {
  PlayRequestSchema,
  PlayResponseSchema,
  type Hello,
  type PlayRequest,
} from "bridgemaster/v1/play";
import { ErrorInfoSchema } from "../dist/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../dist/gen/google/rpc/status_pb.js";

export const MATCH_ID = "match-7";
export const SEAT = 1;
export const SEED = "london-1209";
export const SALT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
/** The commitment to SEED with SALT: the example of PROTOCOL.md. */
export const COMMITMENT = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";
export const HISTORY_ID = "00112233445566778899aabbccddeeff";
/** How long a test waits for what must happen: far more than it takes. */
export const PATIENCE_MS = 20_000;

export type Response = MessageInitShape<typeof PlayResponseSchema>;
type Call = grpc.ServerDuplexStream<PlayRequest, Uint8Array>;

/** Waits for what must happen soon. */
export async function soon<T>(awaited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not happen")), PATIENCE_MS);
  });
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Hands over one thing after the other, to whoever waits for it. */
export class Queue<T> {
  readonly #things: T[] = [];
  readonly #waiting: ((thing: T) => void)[] = [];

  put(thing: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(thing);
    else this.#things.push(thing);
  }

  get(): Promise<T> {
    if (this.#things.length > 0) return Promise.resolve(this.#things.shift() as T);
    return soon(new Promise((resolve) => this.#waiting.push(resolve)));
  }
}

/** One stream of a bot, seen from the server. */
export class Stream {
  readonly metadata: Record<string, grpc.MetadataValue>;
  readonly #received = new Queue<PlayRequest | undefined>();
  readonly #call: Call;

  constructor(call: Call) {
    this.metadata = call.metadata.getMap();
    this.#call = call;
    call.on("data", (request: PlayRequest) => this.#received.put(request));
    call.on("end", () => this.#received.put(undefined));
    call.on("cancelled", () => this.#received.put(undefined));
  }

  /** The next message of the bot; undefined when it has closed its half. */
  receive(): Promise<PlayRequest | undefined> {
    return this.#received.get();
  }

  /** The next message, which must be a decision by index: its request and index. */
  async decision(): Promise<[number, number]> {
    const { message } = (await this.receive()) ?? {};
    if (message?.case !== "decision" || message.value.choice.case !== "index") {
      throw new Error(`a decision by index is expected, and not ${message?.case}`);
    }
    return [message.value.requestId, message.value.choice.value];
  }

  send(response: Response): void {
    this.sendBytes(toBinary(PlayResponseSchema, create(PlayResponseSchema, response)));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#call.write(bytes);
  }

  /** Ends the stream well, after what is sent. */
  end(): void {
    this.#call.end();
  }

  /** Ends the stream with a status, after what is sent. */
  fail(code: grpc.status, reason?: string, message = "why", details: Record<string, string> = {}) {
    this.#call.emit("error", refusal(code, reason, message, details));
  }

  /** Sends the bot to another server, given as HOST:PORT. */
  moved(address: string): void {
    this.fail(grpc.status.FAILED_PRECONDITION, "MOVED", "why", { address });
  }

  /**
   * Reads the Hello, which must come first, and answers it. A bot that knows nothing is not resumed,
   * whatever `resumed` says.
   */
  async welcome({ pingIntervalMs = 60_000, historyId = HISTORY_ID, resumed = true } = {}): Promise<Hello> {
    const first = await this.receive();
    if (first?.message.case !== "hello") throw new Error(`no Hello but ${first?.message.case}`);
    const hello = first.message.value;
    const value = {
      protocolRevision: 1,
      matchId: MATCH_ID,
      seat: SEAT,
      pingIntervalMs,
      historyId,
      resumed: resumed && hello.lastSequence !== undefined,
    };
    this.send({ message: { case: "welcome", value } });
    return hello;
  }
}

/** A status, with a reason if there is one. */
function refusal(
  code: grpc.status,
  reason?: string,
  message = "why",
  details: Record<string, string> = {},
) {
  const metadata = new grpc.Metadata();
  if (reason !== undefined) {
    const info = { reason, domain: "bridgemaster", metadata: details };
    const packed = anyPack(ErrorInfoSchema, create(ErrorInfoSchema, info));
    const status = create(StatusSchema, { code, message, details: [packed] });
    metadata.set("grpc-status-details-bin", Buffer.from(toBinary(StatusSchema, status)));
  }
  return { code, details: message, metadata };
}

/** One attendance of a bot, seen from the server. */
export class Attending {
  readonly request: AttendRequest;
  readonly #call: grpc.ServerWritableStream<AttendRequest, Uint8Array>;

  constructor(call: grpc.ServerWritableStream<AttendRequest, Uint8Array>) {
    this.request = call.request;
    this.#call = call;
  }

  offer(offerId: string, ticket: string): void {
    const value = { offerId, ticket, matchId: MATCH_ID };
    const response = create(AttendResponseSchema, { message: { case: "offer", value } });
    this.#call.write(toBinary(AttendResponseSchema, response));
  }

  fail(code: grpc.status, reason?: string): void {
    this.#call.emit("error", refusal(code, reason));
  }

  /** Sends the bot to another server, given as HOST:PORT. */
  moved(address: string): void {
    this.#call.emit("error", refusal(grpc.status.FAILED_PRECONDITION, "MOVED", "why", { address }));
  }

  end(): void {
    this.#call.end();
  }
}

/** Hands each stream of a bot to the test. */
export class ScriptedServer {
  readonly #server = new grpc.Server();
  readonly #streams = new Queue<Stream>();
  readonly #attendances = new Queue<Attending>();
  streamCount = 0;
  address = "";

  /** The same as HOST:PORT. */
  get target(): string {
    return this.address.slice("http://".length);
  }

  /** Listens on a free port of loopback. */
  static async start(): Promise<ScriptedServer> {
    const made = new ScriptedServer();
    made.#server.addService(
      {
        play: {
          path: "/bridgemaster.v1.PlayService/Play",
          requestStream: true,
          responseStream: true,
          requestSerialize: (request: PlayRequest) => Buffer.from(toBinary(PlayRequestSchema, request)),
          requestDeserialize: (bytes: Buffer) => fromBinary(PlayRequestSchema, bytes),
          responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
          responseDeserialize: (bytes: Buffer) => bytes,
        },
      },
      {
        play: (call: Call) => {
          made.streamCount += 1;
          made.#streams.put(new Stream(call));
        },
      },
    );
    made.#server.addService(
      {
        attend: {
          path: "/bridgemaster.v1.LobbyService/Attend",
          requestStream: false,
          responseStream: true,
          requestSerialize: (request: AttendRequest) =>
            Buffer.from(toBinary(AttendRequestSchema, request)),
          requestDeserialize: (bytes: Buffer) => fromBinary(AttendRequestSchema, bytes),
          responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
          responseDeserialize: (bytes: Buffer) => bytes,
        },
      },
      {
        attend: (call: grpc.ServerWritableStream<AttendRequest, Uint8Array>) =>
          made.#attendances.put(new Attending(call)),
      },
    );
    const credentials = grpc.ServerCredentials.createInsecure();
    const port = await new Promise<number>((resolve, reject) =>
      made.#server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    made.address = `http://127.0.0.1:${port}`;
    return made;
  }

  /** The next stream that a bot opens. */
  stream(): Promise<Stream> {
    return this.#streams.get();
  }

  /** The next attendance. */
  attending(): Promise<Attending> {
    return this.#attendances.get();
  }

  /** The next stream, with its Welcome. */
  async welcomed(): Promise<Stream> {
    const stream = await this.stream();
    await stream.welcome();
    return stream;
  }

  /** Stops at once. */
  stop(): void {
    this.#server.forceShutdown();
  }
}

export function matchStarted(sequence: number, seedCommitment = ""): Response {
  const value = { matchId: MATCH_ID, seat: SEAT, seedCommitment };
  return { sequence, message: { case: "matchStarted", value } };
}

export function decisionRequest(sequence: number, requestId: number): Response {
  return { sequence, message: { case: "decisionRequest", value: { requestId } } };
}

/** A refusal of the answer to a request that stays open: INDEX_OUT_OF_RANGE. */
export function decisionRejected(sequence: number, requestId: number): Response {
  const value = {
    requestId,
    openRequestId: requestId,
    reason: 15,
    field: "index",
    detail: "0 to 3",
  };
  return { sequence, message: { case: "decisionRejected", value } };
}

export function matchEnded(sequence: number, seed = "", seedSalt = ""): Response {
  const value = { result: { matchId: MATCH_ID, decisions: 99 }, seed, seedSalt };
  return { sequence, message: { case: "matchEnded", value } };
}

export function ping(nonce: number): Response {
  return { message: { case: "ping", value: { nonce: BigInt(nonce) } } };
}
