// Several servers, which are tried in turn.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, beforeEach, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { attend, OptionsError, play, ServerLostError, type Options } from "bridgemaster";
import { Route } from "../dist/route.js";
import { parseServers } from "../dist/server.js";
import { matchEnded, ScriptedServer, withinTimeout, type Stream } from "./scripted-server.js";

/** An address without a listener. */
const DEAD = "http://127.0.0.1:1";

let stopping: ScriptedServer;
let playing: ScriptedServer;

beforeEach(async () => {
  [stopping, playing] = [await ScriptedServer.start(), await ScriptedServer.start()];
});

afterEach(() => {
  stopping.stop();
  playing.stop();
});

function newRoute(servers: string): Route {
  return new Route(parseServers(servers, {}));
}

/** Options with these servers. */
function optionsFor(...servers: string[]): Options {
  return { server: servers.join(","), ticket: "t", name: "puppet", log: () => undefined };
}

/** Ends the match on a welcomed stream. */
function end(stream: Stream): void {
  stream.send(matchEnded(1));
  stream.end();
}

test("the servers are tried in turn", () => {
  const route = newRoute("http://one:1, two:2");
  const tried = [route.server.target];
  for (let times = 0; times < 2; times += 1) {
    route.advance();
    tried.push(route.server.target);
  }
  assert.deepEqual(tried, ["one:1", "two:2", "one:1"]);
});

test("several servers share the total time", () => {
  const timeouts = { "one:1": 10, "one:1,two:2": 6, "one:1,two:2,three:3": 4 };
  for (const [servers, timeout] of Object.entries(timeouts)) {
    assert.equal(newRoute(servers).answerTimeoutMs(10, 12), timeout, servers);
  }
});

test("an invalid address is refused", () => {
  for (const servers of ["one:1,", "one:1,nonsense"]) {
    assert.throws(() => newRoute(servers), OptionsError);
  }
});

test("an unreachable server is left for the next one", async () => {
  const played = play(() => 0, optionsFor(DEAD, ` ${playing.address}`));
  end(await playing.welcomedStream());
  assert.equal((await withinTimeout(played)).decisions, 99);
});

for (const reason of [undefined, "NODE_SUPERSEDED"]) {
  test(`a bot resumes at another server after ${reason ?? "a lost stream"}`, async () => {
    const played = play(() => 0, optionsFor(stopping.address, playing.address));
    (await stopping.welcomedStream()).fail(status.UNAVAILABLE, reason);
    end(await playing.welcomedStream());
    await withinTimeout(played);
  });
}

test("a refusal after the time limit ends play with its reason", async () => {
  const lost = play(() => 0, { ...optionsFor(stopping.address), connectForMs: 0 });
  const rejected = assert.rejects(withinTimeout(lost), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.equal(error.reason, "NODE_SUPERSEDED");
    return true;
  });
  (await stopping.stream()).fail(status.UNAVAILABLE, "NODE_SUPERSEDED");
  await rejected;
});

test("a silent server is left for the next one in time", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const played = play(() => 0, optionsFor(`127.0.0.1:${port}`, playing.address));
  end(await playing.welcomedStream());
  await withinTimeout(played);
  silent.close();
});

test("an attendance tries the servers in turn, and so does its match", async () => {
  const attendance = attend(() => () => 0, { ...optionsFor(DEAD, playing.address), queue: "cup" });
  const attending = await playing.attendance();
  attending.offer("o1", "t1");
  end(await playing.welcomedStream());
  attending.end();
  await withinTimeout(attendance);
});
