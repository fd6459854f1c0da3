import assert from "node:assert/strict";
import { test } from "node:test";
import { readViewState, rootOf, routeOf, writeViewState } from "../../src/address.ts";

test("the view state survives a round trip through the address", () => {
  for (const look of [
    { at: 37, seat: 2, speed: 4 },
    { at: 0, seat: 0, speed: 2 },
    { at: undefined, seat: undefined, speed: 0.5 },
  ]) assert.deepEqual(readViewState(`?${writeViewState(look)}`), look);
});

test("invalid values in an address are ignored", () => {
  assert.deepEqual(readViewState("?at=-1&seat=x&speed=1e9"), { at: undefined, seat: undefined, speed: 2 });
  assert.deepEqual(readViewState("#at=99999999999"), { at: undefined, seat: undefined, speed: 2 });
});

test("each path has its page", () => {
  assert.deepEqual(routeOf("/m/a%2Fb", ""), { page: "match", matchId: "a/b" });
  assert.deepEqual(routeOf("/ladder/main/bot%20one", ""), { page: "ladder-bot", ladderId: "main", botName: "bot one" });
  assert.equal(routeOf("/", "?bot=x").page, "matches");
  assert.equal(routeOf("/replay", "").page, "replay");
  assert.equal(routeOf("/m", "").page, "unknown");
  assert.equal(routeOf("/%", "").page, "unknown");
});

test("the root is the folder of the script, and pages are below it", () => {
  assert.equal(rootOf("https://host/page.js"), "");
  assert.equal(rootOf("https://host:8443/arena/page.js"), "/arena");
  assert.equal(rootOf(undefined), "");
  assert.deepEqual(routeOf("/arena/m/a", "", "/arena"), { page: "match", matchId: "a" });
  assert.equal(routeOf("/arena/", "", "/arena").page, "matches");
});
