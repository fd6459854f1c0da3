// A seat of a match, with a stream for messages and calls for answers.

import type { PlayResponse } from "../../gen/bridgemaster/v1/play_pb.ts";
import type { DecisionRejected } from "../../gen/bridgemaster/v1/play_pb.ts";
import { Pauses } from "./pauses.ts";
import { reasonOf, failureOf } from "./refusal.ts";
import { seats } from "./server.ts";

/** Maximum pause before a retry, in ms. */
const MAX_RETRY_MS = 8_000;

/** Receives the messages of a seat. */
export interface SeatListener {
  message(message: PlayResponse): void;
  /** The connection is lost, or, with an empty text, restored. */
  notice(text: string): void;
}

/** The client of a seat. */
export class SeatClient {
  readonly #client = seats();
  readonly #headers: { authorization: string };
  #isClosed = false;

  constructor(ticket: string, private readonly name: string) {
    this.#headers = { authorization: `Bearer ${ticket}` };
  }

  /** Holds the seat until the match is over, even while the tab is hidden. A lost stream is reopened, and
   * the seat starts over with the open request and its remaining time. */
  async hold(listener: SeatListener): Promise<void> {
    const pauses = new Pauses(MAX_RETRY_MS);
    for (;;) {
      let isOver = false;
      try {
        const hello = { protocolRevision: 1, botName: this.name, botVersion: "page" };
        for await (const { message } of this.#client.watchSeat({ hello }, { headers: this.#headers })) {
          if (this.#isClosed) return;
          if (!message) continue;
          pauses.reset();
          listener.notice("");
          isOver ||= message.message.case === "matchEnded";
          listener.message(message);
        }
        if (isOver) return;
        listener.notice("The connection is lost; reconnecting.");
      } catch (error) {
        if (isOver) return;
        const failure = failureOf(error);
        if (!failure.isTemporary) throw error;
        listener.notice(`The connection is lost (${failure.text}); reconnecting.`);
      }
      await pauses.wait();
      if (this.#isClosed) return;
    }
  }

  /** Answers a request with the index of a legal decision, with retries. Returns the refusal, if it was
   * refused. */
  async decide(requestId: number, index: number, note: string, isOpen: () => boolean): Promise<DecisionRejected | undefined> {
    const decision = { requestId, choice: { case: "index" as const, value: index }, note };
    const pauses = new Pauses(MAX_RETRY_MS);
    for (;;) {
      try {
        return (await this.#client.decide({ decision }, { headers: this.#headers })).rejected;
      } catch (error) {
        // The server refuses answers without a stream; one is being opened.
        if (!failureOf(error).isTemporary && reasonOf(error) !== "HELLO_EXPECTED") throw error;
      }
      await pauses.wait();
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
