// Attending a queue of a scripted server on the loopback interface.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import { attend, OptionsError, ServerLostError, type Options } from "bridgemaster";
import { OfferSchema } from "../dist/gen/bridgemaster/v1/lobby_service_pb.js";
import { resolveAttendOptions, resolveOptions, shouldAttend } from "../dist/options.js";
import { Slots } from "../dist/slots.js";
import {
  decisionRequest,
  matchEnded,
  ping,
  ScriptedServer,
  withinTimeout,
} from "./scripted-server.js";

let server: ScriptedServer;
let options: Options;

beforeEach(async () => {
  server = await ScriptedServer.start();
  options = {
    server: server.address,
    queue: "cup",
    slots: 2,
    name: "puppet",
    version: "7",
    log: () => undefined,
  };
});

afterEach(() => server.stop());

test("each offer is played once across all streams, by its own bot", async () => {
  let created = 0;
  const newBot = () => {
    created += 1;
    return () => 4;
  };
  const attendance = attend(newBot, options);
  // A contest opens its queue shortly after it starts.
  (await server.attendance()).fail(status.NOT_FOUND, "QUEUE_UNKNOWN");
  let attending = await server.attendance();
  const { queueId, botName, botVersion, slots, protocolRevision } = attending.request;
  assert.deepEqual(
    [queueId, botName, botVersion, slots, protocolRevision],
    ["cup", "puppet", "7", 2, 1],
  );
  const { clientInstanceId, streamNumber } = attending.request;
  assert.deepEqual([clientInstanceId.length, streamNumber], [36, 2]);
  attending.offer("o1", "t1");
  const first = await server.welcomedStream();
  attending.fail(status.UNAVAILABLE);

  attending = await server.attendance();
  attending.offer("o1", "t1");
  attending.offer("o2", "t2");
  const second = await server.welcomedStream();
  attending.end();
  for (const stream of [first, second]) {
    stream.send(decisionRequest(1, 1));
    assert.deepEqual(await stream.decision(), [1, 4]);
    stream.send(matchEnded(2));
    assert.equal(await stream.receive(), undefined);
    stream.end();
  }
  await withinTimeout(attendance);
  assert.equal(created, 2);
  const tickets = [first, second].map((stream) => stream.metadata["authorization"]);
  assert.deepEqual(tickets, ["Bearer t1", "Bearer t2"]);
});

test("an absent queue is abandoned after the time limit, with its reason", async () => {
  const attendance = attend(() => () => 0, { ...options, connectForMs: 0 });
  const rejected = assert.rejects(attendance, (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.equal(error.reason, "QUEUE_UNKNOWN");
    return true;
  });
  (await server.attendance()).fail(status.NOT_FOUND, "QUEUE_UNKNOWN");
  await withinTimeout(rejected);
});

test("a signal ends an attendance", async () => {
  const leaving = new AbortController();
  const attendance = attend(() => () => 0, { ...options, signal: leaving.signal });
  const left = assert.rejects(attendance, /has left/);
  await server.attendance();
  leaving.abort(new Error("has left"));
  await withinTimeout(left);
});

test("an offered seat is retried for as long as the attendance", () => {
  const alone = resolveOptions({ ticket: "t" }, {});
  assert.deepEqual([alone.connectForMs, alone.reconnectForMs], [10_000, 30_000]);
  assert.equal(resolveAttendOptions({ queue: "cup" }).reconnectForMs, 600_000);
  const offered = resolveOptions({ queue: "cup", ticket: "t" }, {});
  assert.deepEqual([offered.connectForMs, offered.reconnectForMs], [600_000, 600_000]);
  const brief = resolveOptions({ queue: "cup", ticket: "t", reconnectForMs: 0 }, {});
  assert.equal(brief.reconnectForMs, 0);
});

test("a proxy must have an http address", async () => {
  for (const proxy of ["https://proxy:3128", "socks5://proxy:1080", "proxy"]) {
    await assert.rejects(attend(() => () => 0, { ...options, proxy }), (error) => {
      assert.ok(error instanceof OptionsError);
      assert.match(error.message, /^proxy: /);
      return true;
    });
  }
});

test("a ticket has precedence over a queue, and slots are limited", async () => {
  assert.ok(shouldAttend({ queue: "cup" }));
  assert.ok(!shouldAttend({ queue: "cup", ticket: "t" }));
  for (const slots of [0, 65, 1.5]) {
    await assert.rejects(attend(() => () => 0, { ...options, slots }), OptionsError);
  }
});

test("busy slots are reported until the server counts them", () => {
  const slots = new Slots(1);
  slots.take(create(OfferSchema));
  slots.setUsedAtServer(0);
  slots.check();
  assert.deepEqual([slots.check().busy, slots.check().busy], [1, 1]);
  slots.setUsedAtServer(0, 1);
  assert.equal(slots.check().busy, undefined);
  slots.setUsedAtServer(0, 0);
  assert.equal(slots.check().busy, 1);
});

test("a slot is free only when decide has returned", async () => {
  const returning: ((index: number) => void)[] = [];
  const newBot = () => () => new Promise<number>((resolve) => returning.push(resolve));
  const attendance = attend(newBot, { ...options, slots: 1 });
  const attending = await server.attendance();
  attending.state(1);
  attending.offer("o1", "t1");
  const first = await server.welcomedStream();
  first.send(decisionRequest(1, 1));
  first.send(ping(1));
  await first.receive();
  first.fail(status.UNAVAILABLE, "MATCH_CANCELLED");
  attending.state(0);
  // A report that fails is repeated.
  assert.equal(await server.busySlots.get(), 1);
  assert.equal(await server.busySlots.get(), 1);
  // The server has offered the slot again before it received the report.
  attending.state(1, 1);
  attending.offer("o2", "t2");
  attending.offer("o3", "t3", 0);
  assert.equal(await server.declined.get(), "o3");
  assert.equal(server.streamCount, 1, "the slot is not free");
  returning.forEach((resolve) => resolve(0));
  const second = await server.welcomedStream();
  assert.equal(second.metadata["authorization"], "Bearer t2");
  while ((await server.busySlots.get()) !== 0);
  second.send(matchEnded(1));
  second.end();
  attending.end();
  await withinTimeout(attendance);
});
