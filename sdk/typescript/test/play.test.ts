// Playing against a scripted server on loopback.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
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
} from "bridgemaster";
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
  soon,
  type Stream,
} from "./scripted-server.js";

/** Tells what it hears, and answers with what the test hands it. */
class Puppet implements Bot {
  readonly name = "puppet";
  readonly version = "1.0";
  readonly games = ["old_london_bridge"];
  readonly heard: string[] = [];
  readonly choices = new Queue<Choice | Error>();
  async decide({ requestId }: { requestId: number }): Promise<Choice> {
    this.heard.push(`asked ${requestId}`);
    const choice = await this.choices.get();
    if (choice instanceof Error) throw choice;
    return choice;
  }
  matchStarted({ seat }: { seat: number }): void {
    this.heard.push(`started at ${seat}`);
  }
  decisionRejected({ requestId }: { requestId: number }): void {
    this.heard.push(`rejected ${requestId}`);
  }
  seatChanged(changed: { seat?: { seat: number } }): void {
    this.heard.push(`seat ${changed.seat?.seat}`);
  }
  async matchEnded({ decisions }: { decisions: number }): Promise<void> {
    this.heard.push(`ended after ${decisions}`);
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
    // The warnings are about what the tests do on purpose.
    log: () => undefined,
    signal: controller.signal,
  });
  // A test that fails early leaves it unread.
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
  assert.equal((await soon(playing)).decisions, 99);
}

/** What the next message of the bot must be. */
async function sends(stream: Stream, message: object): Promise<void> {
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
  stream.send(matchStarted(1));
  for (const [requestId, index] of [[1, 0], [2, 5]] as const) {
    bot.choices.put(index);
    stream.send(decisionRequest(1 + requestId, requestId));
    assert.deepEqual(await stream.decision(), [requestId, index]);
  }
  await end(stream, 4);
  assert.deepEqual(bot.heard, [`started at ${SEAT}`, "asked 1", "asked 2", "ended after 99"]);
});

test("a decision of a game is put into its entry, with its note", async () => {
  const stream = await server.welcomed();
  const decision = { case: "takeTile" as const, value: { bonusStack: 2 } };
  bot.choices.put({ choice: create(DecisionSchema, { decision }), note: "the park is full" });
  stream.send(decisionRequest(1, 1));
  const full = { game: { case: "oldLondonBridge", value: { decision } } };
  const choice = { case: "decision", value: full };
  await sends(stream, { case: "decision", value: { requestId: 1, choice, note: "the park is full" } });
  await end(stream, 2);
});

test("a bot can resign", async () => {
  const stream = await server.welcomed();
  bot.choices.put(RESIGN);
  stream.send(decisionRequest(1, 1));
  await sends(stream, { case: "resign", value: {} });
  await end(stream, 2);
});

test("a seat that changes is told", async () => {
  const stream = await server.welcomed();
  stream.send({ sequence: 1, message: { case: "seatStatus", value: { seat: { seat: 3 } } } });
  await end(stream, 2);
  assert.deepEqual(bot.heard, ["seat 3", "ended after 99"]);
});

for (const [what, choice, error] of [
  ["nothing", undefined, /TypeError: decide returned undefined/],
  ["an index below 0", -1, /RangeError: decide returned -1/],
  ["a half", 0.5, /TypeError: decide returned 0.5/],
  ["a message that is no decision", create(MatchResultSchema), /TypeError: .*MatchResult/],
  ["an error of its own", new SyntaxError("the bot's own"), /SyntaxError: the bot's own/],
] as const) {
  test(`${what} instead of a choice is named to the author`, async () => {
    const stream = await server.welcomed();
    bot.choices.put(choice as never);
    stream.send(decisionRequest(1, 1));
    await assert.rejects(soon(playing), error);
    assert.equal(await stream.receive(), undefined, "the stream is left");
  });
}

test("a Ping is answered while the bot blocks its thread", async () => {
  const elsewhere = await ScriptedServer.start();
  const woken = new Int32Array(new SharedArrayBuffer(4));
  const blocking = new Worker(new URL("./blocking-bot.js", import.meta.url), {
    workerData: { server: elsewhere.address, woken },
  });
  try {
    const stream = await elsewhere.welcomed();
    stream.send(decisionRequest(1, 1));
    for (const nonce of [8, 9]) {
      stream.send(ping(nonce));
      await sends(stream, { case: "pong", value: { nonce: BigInt(nonce) } });
    }
    Atomics.store(woken, 0, 1);
    Atomics.notify(woken, 0);
    assert.deepEqual(await stream.decision(), [1, 3]);
  } finally {
    await blocking.terminate();
    elsewhere.stop();
  }
});

test("a message that came before is ignored", async () => {
  const stream = await server.welcomed();
  bot.choices.put(0);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  assert.deepEqual(await stream.decision(), [1, 0]);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  // Whatever the two had caused would be sent before this Pong, and heard before the end.
  stream.send(ping(1));
  await sends(stream, { case: "pong", value: { nonce: 1n } });
  await end(stream, 3);
  assert.deepEqual(bot.heard, [`started at ${SEAT}`, "asked 1", "ended after 99"]);
});

test("a message of an unknown kind is skipped and counted", async () => {
  const stream = await server.welcomed();
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

test("a lost stream is resumed after the last message, and its answer sent again", async () => {
  let stream = await server.welcomed();
  bot.choices.put(4);
  stream.send(matchStarted(1));
  stream.send(decisionRequest(2, 1));
  assert.deepEqual(await stream.decision(), [1, 4]);
  stream.fail(status.UNAVAILABLE);

  stream = await server.stream();
  const hello = await stream.welcome();
  assert.deepEqual([hello.lastSequence, hello.historyId], [2, HISTORY_ID]);
  assert.deepEqual(await stream.decision(), [1, 4]);
  bot.choices.put(5);
  stream.send(decisionRequest(3, 2));
  assert.deepEqual(await stream.decision(), [2, 5]);
  await end(stream, 4);
});

test("a bot that is not resumed begins anew without its unsent answer", async () => {
  let stream = await server.welcomed();
  stream.send(decisionRequest(1, 1));
  stream.send(ping(1));
  await stream.receive();
  stream.end();

  const historyId = "f".repeat(32);
  stream = await server.stream();
  await stream.welcome({ historyId, resumed: false });
  // Of the same number, and another all the same.
  stream.send(decisionRequest(1, 1));
  stream.send(ping(2));
  await sends(stream, { case: "pong", value: { nonce: 2n } });
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

test("a bot thinks on while the stream is lost", async () => {
  let stream = await server.welcomed();
  stream.send(decisionRequest(1, 1));
  stream.send(ping(1));
  await stream.receive();
  stream.end();
  stream = await server.welcomed();
  stream.send(decisionRequest(1, 1));
  bot.choices.put(6);
  assert.deepEqual(await stream.decision(), [1, 6]);
  await end(stream, 2);
  assert.deepEqual(bot.heard, ["asked 1", "ended after 99"]);
});

test("a silent server is left and called again", async () => {
  const stream = await server.stream();
  await stream.welcome({ pingIntervalMs: 10 });
  stream.send(matchStarted(1));
  await end(await server.welcomed(), 2);
});

test("an answer that comes too late is not sent", async () => {
  const stream = await server.welcomed();
  stream.send(decisionRequest(1, 1));
  stream.send(decisionRequest(2, 2));
  stream.send(ping(1));
  await sends(stream, { case: "pong", value: { nonce: 1n } });
  bot.choices.put(1);
  bot.choices.put(2);
  assert.deepEqual(await stream.decision(), [2, 2]);
  await end(stream, 3);
});

test("a refused decision is told and asked for again", async () => {
  const stream = await server.welcomed();
  bot.choices.put(9);
  stream.send(decisionRequest(1, 1));
  assert.deepEqual(await stream.decision(), [1, 9]);
  bot.choices.put(0);
  stream.send(decisionRejected(2, 1));
  assert.deepEqual(await stream.decision(), [1, 0]);
  await end(stream, 3);
  assert.deepEqual(bot.heard, ["asked 1", "rejected 1", "asked 1", "ended after 99"]);
});

test("a bot that finds no legal decision is given up", async () => {
  const stream = await server.welcomed();
  stream.send(decisionRequest(1, 1));
  for (const sequence of [2, 3, 4]) {
    bot.choices.put(9);
    assert.deepEqual(await stream.decision(), [1, 9]);
    stream.send(decisionRejected(sequence, 1));
  }
  await assert.rejects(soon(playing), (error) => {
    assert.ok(error instanceof NoLegalDecisionError && error instanceof PlayError);
    assert.match(error.message, /INDEX_OUT_OF_RANGE at "index": 0 to 3/);
    assert.deepEqual([error.reason, error.last.requestId], ["INDEX_OUT_OF_RANGE", 1]);
    return true;
  });
});

test("a refusal that cannot be mended ends play with its reason", async () => {
  const stream = await server.stream();
  stream.fail(status.UNAUTHENTICATED, "TICKET_UNKNOWN", "\x1b[2J\nwhy", { hint: "x" });
  await assert.rejects(soon(playing), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual([error.reason, error.advice, error.name], ["TICKET_UNKNOWN", "fix", "RefusedError"]);
    assert.deepEqual(error.metadata, { hint: "x" });
    // What the server says cannot take over a terminal.
    assert.ok(error.message.includes(String.raw`\x1b[2J\nwhy`), error.message);
    return true;
  });
  assert.equal(server.streamCount, 1);
});

test("the reason and not the code decides about trying again", async () => {
  const stream = await server.stream();
  stream.fail(status.UNAVAILABLE, "SEAT_CLOSED");
  await assert.rejects(soon(playing), { name: "RefusedError", reason: "SEAT_CLOSED", advice: "stop" });
});

test("a key that is revoked during the match ends play", async () => {
  const stream = await server.welcomed();
  stream.fail(status.UNAUTHENTICATED, "KEY_REVOKED");
  await assert.rejects(soon(playing), { name: "RefusedError", reason: "KEY_REVOKED" });
});

test("a refusal that passes is tried again", async () => {
  for (const reason of ["SERVER_STOPPING", "A_REASON_OF_A_NEWER_SERVER"]) {
    const stream = await server.stream();
    stream.fail(status.UNAVAILABLE, reason);
  }
  await end(await server.welcomed(), 1);
});

test("the seed that was committed to ends play well", async () => {
  const stream = await server.welcomed();
  stream.send(matchStarted(1, COMMITMENT));
  stream.send(matchEnded(2, SEED, SALT));
  assert.equal((await soon(playing)).decisions, 99);
});

for (const [what, seed, salt] of [
  ["another seed", "london-1210", SALT],
  ["another salt", SEED, `01${SALT.slice(2)}`],
  ["a salt that is no hex", SEED, "salt"],
  ["no seed", "", ""],
] as const) {
  test(`${what} instead of the one committed to is an error`, async () => {
    const stream = await server.welcomed();
    stream.send(matchStarted(1, COMMITMENT));
    stream.send(matchEnded(2, seed, salt));
    await assert.rejects(soon(playing), (error) => {
      assert.ok(error instanceof BrokenSeedCommitmentError);
      assert.ok(error.message.includes(COMMITMENT), error.message);
      assert.equal(error.result?.decisions, 99);
      return true;
    });
  });
}

test("a seed that stays secret until its group is over is no error", async () => {
  const stream = await server.welcomed();
  const value = {
    seedCommitment: COMMITMENT,
    config: { group: { seedReveal: SeedReveal.WITH_GROUP } },
  };
  stream.send({ sequence: 1, message: { case: "matchStarted", value } });
  stream.send(matchEnded(2));
  assert.equal((await soon(playing)).decisions, 99);
});

test("a commitment that changes breaks the protocol", async () => {
  const stream = await server.welcomed();
  stream.send(matchStarted(1, COMMITMENT));
  stream.send(matchStarted(2, "other"));
  await assert.rejects(soon(playing), { name: "ProtocolError", message: /commitment changed/ });
});

test("an aborted signal leaves the match", async () => {
  const stream = await server.welcomed();
  leave.get(server)?.abort(new RangeError("enough"));
  await assert.rejects(soon(playing), /RangeError: enough/);
  assert.equal(await stream.receive(), undefined);
});

test("several matches are played at once", async () => {
  const first = await server.welcomed();
  const second = play(() => 2, { server: server.address, ticket: "t", name: "two" });
  const stream = await server.stream();
  assert.equal((await stream.welcome()).botName, "two");
  stream.send(decisionRequest(1, 1));
  assert.deepEqual(await stream.decision(), [1, 2]);
  stream.send(matchEnded(2));
  assert.equal((await soon(second)).matchId, MATCH_ID);
  await end(first, 1);
});

test("a server that is not there is an error that says to retry", async () => {
  const gone = await ScriptedServer.start();
  gone.stop();
  const options = { server: gone.address, ticket: "t", connectForMs: 100 };
  await assert.rejects(soon(play(() => 0, options)), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.deepEqual([error.advice, error.reason], ["retry", undefined]);
    assert.match(error.message, /could not be reached within 0.1 s: UNAVAILABLE/);
    return true;
  });
});

test("a server that stops and does not come back is lost with its reason", async () => {
  const stopping = await ScriptedServer.start();
  const options = { server: stopping.address, ticket: "t", reconnectForMs: 0 };
  const lost = play(() => 0, options);
  (await stopping.welcomed()).fail(status.UNAVAILABLE, "SERVER_STOPPING");
  await assert.rejects(soon(lost), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.deepEqual([error.advice, error.reason], ["retry", "SERVER_STOPPING"]);
    return true;
  });
  stopping.stop();
});

for (const [what, options, message] of [
  ["no ticket", {}, /no ticket: set BRIDGEMASTER_TICKET/],
  ["a ticket of two lines", { ticket: "a\nb" }, /the ticket has characters/],
  ["a server without a port", { ticket: "t", server: "http://example.org" }, /not an address/],
  ["a server of another kind", { ticket: "t", server: "ftp://a:1" }, /not an address/],
  ["a name that is too long", { ticket: "t", name: "n".repeat(65) }, /1 to 64 printable/],
  ["a file that is not there", { ticket: "t", server: "https://a:1", tls: { ca: "/no/file" } }, /no\/file/],
  ["a certificate without its key", { ticket: "t", server: "https://a:1", tls: { clientCert: "package.json" } }, /together/],
] as const) {
  test(`${what} is named before anything is sent`, async () => {
    await assert.rejects(play(() => 0, options), (error) => {
      assert.ok(error instanceof OptionsError);
      assert.match(error.message, message);
      return true;
    });
  });
}
