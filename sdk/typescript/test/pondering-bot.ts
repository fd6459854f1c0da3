// A worker thread with a bot that computes without an `await` until its request is cancelled.

import { workerData } from "node:worker_threads";
import { play, type Request } from "bridgemaster";

const { server } = workerData as { server: string };

function decide(request: Request): number {
  while (!request.isCancelled);
  return 0;
}

await play(decide, { server, ticket: "t" });
