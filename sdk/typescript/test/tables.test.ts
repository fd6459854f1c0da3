// The tables that all SDKs share.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Metadata } from "@grpc/grpc-js";
import { OptionsError, PlayError } from "bridgemaster";
import { errorFromRpc } from "../dist/failure.js";
import { parseAddress } from "../dist/server.js";
import { refusal } from "./scripted-server.js";

function rows(name: string): string[][] {
  const table = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
  const lines = table.split("\n").filter((line) => line && !line.startsWith("#"));
  return lines.map((line) => line.split("\t"));
}

test("addresses are parsed as specified", () => {
  for (const [address = "", expected] of rows("addresses.tsv")) {
    let parsed: string;
    try {
      const { target, encrypted } = parseAddress(address);
      parsed = `${encrypted ? "https" : "http"} ${target}`;
    } catch (error) {
      assert.ok(error instanceof OptionsError);
      parsed = `error ${error.message.split(": ").at(-1)}`;
    }
    assert.equal(parsed, expected, address);
  }
});

test("every status is handled as the table says", () => {
  for (const [code, reason, advice] of rows("statuses.tsv")) {
    const status = refusal(Number(code), reason === "-" ? undefined : reason);
    const error = errorFromRpc({ name: "", message: "", ...status });
    const got = error instanceof PlayError ? error.advice : "retry";
    assert.equal(got, advice, `${code} ${reason}`);
  }
  const withoutMetadata = { name: "", message: "", code: 16, details: "" };
  assert.ok(!(errorFromRpc({ ...withoutMetadata, metadata: new Metadata() }) instanceof PlayError));
});
