// A seat of a match, held by a stream and answered by calls.

import type { PlayResponse } from "../../gen/bridgemaster/v1/play_pb.ts";
import type { DecisionRejected } from "../../gen/bridgemaster/v1/play_pb.ts";
import { reasonOf, seats, troubleOf } from "./server.ts";

/** First and longest time until something that failed is tried again, in ms. */
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the seat tells. */
export interface SeatListener {
  message(message: PlayResponse): void;
  /** The connection is lost and tried again, or, with an empty text, is back. */
  notice(text: string): void;
}

/** Whether it may work when it is tried again. */
function mayPass(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === "" ? troubleOf(error).mayPass
    : ["SERVER_STOPPING", "LIMIT_REACHED", "SLOW_CONSUMER", "STORAGE_FAILED", "KEYS_UNREADABLE"].includes(reason);
}

/** A seat. */
export class SeatClient {
  readonly #client = seats();
  readonly #headers: { authorization: string };
  #isClosed = false;

  constructor(ticket: string, private readonly name: string) {
    this.#headers = { authorization: `Bearer ${ticket}` };
  }

  /** Holds the seat until the match is over, also while the tab is hidden. A lost stream is opened
   * again, and the seat begins anew: with the open request, and the time that is left of it. */
  async hold(listener: SeatListener): Promise<void> {
    let retryMs = RETRY_MS;
    for (;;) {
      let isOver = false;
      try {
        const hello = { protocolRevision: 1, botName: this.name, botVersion: "page" };
        for await (const { message } of this.#client.watchSeat({ hello }, { headers: this.#headers })) {
          if (this.#isClosed) return;
          if (!message) continue;
          retryMs = RETRY_MS;
          listener.notice("");
          isOver ||= message.message.case === "matchEnded";
          listener.message(message);
        }
        if (isOver) return;
        listener.notice("The connection is lost; it is tried again.");
      } catch (error) {
        if (isOver) return;
        if (!mayPass(error)) throw error;
        listener.notice(`The connection is lost (${troubleOf(error).text}); it is tried again.`);
      }
      await pause(retryMs);
      if (this.#isClosed) return;
      retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    }
  }

  /** Answers a request by the index of a legal decision, as often as it takes to arrive; why it was
   * refused, if it was. */
  async decide(requestId: number, index: number, note: string, isOpen: () => boolean): Promise<DecisionRejected | undefined> {
    const decision = { requestId, choice: { case: "index" as const, value: index }, note };
    for (let retryMs = RETRY_MS; ; retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2)) {
      try {
        return (await this.#client.decide({ decision }, { headers: this.#headers })).rejected;
      } catch (error) {
        // Without a stream the answer counts for none; one is being opened.
        if (!mayPass(error) && reasonOf(error) !== "HELLO_EXPECTED") throw error;
      }
      await pause(retryMs);
      if (this.#isClosed || !isOpen()) return undefined;
    }
  }

  async resign(): Promise<void> {
    await this.#client.resignSeat({}, { headers: this.#headers });
  }

  close(): void {
    this.#isClosed = true;
  }
}
