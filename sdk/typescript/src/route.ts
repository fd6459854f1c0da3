// The servers that a seat or an attendance tries.

import { TlsError } from "./errors.js";
import type { StreamLost } from "./failure.js";
import type { Server } from "./server.js";
import { requiredTls, tlsMistake } from "./tls.js";

/** The current server, among the configured ones. */
export class Route {
  readonly #servers: readonly Server[];
  #index = 0;
  #probed = false;
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

  /**
   * Throws a `TlsError` if a TLS mistake made the current server fail. With several servers, the
   * next one is tried instead.
   */
  async checkTls(lost: StreamLost, hadStream: boolean): Promise<void> {
    if (this.#servers.length > 1 || lost.reason !== undefined) return;
    const { address, target, tls, proxy } = this.#server;
    let mistake: string | undefined;
    if (tls) {
      mistake = tlsMistake(lost.message);
    } else if (!hadStream && !this.#probed && !proxy) {
      this.#probed = true;
      mistake = await requiredTls(target);
    }
    if (mistake) throw new TlsError(`cannot connect to ${address}: ${mistake}`);
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
