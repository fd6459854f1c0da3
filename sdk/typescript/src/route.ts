// The servers that a seat or an attendance tries.

import { redirected, type Server } from "./server.js";

/** The current server, among the configured ones or after a redirect. */
export class Route {
  readonly #servers: readonly Server[];
  /** Index of the configured server that was tried last. */
  #index = 0;
  #server: Server;
  #wasRedirected = false;

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

  /** Records that the server answered instead of redirecting. */
  markAnswered(): void {
    this.#wasRedirected = false;
  }

  /**
   * Moves to `movedTo` (HOST:PORT), or to the next configured server without it. Returns whether to
   * retry at once. Only the first of consecutive redirects is followed at once, so that two servers
   * cannot redirect a caller back and forth without a pause.
   */
  advance(movedTo?: string): boolean {
    const target = movedTo === undefined ? undefined : redirected(this.#server, movedTo);
    if (target) {
      this.#server = target;
      const retryAtOnce = !this.#wasRedirected;
      this.#wasRedirected = true;
      return retryAtOnce;
    }
    this.#wasRedirected = false;
    this.#index = (this.#index + 1) % this.#servers.length;
    this.#server = this.#configured();
    return false;
  }

  #configured(): Server {
    const server = this.#servers[this.#index];
    if (!server) throw new RangeError("a route requires at least one server");
    return server;
  }
}
