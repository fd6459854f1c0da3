// A server on the loopback interface whose messages are controlled by the test.

import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import {
  AttendRequestSchema,
  AttendResponseSchema,
  DeclineOfferRequestSchema,
  UpdateAttendanceRequestSchema,
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
/** The commitment to SEED with SALT: the example match of the book. */
export const COMMITMENT = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";
export const HISTORY_ID = "00112233445566778899aabbccddeeff";
/** Time limit of every wait of a test; far more than needed. */
export const TIMEOUT_MS = 20_000;

export type Response = MessageInitShape<typeof PlayResponseSchema>;
type Call = grpc.ServerDuplexStream<PlayRequest, Uint8Array>;

/** Waits with the time limit of the tests. */
export async function withinTimeout<T>(awaited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), TIMEOUT_MS);
  });
  try {
    return await Promise.race([awaited, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** An unbounded asynchronous queue. */
export class Queue<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  put(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(item);
    else this.#items.push(item);
  }

  get(): Promise<T> {
    if (this.#items.length > 0) return Promise.resolve(this.#items.shift() as T);
    return withinTimeout(new Promise((resolve) => this.#waiting.push(resolve)));
  }
}

/** The server side of a bot's stream. */
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

  /** Returns the next message of the bot; undefined once it has closed its half. */
  receive(): Promise<PlayRequest | undefined> {
    return this.#received.get();
  }

  /** Returns request id and index of the next message, which must be a decision by index. */
  async decision(): Promise<[number, number]> {
    const { message } = (await this.receive()) ?? {};
    if (message?.case !== "decision" || message.value.choice.case !== "index") {
      throw new Error(`expected a decision by index, not ${message?.case}`);
    }
    return [message.value.requestId, message.value.choice.value];
  }

  send(response: Response): void {
    this.sendBytes(toBinary(PlayResponseSchema, create(PlayResponseSchema, response)));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#call.write(bytes);
  }

  /** Ends the stream with the status OK, after the sent messages. */
  end(): void {
    this.#call.end();
  }

  /** Ends the stream with an error status, after the sent messages. */
  fail(code: grpc.status, reason?: string, message = "why", details: Record<string, string> = {}) {
    this.#call.emit("error", refusal(code, reason, message, details));
  }

  /**
   * Reads the Hello, which must come first, and answers it. A bot without a last sequence number is
   * never resumed.
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

/** Creates an error status, optionally with a reason. */
export function refusal(
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

/** The server side of a bot's attendance. */
export class Attendance {
  readonly request: AttendRequest;
  readonly #call: grpc.ServerWritableStream<AttendRequest, Uint8Array>;

  constructor(call: grpc.ServerWritableStream<AttendRequest, Uint8Array>) {
    this.request = call.request;
    this.#call = call;
  }

  offer(offerId: string, ticket: string, timeLeftMs = 30_000): void {
    const value = { offerId, ticket, matchId: MATCH_ID, timeLeftMs };
    this.#send({ message: { case: "offer", value } });
  }

  /** Sends the number of matches in play and open offers, and of busy slots. */
  state(slotsUsed: number, busySlots = 0): void {
    const value = { attendanceId: "a", slotsUsed, busySlots };
    this.#send({ message: { case: "attendance", value } });
  }

  #send(response: MessageInitShape<typeof AttendResponseSchema>): void {
    this.#call.write(toBinary(AttendResponseSchema, create(AttendResponseSchema, response)));
  }

  fail(code: grpc.status, reason?: string): void {
    this.#call.emit("error", refusal(code, reason));
  }

  end(): void {
    this.#call.end();
  }
}

/** Defines a method of LobbyService whose messages are not decoded. */
function unary(name: string): grpc.MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer) => bytes;
  return {
    path: `/bridgemaster.v1.LobbyService/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

/** Passes each stream of a bot to the test. */
export class ScriptedServer {
  readonly #server = new grpc.Server();
  readonly #streams = new Queue<Stream>();
  readonly #attendances = new Queue<Attendance>();
  /** The numbers of busy slots that the bot has reported. */
  readonly busySlots = new Queue<number | undefined>();
  /** The offers that the bot has declined. */
  readonly declined = new Queue<string>();
  streamCount = 0;
  address = "";

  /** Listens on a free port of the loopback interface. */
  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.#server.addService(
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
          server.streamCount += 1;
          server.#streams.put(new Stream(call));
        },
      },
    );
    server.#server.addService(
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
        update: unary("UpdateAttendance"),
        decline: unary("DeclineOffer"),
      },
      {
        update: ({ request }: { request: Buffer }, respond: grpc.sendUnaryData<Buffer>) => {
          server.busySlots.put(fromBinary(UpdateAttendanceRequestSchema, request).busySlots);
          respond({ code: grpc.status.UNAVAILABLE, details: "try again" });
        },
        decline: ({ request }: { request: Buffer }, respond: grpc.sendUnaryData<Buffer>) => {
          server.declined.put(fromBinary(DeclineOfferRequestSchema, request).offerId);
          respond(null, Buffer.alloc(0));
        },
        attend: (call: grpc.ServerWritableStream<AttendRequest, Uint8Array>) =>
          server.#attendances.put(new Attendance(call)),
      },
    );
    const credentials = grpc.ServerCredentials.createInsecure();
    const port = await new Promise<number>((resolve, reject) =>
      server.#server.bindAsync("127.0.0.1:0", credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    server.address = `http://127.0.0.1:${port}`;
    return server;
  }

  /** Returns the next stream that a bot opens. */
  stream(): Promise<Stream> {
    return this.#streams.get();
  }

  /** Returns the next attendance. */
  attendance(): Promise<Attendance> {
    return this.#attendances.get();
  }

  /** Returns the next stream after sending its Welcome. */
  async welcomedStream(): Promise<Stream> {
    const stream = await this.stream();
    await stream.welcome();
    return stream;
  }

  /** Stops at once, without waiting for open streams. */
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

/** Creates a refusal (INDEX_OUT_OF_RANGE) of the answer to a request that stays open. */
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
