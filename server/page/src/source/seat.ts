// A seat of a match, held by a stream and answered by calls.

import type { PlayResponse } from "../../gen/bridgemaster/v1/play_pb.ts";
import type { DecisionRejected } from "../../gen/bridgemaster/v1/play_pb.ts";
import { Pauses } from "./pauses.ts";
import { refusalOf, troubleOf } from "./refusal.ts";
import { seats } from "./server.ts";

/** Longest time until something that failed is tried again, in ms. */
const LONGEST_RETRY_MS = 8_000;

/** What the seat tells. */
export interface SeatListener {
  message(message: PlayResponse): void;
  /** The connection is lost and tried again, or, with an empty text, is back. */
  notice(text: string): void;
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
    const pauses = new Pauses(LONGEST_RETRY_MS);
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
        listener.notice("The connection is lost; it is tried again.");
      } catch (error) {
        if (isOver) return;
        const trouble = troubleOf(error);
        if (!trouble.mayPass) throw error;
        listener.notice(`The connection is lost (${trouble.text}); it is tried again.`);
      }
      await pauses.pass();
      if (this.#isClosed) return;
    }
  }

  /** Answers a request by the index of a legal decision, as often as it takes to arrive; why it was
   * refused, if it was. */
  async decide(requestId: number, index: number, note: string, isOpen: () => boolean): Promise<DecisionRejected | undefined> {
    const decision = { requestId, choice: { case: "index" as const, value: index }, note };
    const pauses = new Pauses(LONGEST_RETRY_MS);
    for (;;) {
      try {
        return (await this.#client.decide({ decision }, { headers: this.#headers })).rejected;
      } catch (error) {
        // Without a stream the answer counts for none; one is being opened.
        if (!troubleOf(error).mayPass && refusalOf(error).reason !== "HELLO_EXPECTED") throw error;
      }
      await pauses.pass();
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
