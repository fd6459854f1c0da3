// TLS mistakes are named, and not retried.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import * as grpc from "@grpc/grpc-js";
import { play, TlsError } from "bridgemaster";

/** Test certificates of all SDKs. */
const FOLDER = new URL("../../tls/", import.meta.url);

function path(name: string): string {
  return new URL(name, FOLDER).pathname;
}

async function assertMistake(server: string, expected: RegExp, ca?: string): Promise<void> {
  const options = { server, ticket: "t", name: "puppet", tls: ca ? { ca: path(ca) } : {} };
  await assert.rejects(play(() => 0, options), (error) => {
    assert.ok(error instanceof TlsError, String(error));
    assert.match(error.message, expected);
    assert.match(error.message, /BRIDGEMASTER_CA/);
    return true;
  });
}

for (const answer of [Buffer.from("15030300020232", "hex"), Buffer.from("HTTP/1.1 400 use HTTPS")]) {
  test(`a server with TLS is recognized by its answer ${answer.toString("latin1", 7)}`, async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined).once("data", () => socket.end(answer));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    await assertMistake(`http://127.0.0.1:${port}`, /requires TLS/);
    server.close();
  });
}

async function listen(credentials: grpc.ServerCredentials): Promise<[grpc.Server, number]> {
  const server = new grpc.Server();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return [server, port];
}

for (const [certificate, expected] of [
  ["valid", /not signed by a trusted authority/],
  ["expired", /has expired/],
] as const) {
  test(`a certificate that is only ${certificate} is named`, async () => {
    const pair = {
      private_key: readFileSync(path(`${certificate}.key`)),
      cert_chain: readFileSync(path(`${certificate}.pem`)),
    };
    const [server, port] = await listen(grpc.ServerCredentials.createSsl(null, [pair]));
    await assertMistake(`https://127.0.0.1:${port}`, expected, "ca.pem");
    server.forceShutdown();
  });
}

test("a server without TLS is named", async () => {
  const [server, port] = await listen(grpc.ServerCredentials.createInsecure());
  await assertMistake(`https://127.0.0.1:${port}`, /does not use TLS/);
  server.forceShutdown();
});
