// Several servers: tried in turn, and followed to where one of them says that something is.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, beforeEach, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { attend, OptionsError, play, ServerLostError, type Options } from "bridgemaster";
import { placesOf } from "../dist/place.js";
import { Route } from "../dist/route.js";
import { matchEnded, ScriptedServer, soon, type Stream } from "./scripted-server.js";

/** Nothing listens there. */
const DEAD = "http://127.0.0.1:1";

let asked: ScriptedServer;
let playing: ScriptedServer;

beforeEach(async () => {
  [asked, playing] = [await ScriptedServer.start(), await ScriptedServer.start()];
});

afterEach(() => {
  asked.stop();
  playing.stop();
});

function route(servers: string): Route {
  return new Route(placesOf(servers, {}));
}

/** Options of a bot that knows these servers. */
function knows(...servers: string[]): Options {
  return { server: servers.join(","), ticket: "t", name: "puppet", log: () => undefined };
}

/** Ends the match on a welcomed stream. */
function end(stream: Stream): void {
  stream.send(matchEnded(1));
  stream.end();
}

test("the servers are tried in turn", () => {
  const way = route("http://one:1, two:2");
  const tried = [way.place.target];
  for (let times = 0; times < 2; times += 1) {
    assert.ok(!way.goOn());
    tried.push(way.place.target);
  }
  assert.deepEqual(tried, ["one:1", "two:2", "one:1"]);
});

test("each of several servers has its share of the time", () => {
  const shares = { "one:1": 10, "one:1,two:2": 6, "one:1,two:2,three:3": 4 };
  for (const [servers, patience] of Object.entries(shares)) {
    assert.equal(route(servers).patienceMs(10, 12), patience, servers);
  }
});

test("a caller goes where it is sent and pauses when sent on", () => {
  const way = route("one:1,two:2");
  assert.ok(way.goOn("three:3"));
  assert.deepEqual(way.place, { server: "http://three:3", target: "three:3", tls: undefined });
  assert.ok(!way.goOn("one:1"), "sent on without an answer");
  way.arrived();
  assert.ok(way.goOn("three:3"));
  way.goOn();
  assert.equal(way.place.target, "two:2");
});

test("a caller is sent on with the TLS of where it is", () => {
  const way = route("https://one:1,http://two:2");
  const { tls } = way.place;
  assert.ok(tls);
  way.goOn("three:3");
  assert.deepEqual([way.place.server, way.place.tls], ["https://three:3", tls]);
});

test("what is no address is refused, and nobody is sent there", () => {
  for (const servers of ["one:1,", "one:1,nonsense"]) {
    assert.throws(() => route(servers), OptionsError);
  }
  const way = route("one:1,two:2");
  assert.ok(!way.goOn("no address"));
  assert.equal(way.place.target, "two:2");
});

test("a bot finds its match", async () => {
  const played = play(() => 0, knows(DEAD, ` ${asked.address}`));
  (await asked.stream()).moved(playing.target);
  end(await playing.welcomed());
  assert.equal((await soon(played)).decisions, 99);
});

for (const reason of [undefined, "NODE_SUPERSEDED"]) {
  test(`a bot comes back at another server after ${reason ?? "a lost stream"}`, async () => {
    const played = play(() => 0, knows(asked.address, playing.address));
    (await asked.welcomed()).fail(status.UNAVAILABLE, reason);
    end(await playing.welcomed());
    await soon(played);
  });
}

test("a bot goes back to the servers that it knows when it is sent to none", async () => {
  const played = play(() => 0, knows(asked.address, playing.address));
  (await asked.stream()).moved("127.0.0.1:1");
  end(await playing.welcomed());
  await soon(played);
});

test("a bot that is sent on when its time is over gives up with that reason", async () => {
  const lost = play(() => 0, { ...knows(asked.address), connectForMs: 0 });
  const given = assert.rejects(soon(lost), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.equal(error.reason, "MOVED");
    return true;
  });
  (await asked.stream()).moved(playing.target);
  await given;
});

test("a server that says nothing is left for the next one in time", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const played = play(() => 0, knows(`127.0.0.1:${port}`, playing.address));
  end(await playing.welcomed());
  await soon(played);
  silent.close();
});

test("an attendance is followed, and its match is at one of the servers", async () => {
  const attendance = attend(() => () => 0, { ...knows(DEAD, asked.address), queue: "cup" });
  (await asked.attending()).moved(playing.target);
  const attending = await playing.attending();
  attending.offer("o1", "t1");
  (await asked.stream()).moved(playing.target);
  end(await playing.welcomed());
  attending.end();
  await soon(attendance);
});
