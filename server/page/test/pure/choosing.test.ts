// Choosing one of the legal decisions in steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Choosing } from "../../src/play/choosing.ts";

const steps = (...keys: string[]) => keys.map((key) => ({ key, label: key }));
const keys = (choosing: Choosing) => choosing.options.map(({ key }) => key);

test("each option is offered once, and the last one completes the decision", () => {
  const choosing = new Choosing([steps("a", "x"), steps("a", "y"), steps("b")]);
  assert.deepEqual(keys(choosing), ["a", "b"]);
  assert.equal(choosing.choose("a"), undefined);
  assert.deepEqual(keys(choosing), ["x", "y"]);
  assert.equal(choosing.choose("y"), 1);
  choosing.reset();
  assert.equal(choosing.choose("b"), 2);
});

test("a step with a single option is skipped", () => {
  const choosing = new Choosing([steps("a", "same", "x"), steps("a", "same", "y"), steps("b", "other", "z")]);
  assert.equal(choosing.choose("a"), undefined);
  assert.deepEqual(keys(choosing), ["x", "y"]);
  assert.equal(choosing.choose("x"), 0);
  assert.deepEqual(choosing.path.map(({ key }) => key), ["a", "same", "x"]);
  choosing.reset();
  assert.equal(choosing.choose("b"), 2, "of one decision the rest is not asked");
});

test("an option that is not offered chooses nothing", () => {
  const choosing = new Choosing([steps("a"), steps("b")]);
  assert.equal(choosing.choose("c"), undefined);
  assert.deepEqual(keys(choosing), ["a", "b"]);
  assert.equal(choosing.path.length, 0);
});

test("indistinguishable decisions do not block the choice", () => {
  const choosing = new Choosing([steps("a"), steps("a"), steps("b")]);
  assert.equal(choosing.choose("a"), 0);
});
