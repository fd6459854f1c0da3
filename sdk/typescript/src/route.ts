// The servers that a seat or an attendance tries.

import type { Server } from "./server.js";

/** The current server, among the configured ones. */
export class Route {
  readonly #servers: readonly Server[];
  #index = 0;
  #server: Server;

  /** Starts at the first server. */
  constructor(servers: readonly Server[]) {
    this.#servers = servers;
    this.#server = this.#configured();
  }

  /** The current server. */
  get server(): Server {
    return this.#server;
  }

  /**
   * Returns the time to wait for the first answer of a server, at most `maxMs`. Several servers
   * share `totalMs` equally.
   */
  answerTimeoutMs(maxMs: number, totalMs: number): number {
    const count = this.#servers.length;
    return count === 1 ? maxMs : Math.min(maxMs, totalMs / count);
  }

  /** Continues with the next configured server, after a failure of the current one. */
  advance(): void {
    this.#index = (this.#index + 1) % this.#servers.length;
    this.#server = this.#configured();
  }

  #configured(): Server {
    const server = this.#servers[this.#index];
    if (!server) throw new RangeError("a route requires at least one server");
    return server;
  }
}
