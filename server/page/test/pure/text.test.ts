import assert from "node:assert/strict";
import { test } from "node:test";
import { plain } from "../../src/text.ts";

test("invisible characters are written as their numbers", () => {
  assert.equal(plain("a\u202eb\u0000c\u200bd\ue000"), "a\\u{202e}b\\u{0}c\\u{200b}d\\u{e000}");
});

test("letters of any language are unchanged", () => {
  assert.equal(plain("Zoë 橋 мост جسر 🌉"), "Zoë 橋 мост جسر 🌉");
});

test("a long text is cut between characters", () => {
  assert.equal(plain("🌉".repeat(500)), `${"🌉".repeat(400)}…`);
});
