// The thread of the connection, so that a bot that computes without an `await` blocks only its own
// thread.

import { create, toBinary } from "@bufbuild/protobuf";
import { parentPort, workerData } from "node:worker_threads";
import { MatchResultSchema } from "./gen/bridgemaster/v1/match_pb.js";
import { Seat, Stopped } from "./seat.js";
import { packError, type FromBot, type Task, type ToBot } from "./threads.js";

const port = parentPort;
if (!port) throw new Error("this module must run as a worker thread");

const post = (message: ToBot) => port.postMessage(message);

const { options, cancelled } = workerData as Task;
const seat = new Seat(options, {
  decide: ({ requestKey, seat, received }) =>
    post({
      kind: "decide",
      requestKey,
      seat,
      receivedMs: received.receivedMs,
      response: received.bytes,
    }),
  cancel: (requestKey) => {
    // The memory is for a bot that computes without an `await`, the message for all others.
    Atomics.store(cancelled, 0, requestKey);
    post({ kind: "cancelled" });
  },
  notify: (received) => post({ kind: "notify", response: received.bytes }),
  log: (level, line) => post({ kind: "log", level, line }),
});
port.on("message", (message: FromBot) => {
  if (message.kind === "stop") seat.stop();
  else seat.answer(message.requestKey, message.answer);
});

try {
  const result = (await seat.play()) ?? create(MatchResultSchema);
  post({ kind: "ended", result: toBinary(MatchResultSchema, result) });
} catch (error) {
  post(error instanceof Stopped ? { kind: "stopped" } : { kind: "failed", error: packError(error) });
}
// Deno has no function to close the port; there, the thread closes itself.
if (port.close) port.close();
else (globalThis as unknown as { close(): void }).close();
