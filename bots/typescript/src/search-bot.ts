// A bot that searches every game without knowing its rules, by playouts of `RulesService`. It uses
// sequential halving: each legal decision gets some playouts, then the worse half is dropped, until
// one decision is left or the time is up. Each playout samples the hidden information again. In
// games with fast greedy playouts all seats of a playout decide greedily, in others at random.

import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { run, type Request } from "bridgemaster";
import { GameObservationSchema } from "bridgemaster/v1/game";
import type { MatchStarted } from "bridgemaster/v1/play";
import {
  OpenSessionRequestSchema,
  OpenSessionResponseSchema,
  PlayoutPolicy,
  RulesService,
  type OpenSessionResponse,
  type RulesOperationSchema,
  type RulesOutcome,
} from "bridgemaster/v1/rules_service";

/** Number of the position to search; the position after decision `i` has the number `i + 1`. */
const ROOT = 0;
/** Number of random playouts of each decision per round. A greedy round has one playout of each. */
const BATCH = 8;
/** Games in which several hundred greedy playouts take at most 200 ms. */
const QUICK_GREEDY: unknown[] = ["oldLondonBridge", "alhambra"];
/** Maximum number of decisions that are searched. Each needs one position of the session. */
const MAX_DECISIONS = 400;

const ADDRESS = process.env["BRIDGEMASTER_RULES"] ?? "http://127.0.0.1:50052";
const MS = Number(process.env["SEARCH_MS"] ?? 200);

type Operation = MessageInitShape<typeof RulesOperationSchema>;

/** A session of `RulesService`. */
class Rules {
  readonly #client: grpc.Client;
  readonly #call: grpc.ClientDuplexStream<Uint8Array, OpenSessionResponse>;
  readonly #answers: AsyncIterator<OpenSessionResponse>;

  constructor(address: string) {
    const credentials = grpc.credentials.createInsecure();
    this.#client = new grpc.Client(address.replace(/^http:\/\//, ""), credentials);
    const metadata = new grpc.Metadata();
    const key = process.env["BRIDGEMASTER_KEY"];
    if (key) metadata.set("x-bridgemaster-key", key);
    this.#call = this.#client.makeBidiStreamRequest(
      `/${RulesService.typeName}/${RulesService.method.openSession.name}`,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => fromBinary(OpenSessionResponseSchema, bytes),
      metadata,
    );
    this.#answers = this.#call[Symbol.asyncIterator]() as AsyncIterator<OpenSessionResponse>;
  }

  /** Runs operations; throws if one is refused. */
  async run(operations: Operation[]): Promise<OpenSessionResponse> {
    const request = create(OpenSessionRequestSchema, { operations });
    this.#call.write(toBinary(OpenSessionRequestSchema, request));
    const { value, done } = await this.#answers.next();
    const last = done ? undefined : value.results.at(-1);
    if (!last || last.refusalReason) throw new Error(last?.detail ?? "the session is closed");
    return value;
  }

  close(): void {
    this.#call.end();
    this.#client.close();
  }
}

const rules = new Rules(ADDRESS);
let started: MatchStarted | undefined;

async function decide(request: Request): Promise<number> {
  const end = performance.now() + Math.min(MS, request.clock.decisionLeftMs / 2);
  let left = [...Array(Math.min(request.legalCount, MAX_DECISIONS)).keys()];
  if (left.length === 1) return 0;
  await rules.run(positions(request, left));
  const total = left.map(() => 0);
  const isQuick = QUICK_GREEDY.includes(request.game.case);
  const policy = isQuick ? PlayoutPolicy.GREEDY : PlayoutPolicy.RANDOM;
  const playouts = isQuick ? 1 : BATCH;
  for (let round = 0; left.length > 1; ) {
    const halvings = Math.ceil(Math.log2(left.length));
    const until = performance.now() + (end - performance.now()) / halvings;
    do {
      // All decisions share a seed, so that luck affects them equally.
      const seed = `${request.requestId}.${round++}`;
      const value = { playouts, seed, resample: true, policy };
      const playOut = { case: "playOut", value } as const;
      const operations = left.map((index) => ({ positionNumber: index + 1, operation: playOut }));
      const { results } = await rules.run(operations);
      left.forEach((index, place) => {
        const outcomes = results[place]?.outcomes ?? [];
        total[index] = outcomes.reduce((sum, each) => sum + score(each, request.seat), total[index] ?? 0);
      });
    } while (performance.now() < until && !request.isCancelled);
    left.sort((one, other) => (total[other] ?? 0) - (total[one] ?? 0));
    left = left.slice(0, Math.ceil(left.length / 2));
  }
  return left[0] ?? 0;
}

/** Returns operations that load the position before the decision, and those after each decision. */
function positions(request: Request, decisions: number[]): Operation[] {
  const { game } = request;
  const value = game.case && { case: game.case, value: game.value.observation };
  const load = {
    config: started?.config,
    // The field of the game has the same name in both messages.
    observation: create(GameObservationSchema, { game: value as never }),
    sampleSeed: `${request.requestId}`,
  };
  const after = decisions.flatMap((index): Operation[] => {
    const decision = { seat: request.seat, choice: { case: "index", value: index } } as const;
    const positionNumber = index + 1;
    return [
      { positionNumber, operation: { case: "copyFromNumber", value: ROOT } },
      { positionNumber, operation: { case: "apply", value: { decisions: [decision] } } },
    ];
  });
  return [{ positionNumber: ROOT, operation: { case: "load", value: load } }, ...after];
}

/** Returns 1 for a win and 0 for a loss, plus a small term for the score. */
function score({ seats }: RulesOutcome, seat: number): number {
  const own = seats[seat];
  const others = seats.filter((each) => each.seat !== seat);
  if (!own || others.length === 0) return own?.score ?? 0;
  const best = Math.max(...others.map((each) => each.score));
  const lead = (own.score - best) / (1 + Math.abs(own.score) + Math.abs(best));
  return others.filter((each) => each.place > own.place).length / others.length + lead;
}

await run({
  name: "typescript-search",
  version: "1",
  decide,
  matchStarted(message) {
    started = message;
  },
  matchEnded() {
    rules.close();
  },
});
