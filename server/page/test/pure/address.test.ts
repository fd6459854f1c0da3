import assert from "node:assert/strict";
import { test } from "node:test";
import { readLook, routeOf, writeLook } from "../../src/address.ts";

test("what is looked at comes back from the address", () => {
  for (const look of [
    { at: 37, seat: 2, speed: 4 },
    { at: 0, seat: 0, speed: 2 },
    { at: undefined, seat: undefined, speed: 0.5 },
  ]) assert.deepEqual(readLook(`?${writeLook(look)}`), look);
});

test("what makes no sense in an address is left out", () => {
  assert.deepEqual(readLook("?at=-1&seat=x&speed=1e9"), { at: undefined, seat: undefined, speed: 2 });
  assert.deepEqual(readLook("#at=99999999999"), { at: undefined, seat: undefined, speed: 2 });
});

test("each path has its page", () => {
  assert.deepEqual(routeOf("/m/a%2Fb", ""), { page: "match", matchId: "a/b" });
  assert.deepEqual(routeOf("/ladder/main/bot%20one", ""), { page: "ladder-bot", ladderId: "main", botName: "bot one" });
  assert.equal(routeOf("/", "?bot=x").page, "matches");
  assert.equal(routeOf("/replay", "").page, "replay");
  assert.equal(routeOf("/m", "").page, "unknown");
  assert.equal(routeOf("/%", "").page, "unknown");
});
