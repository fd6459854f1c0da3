// Several servers: trying them in turn, and following redirects.

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

let redirecting: ScriptedServer;
let playing: ScriptedServer;

beforeEach(async () => {
  [redirecting, playing] = [await ScriptedServer.start(), await ScriptedServer.start()];
});

afterEach(() => {
  redirecting.stop();
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
    assert.ok(!route.advance());
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

test("a redirect is followed at once and a second one after a pause", () => {
  const route = newRoute("one:1,two:2");
  assert.ok(route.advance("three:3"));
  assert.deepEqual(route.server, { address: "http://three:3", target: "three:3", tls: undefined });
  assert.ok(!route.advance("one:1"), "redirected twice in a row");
  route.markAnswered();
  assert.ok(route.advance("three:3"));
  route.advance();
  assert.equal(route.server.target, "two:2");
});

test("a redirect uses TLS as the redirecting server does", () => {
  const route = newRoute("https://one:1,http://two:2");
  const { tls } = route.server;
  assert.ok(tls);
  route.advance("three:3");
  assert.deepEqual([route.server.address, route.server.tls], ["https://three:3", tls]);
});

test("an invalid address is refused, and a redirect to it is ignored", () => {
  for (const servers of ["one:1,", "one:1,nonsense"]) {
    assert.throws(() => newRoute(servers), OptionsError);
  }
  const route = newRoute("one:1,two:2");
  assert.ok(!route.advance("no address"));
  assert.equal(route.server.target, "two:2");
});

test("a bot finds its match", async () => {
  const played = play(() => 0, optionsFor(DEAD, ` ${redirecting.address}`));
  (await redirecting.stream()).moved(playing.target);
  end(await playing.welcomedStream());
  assert.equal((await withinTimeout(played)).decisions, 99);
});

for (const reason of [undefined, "NODE_SUPERSEDED"]) {
  test(`a bot resumes at another server after ${reason ?? "a lost stream"}`, async () => {
    const played = play(() => 0, optionsFor(redirecting.address, playing.address));
    (await redirecting.welcomedStream()).fail(status.UNAVAILABLE, reason);
    end(await playing.welcomedStream());
    await withinTimeout(played);
  });
}

test("a failed redirect leads back to the configured servers", async () => {
  const played = play(() => 0, optionsFor(redirecting.address, playing.address));
  (await redirecting.stream()).moved("127.0.0.1:1");
  end(await playing.welcomedStream());
  await withinTimeout(played);
});

test("a redirect after the time limit ends play with its reason", async () => {
  const lost = play(() => 0, { ...optionsFor(redirecting.address), connectForMs: 0 });
  const rejected = assert.rejects(withinTimeout(lost), (error) => {
    assert.ok(error instanceof ServerLostError);
    assert.equal(error.reason, "MOVED");
    return true;
  });
  (await redirecting.stream()).moved(playing.target);
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

test("an attendance follows redirects, and so does its match", async () => {
  const attendance = attend(() => () => 0, { ...optionsFor(DEAD, redirecting.address), queue: "cup" });
  (await redirecting.attendance()).moved(playing.target);
  const attending = await playing.attendance();
  attending.offer("o1", "t1");
  (await redirecting.stream()).moved(playing.target);
  end(await playing.welcomedStream());
  attending.end();
  await withinTimeout(attendance);
});
