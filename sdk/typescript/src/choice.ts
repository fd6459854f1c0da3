// A bot's choice as the protocol carries it.

import { create, isMessage, type Message } from "@bufbuild/protobuf";
import type { Answer, Choice, FullDecision } from "./bot.js";
import { RESIGN } from "./bot.js";
import { GameDecisionSchema, type GameDecision } from "./gen/bridgemaster/v1/game_pb.js";
import { PlayRequestSchema, type PlayRequest } from "./gen/bridgemaster/v1/play_pb.js";

/** The largest index that a message can carry. */
const MAX_INDEX = 0xffff_ffff;

/**
 * What to send for a choice. Throws a `TypeError` or `RangeError` for what is none: a bot in
 * JavaScript may return anything.
 */
export function answerMessage(requestId: number, choice: Choice): PlayRequest {
  if (choice === RESIGN) {
    return create(PlayRequestSchema, { message: { case: "resign", value: {} } });
  }
  const answer: Answer = isAnswer(choice) ? choice : { choice, note: "" };
  return create(PlayRequestSchema, {
    message: {
      case: "decision",
      value: { requestId, choice: chosen(answer.choice), note: answer.note },
    },
  });
}

function isAnswer(choice: unknown): choice is Answer {
  return typeof choice === "object" && choice !== null && "choice" in choice && "note" in choice;
}

function chosen(choice: number | FullDecision) {
  if (isMessage(choice)) return { case: "decision" as const, value: inFull(choice) };
  if (!Number.isInteger(choice)) {
    const found = typeof choice === "object" ? JSON.stringify(choice) : String(choice);
    throw new TypeError(
      `decide returned ${found}: an index, a decision, an Answer or RESIGN is needed`,
    );
  }
  if (choice < 0) throw new RangeError(`decide returned ${choice}: an index counts from 0`);
  // The server refuses an index that is out of range, and says what would be valid.
  return { case: "index" as const, value: Math.min(choice, MAX_INDEX) };
}

/** A decision in the entry of its game. */
function inFull(decision: Message): GameDecision {
  if (isMessage(decision, GameDecisionSchema)) return decision;
  const entry = GameDecisionSchema.fields.find(
    (field) => field.message?.typeName === decision.$typeName,
  );
  if (!entry) {
    throw new TypeError(`decide returned a ${decision.$typeName}, which is no decision`);
  }
  const game = { case: entry.localName, value: decision } as GameDecision["game"];
  return create(GameDecisionSchema, { game });
}
