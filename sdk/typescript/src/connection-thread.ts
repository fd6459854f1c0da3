// The thread of the connection: a bot that thinks without an `await` keeps its own thread, and
// nothing else.

import { create, toBinary } from "@bufbuild/protobuf";
import { parentPort, workerData } from "node:worker_threads";
import { MatchResultSchema } from "./gen/bridgemaster/v1/match_pb.js";
import { Seat, Stopped } from "./seat.js";
import { packed, type FromBot, type Task, type ToBot } from "./threads.js";

const port = parentPort;
if (!port) throw new Error("this module is the body of a thread");

const tell = (message: ToBot) => port.postMessage(message);

const seat = new Seat(workerData as Task, {
  ask: ({ askedId, seat, received }) =>
    tell({
      kind: "ask",
      askedId,
      seat,
      receivedMs: received.receivedMs,
      response: received.bytes,
    }),
  tell: (received) => tell({ kind: "tell", response: received.bytes }),
  log: (level, line) => tell({ kind: "log", level, line }),
});

port.on("message", (message: FromBot) => {
  if (message.kind === "stop") seat.stop();
  else seat.answer(message.askedId, message.answer);
});

try {
  const result = (await seat.play()) ?? create(MatchResultSchema);
  tell({ kind: "ended", result: toBinary(MatchResultSchema, result) });
} catch (error) {
  tell(error instanceof Stopped ? { kind: "stopped" } : { kind: "failed", failure: packed(error) });
}
port.close();
