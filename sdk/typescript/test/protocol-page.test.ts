// Compares the package with the table of refusals.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RefusalReasonSchema } from "bridgemaster/v1/refusal";
import { adviceOf } from "../dist/refusal.js";

test("the advice for every reason is the one of the table", () => {
  const page = readFileSync(new URL("../../../docs/reference/refusals.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|.*\| (retry|fix|stop)[^|]*\|$/gm)];
  assert.equal(rows.length, RefusalReasonSchema.values.length - 1, "UNSPECIFIED has no row");
  for (const [, reason = "", advice] of rows) {
    assert.equal(adviceOf(reason), advice, reason);
  }
});
