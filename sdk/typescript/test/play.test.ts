// Playing against a scripted server on the loopback interface.

import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { create, equals, toBinary } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import {
  BrokenSeedCommitmentError,
  NoLegalDecisionError,
  OptionsError,
  play,
  PlayError,
  RefusedError,
  RESIGN,
  ServerLostError,
  type Bot,
  type Choice,
  type Request,
} from "bridgemaster";
import { connectionThread } from "../dist/play.js";
import { DecisionSchema } from "bridgemaster/games/old_london_bridge/v1/decision";
import { MatchResultSchema, SeedReveal, type MatchResult } from "bridgemaster/v1/match";
import { PlayRequestSchema, PlayResponseSchema } from "bridgemaster/v1/play";
import {
  COMMITMENT,
  decisionRejected,
  decisionRequest,
  HISTORY_ID,
  MATCH_ID,
  matchEnded,
  matchStarted,
  ping,
  Queue,
  SALT,
  ScriptedServer,
  SEAT,
  SEED,
  withinTimeout,
  type Stream,
} from "./scripted-server.js";

/** Records the calls of its methods, and answers with choices that the test provides. */
class Puppet implements Bot {
  readonly name = "puppet";
  readonly version = "1.0";
  readonly games = ["old_london_bridge"];
  readonly calls: string[] = [];
  readonly choices = new Queue<Choice | Error>();
  async decide({ requestId }: { requestId: number }): Promise<Choice> {
    this.calls.push(`decide ${requestId}`);
    const choice = await this.choices.get();
    if (choice instanceof Error) throw choice;
    return choice;
  }
  /** Waits until `decide` is called. */
  async deciding(): Promise<void> {
    const called = async () => {
      while (!this.calls.some((call) => call.startsWith("decide"))) await setImmediate();
    };
    await withinTimeout(called());
  }
  matchStarted({ seat }: { seat: number }): void {
    this.calls.push(`started at ${seat}`);
  }
  decisionRejected({ requestId }: { requestId: number }): void {
    this.calls.push(`rejected ${requestId}`);
  }
  seatChanged(changed: { seat?: { seat: number } }): void {
    this.calls.push(`seat ${changed.seat?.seat}`);
  }
  async matchEnded({ decisions }: { decisions: number }): Promise<void> {
    this.calls.push(`ended after ${decisions}`);
  }
}

let server: ScriptedServer;
let bot: Puppet;
let playing: Promise<MatchResult>;
const leave = new Map<ScriptedServer, AbortController>();

beforeEach(async () => {
  server = await ScriptedServer.start();
  bot = new Puppet();
  const controller = new AbortController();
  leave.set(server, controller);
  playing = play(bot, {
    server: server.address,
    ticket: "ticket-7",
    key: "bmk_k_7",
    // The tests provoke warnings.
    log: () => undefined,
    signal: controller.signal,
  });
  // A test that fails early does not await it.
  playing.catch(() => undefined);
});

afterEach(async () => {
  leave.get(server)?.abort();
  await playing.catch(() => undefined);
  server.stop();
});

/** Ends the match, and checks that the bot leaves in order. */
async function end(stream: Stream, sequence: number): Promise<void> {
  stream.send(matchEnded(sequence));
  assert.equal(await stream.receive(), undefined);
  stream.end();
  assert.equal((await withinTimeout(playing)).decisions, 99);
}

/** Checks the next message of the bot. */
async function expectMessage(stream: Stream, message: object): Promise<void> {
  const expected = create(PlayRequestSchema, { message: message as never });
  const received = await stream.receive();
  assert.ok(received && equals(PlayRequestSchema, received, expected), JSON.stringify(received?.message.case));
}

test("a whole match reaches the bot, and its answers the server", async () => {
  const stream = await server.stream();
  const hello = await stream.welcome();
  assert.equal(stream.metadata["authorization"], "Bearer ticket-7");
  assert.equal(stream.metadata["x-bridgemaster-key"], "bmk_k_7");
  assert.deepEqual([hello.botName, hello.botVersion, hello.protocolRevision], ["puppet", "1.0", 1]);
  assert.deepEqual(hello.games, ["old_london_bridge"]);
  assert.deepEqual([hello.lastSequence, hello.historyId], [undefined, undefined]);
  assert.deepEqual([hello.clientInstanceId.length, hello.streamNumber], [36, 1]);
  stream.send(matchStarted(1));
  for (const [requestId, index] of [[1, 0], [2, 5]] as const) {
    bot.choices.put(index);
    stream.send(decisionRequest(1 + requestId, requestId));
    assert.deepEqual(await stream.decision(), [requestId, index]);
  }
  await end(stream, 4);
  assert.deepEqual(bot.calls, [`started at ${SEAT}`, "decide 1", "decide 2", "ended after 99"]);
});

test("a decision of a game is wrapped and sent with its note", async () => {
  const stream = await server.welcomedStream();
  const decision = { case: "takeTile" as const, value: { bonusStack: 2 } };
  bot.choices.put({ choice: create(DecisionSchema, { decision }), note: "the park is full" });
  stream.send(decisionRequest(1, 1));
  const gameDecision = { game: { case: "oldLondonBridge", value: { decision } } };
  const choice = { case: "decision", value: gameDecision };
  await expectMessage(stream, { case: "decision", value: { requestId: 1, choice, note: "the park is full" } });
  await end(stream, 2);
});

test("a bot can resign", async () => {
  const stream = await server.welcomedStream();
  bot.choices.put(RESIGN);
  stream.send(decisionRequest(1, 1));
  await expectMessage(stream, { case: "resign", value: {} });
  await end(stream, 2);
});

test("a change of a seat reaches the bot", async () => {
  const stream = await server.welcomedStream();
  stream.send({ sequence: 1, message: { case: "seatStatus", value: { seat: { seat: 3 } } } });
  await end(stream, 2);
  assert.deepEqual(bot.calls, ["seat 3", "ended after 99"]);
});

for (const [what, choice, error] of [
  ["nothing", undefined, /TypeError: decide returned undefined/],
  ["a negative index", -1, /RangeError: decide returned -1/],
  ["a fraction", 0.5, /TypeError: decide returned 0.5/],
  ["a message that is not a decision", create(MatchResultSchema), /TypeError: .*MatchResult/],
  ["an error of its own", new SyntaxError("the bot's own"), /SyntaxError: the bot's own/],
] as const) {
  test(`${what} instead of a choice is an error`, async () => {
    const stream = await server.welcomedStream();
    bot.choices.put(choice as never);
    stream.send(decisionRequest(1, 1));
    await assert.rejects(withinTimeout(playing), error);
    assert.equal(await stream.receive(), undefined, "the stream is still open");
  });
}

test("a Ping is answered while the bot blocks its thread", async () => {
  const otherServer = await ScriptedServer.start();
  const woken = new Int32Array(new SharedArrayBuffer(4));
  const blocking = new Worker(new URL("./blocking-bot.js", import.meta.url), {
    workerData: { server: otherServer.address, woken },
  });
  try {
    const stream = await otherServer.welcomedStream();
    stream.send(decisionRequest(1, 1));
    for (const nonce of [8, 9]) {
      stream.send(ping(nonce));
      await expectMessage(stream, { case: "pong", value: { nonce: BigInt(nonce) } });
    }
    Atomics.store(woken, 0, 1);
    Atomics.notify(woken, 0);
    assert.deepEqual(await stream.decision(), [1, 3]);
  } finally {
    await blocking.terminate();
    otherServer.stop();
  }
});

test("a request is cancelled while the bot blocks its thread", async () => {
  const otherServer = await ScriptedServer.start();
  const workerData = { server: otherServer.address };
  const pondering = new Worker(new URL("./pondering-bot.js", import.meta.url), { workerData });
  const exited = once(pondering, "exit");
  const stream = await otherServer.welcomedStream();
  stream.send(decisionRequest(1, 1));
  stream.send(decisionRequest(2, 2));
  stream.send(matchEnded(3));
  assert.equal(await stream.receive(), undefined);
  stream.end();
  assert.deepEqual(await withinTimeout(exited), [0]);
  otherServer.stop();
});

test("a signal cancels a request, and the exception that it causes is ignored", async () => {
  const otherServer = await ScriptedServer.start();
  const decide = ({ signal }: Request) =>
    new Promise<number>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const played = play(decide, { server: otherServer.address, ticket: "t" });
  const stream = await otherServer.welcomedStream();
  stream.send(decisionRequest(1, 1));
  stream.send(matchEnded(2));
  stream.end();
  assert.equal((await withinTimeout(played)).decisions, 99);
  otherServer.stop();
});

test("a bundle without the connection's thread is named", () => {
  for (const module of [undefined, "file:///nowhere/bundle.js"]) {
    assert.throws(() => connectionThread(module), /--external:bridgemaster/);
  }
});

test("a repeated message is ignored", async () => {
  const stream = await server.welcomedStream();
  bot.choices.put(0);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  assert.deepEqual(await stream.decision(), [1, 0]);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  // Reactions to the two would be sent before this Pong.
  stream.send(ping(1));
  await expectMessage(stream, { case: "pong", value: { nonce: 1n } });
  await end(stream, 3);
  assert.deepEqual(bot.calls, [`started at ${SEAT}`, "decide 1", "ended after 99"]);
});

test("a message of an unknown kind is skipped and counted", async () => {
  const stream = await server.welcomedStream();
  const counted = toBinary(PlayResponseSchema, create(PlayResponseSchema, { sequence: 1 }));
  const field111 = [0xfa, 0x06, 0x00];
  stream.sendBytes(Uint8Array.from([...counted, ...field111]));
  bot.choices.put(0);
  stream.send(decisionRequest(2, 1));
  assert.deepEqual(await stream.decision(), [1, 0]);
  stream.fail(status.UNAVAILABLE);
  const again = await server.stream();
  assert.equal((await again.welcome()).lastSequence, 2);
  await again.decision();
  await end(again, 3);
});

test("a lost stream is resumed after the last message, and its answer is sent again", async () => {
  let stream = await server.welcomedStream();
  bot.choices.put(4);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  assert.deepEqual(await stream.decision(), [1, 4]);
  stream.fail(status.UNAVAILABLE);

  stream = await server.stream();
  const hello = await stream.welcome();
  assert.deepEqual([hello.lastSequence, hello.historyId], [2, HISTORY_ID]);
  assert.equal(hello.streamNumber, 2);
  assert.deepEqual(await stream.decision(), [1, 4]);
  bot.choices.put(5);
  stream.send(decisionRequest(3, 2));
  assert.deepEqual(await stream.decision(), [2, 5]);
  await end(stream, 4);
});

test("a bot that is not resumed starts over without its unsent answer", async () => {
  let stream = await server.welcomedStream();
  stream.send(decisionRequest(1, 1));
  await bot.deciding();
  stream.end();

  const historyId = "f".repeat(32);
  stream = await server.stream();
  await stream.welcome({ historyId, resumed: false });
  // The same id, but a different request.
  stream.send(decisionRequest(1, 1));
  stream.send(ping(2));
  await expectMessage(stream, { case: "pong", value: { nonce: 2n } });
  bot.choices.put(5);
  bot.choices.put(6);
  assert.deepEqual(await stream.decision(), [1, 6]);
  stream.end();

  stream = await server.stream();
  const hello = await stream.welcome({ historyId });
  assert.deepEqual([hello.lastSequence, hello.historyId], [1, historyId]);
  assert.deepEqual(await stream.decision(), [1, 6]);
  await end(stream, 2);
});

test("a bot keeps thinking while the stream is lost", async () => {
  let stream = await server.welcomedStream();
  stream.send(decisionRequest(1, 1));
  stream.send(ping(1));
  await stream.receive();
  stream.end();
  stream = await server.welcomedStream();
  stream.send(decisionRequest(1, 1));
  bot.choices.put(6);
  assert.deepEqual(await stream.decision(), [1, 6]);
  await end(stream, 2);
  assert.deepEqual(bot.calls, ["decide 1", "ended after 99"]);
});

test("the stream of a silent server is replaced", async () => {
  const stream = await server.stream();
  await stream.welcome({ pingIntervalMs: 10 });
  stream.send(matchStarted(1));
  await end(await server.welcomedStream(), 2);
});

test("a late answer is not sent", async () => {
  const stream = await server.welcomedStream();
  stream.send(decisionRequest(1, 1));
  await bot.deciding();
  stream.send(decisionRequest(2, 2));
  stream.send(ping(1));
  await expectMessage(stream, { case: "pong", value: { nonce: 1n } });
  bot.choices.put(1);
  bot.choices.put(2);
  assert.deepEqual(await stream.decision(), [2, 2]);
  await end(stream, 3);
});

test("a refused decision is reported and requested again", async () => {
  const stream = await server.welcomedStream();
  bot.choices.put(9);
  stream.send(decisionRequest(1, 1));
  assert.deepEqual(await stream.decision(), [1, 9]);
  bot.choices.put(0);
  stream.send(decisionRejected(2, 1));
  assert.deepEqual(await stream.decision(), [1, 0]);
  await end(stream, 3);
  assert.deepEqual(bot.calls, ["decide 1", "rejected 1", "decide 1", "ended after 99"]);
});

test("play ends if the bot finds no legal decision", async () => {
  const stream = await server.welcomedStream();
  stream.send(decisionRequest(1, 1));
  for (const sequence of [2, 3, 4]) {
    bot.choices.put(9);
    assert.deepEqual(await stream.decision(), [1, 9]);
    stream.send(decisionRejected(sequence, 1));
  }
  await assert.rejects(withinTimeout(playing), (error) => {
    assert.ok(error instanceof NoLegalDecisionError && error instanceof PlayError);
    assert.match(error.message, /INDEX_OUT_OF_RANGE at "index": 0 to 3/);
    assert.deepEqual([error.reason, error.last.requestId], ["INDEX_OUT_OF_RANGE", 1]);
    return true;
  });
});

test("a permanent refusal ends play with its reason", async () => {
  const stream = await server.stream();
  stream.fail(status.UNAUTHENTICATED, "TICKET_UNKNOWN", "\x1b[2J\nwhy", { hint: "x" });
  await assert.rejects(withinTimeout(playing), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual([error.reason, error.advice, error.name], ["TICKET_UNKNOWN", "fix", "RefusedError"]);
    assert.deepEqual(error.metadata, { hint: "x" });
    // Text of the server is escaped.
    assert.ok(error.message.includes(String.raw`\x1b[2J\nwhy`), error.message);
    return true;
  });
  assert.equal(server.streamCount, 1);
});

test("the reason decides about a retry rather than the code", async () => {
  const stream = await server.stream();
  stream.fail(status.UNAVAILABLE, "SEAT_CLOSED");
  await assert.rejects(withinTimeout(playing), { name: "RefusedError", reason: "SEAT_CLOSED", advice: "stop" });
});

test("a key that is revoked during the match ends play", async () => {
  const stream = await server.welcomedStream();
  stream.fail(status.UNAUTHENTICATED, "KEY_REVOKED");
  await assert.rejects(withinTimeout(playing), { name: "RefusedError", reason: "KEY_REVOKED" });
});

test("a temporary refusal is retried", async () => {
  for (const reason of ["SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"]) {
    const stream = await server.stream();
    stream.fail(status.UNAVAILABLE, reason);
  }
  await end(await server.welcomedStream(), 1);
});

test("a seed that matches the commitment is accepted", async () => {
  const stream = await server.welcomedStream();
  stream.send(matchStarted(1, COMMITMENT));
  stream.send(matchEnded(2, SEED, SALT));
  assert.equal((await withinTimeout(playing)).decisions, 99);
});

for (const [what, seed, salt] of [
  ["a different seed", "london-1210", SALT],
  ["a different salt", SEED, `01${SALT.slice(2)}`],
  ["a salt that is not hex", SEED, "salt"],
  ["no seed", "", ""],
] as const) {
  test(`${what} is an error`, async () => {
    const stream = await server.welcomedStream();
    stream.send(matchStarted(1, COMMITMENT));
    stream.send(matchEnded(2, seed, salt));
    await assert.rejects(withinTimeout(playing), (error) => {
      assert.ok(error instanceof BrokenSeedCommitmentError);
      assert.ok(error.message.includes(COMMITMENT), error.message);
      assert.equal(error.result?.decisions, 99);
      return true;
    });
  });
}

test("a seed revealed with its group may be withheld", async () => {
  const stream = await server.welcomedStream();
  const value = {
    seedCommitment: COMMITMENT,
    config: { group: { seedReveal: SeedReveal.WITH_GROUP } },
  };
  stream.send({ sequence: 1, message: { case: "matchStarted", value } });
  stream.send(matchEnded(2));
  assert.equal((await withinTimeout(playing)).decisions, 99);
});

test("a commitment that changes breaks the protocol", async () => {
  const stream = await server.welcomedStream();
  stream.send(matchStarted(1, COMMITMENT));
  stream.send(matchStarted(2, "other"));
  await assert.rejects(withinTimeout(playing), { name: "ProtocolError", message: /commitment changed/ });
});

test("an aborted signal leaves the match", async () => {
  const stream = await server.welcomedStream();
  leave.get(server)?.abort(new RangeError("enough"));
  await assert.rejects(withinTimeout(playing), /RangeError: enough/);
  assert.equal(await stream.receive(), undefined);
});

test("several matches are played at once", async () => {
  const first = await server.welcomedStream();
  const second = play(() => 2, { server: server.address, ticket: "t", name: "two" });
  const stream = await server.stream();
  assert.equal((await stream.welcome()).botName, "two");
  stream.send(decisionRequest(1, 1));
  assert.deepEqual(await stream.decision(), [1, 2]);
  stream.send(matchEnded(2));
  assert.equal((await withinTimeout(second)).matchId, MATCH_ID);
  await end(first, 1);
});

test("an absent server is an error with the advice to retry", async () => {
  const gone = await ScriptedServer.start();
  gone.stop();
  const options = { server: gone.address, ticket: "t", connectForMs: 100 };
  await assert.rejects(withinTimeout(play(() => 0, options)), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.deepEqual([error.advice, error.reason], ["retry", undefined]);
    assert.match(error.message, /no server answered at .* within 0.1 s: UNAVAILABLE/);
    return true;
  });
});

test("a server that stops for good is abandoned with its reason", async () => {
  const stopping = await ScriptedServer.start();
  const options = { server: stopping.address, ticket: "t", reconnectForMs: 0 };
  const lost = play(() => 0, options);
  (await stopping.welcomedStream()).fail(status.UNAVAILABLE, "SERVER_STOPPING");
  await assert.rejects(withinTimeout(lost), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.deepEqual([error.advice, error.reason], ["retry", "SERVER_STOPPING"]);
    return true;
  });
  stopping.stop();
});

for (const [what, options, message] of [
  ["a missing ticket", {}, /no ticket: set BRIDGEMASTER_TICKET/],
  ["a ticket of two lines", { ticket: "a\nb" }, /the ticket is not valid/],
  ["a server without a port", { ticket: "t", server: "example.org" }, /not an address/],
  ["a server of another kind", { ticket: "t", server: "ftp://a:1" }, /not an address/],
  ["a name that is too long", { ticket: "t", name: "n".repeat(65) }, /1 to 64 printable/],
  ["a missing file", { ticket: "t", server: "https://a:1", tls: { ca: "/no/file" } }, /no\/file/],
  ["a certificate without its key", { ticket: "t", server: "https://a:1", tls: { clientCert: "package.json" } }, /private key/],
] as const) {
  test(`${what} is refused before connecting`, async () => {
    await assert.rejects(play(() => 0, options), (error) => {
      assert.ok(error instanceof OptionsError);
      assert.match(error.message, message);
      return true;
    });
  });
}
