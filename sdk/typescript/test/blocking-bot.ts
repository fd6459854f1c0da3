// A worker thread with a bot that blocks its thread while it decides, until the test wakes it.

import { workerData } from "node:worker_threads";
import { play } from "bridgemaster";

const { server, woken } = workerData as { server: string; woken: Int32Array };

function decide(): number {
  Atomics.wait(woken, 0, 0);
  return 3;
}

await play(decide, { server, ticket: "t" });
