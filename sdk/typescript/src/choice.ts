// Encodes the choice of a bot.

import { create, isMessage, type Message } from "@bufbuild/protobuf";
import type { Answer, Choice, CompleteDecision } from "./bot.js";
import { RESIGN } from "./bot.js";
import { GameDecisionSchema, type GameDecision } from "./gen/bridgemaster/v1/game_pb.js";
import { PlayRequestSchema, type PlayRequest } from "./gen/bridgemaster/v1/play_pb.js";

/** The largest index that fits into a message. */
const MAX_INDEX = 0xffff_ffff;

/**
 * Returns the message that carries a choice. Throws a `TypeError` or `RangeError` if the choice is
 * not valid, since a bot in JavaScript can return anything.
 */
export function answerMessage(requestId: number, choice: Choice): PlayRequest {
  if (choice === RESIGN) {
    return create(PlayRequestSchema, { message: { case: "resign", value: {} } });
  }
  const answer: Answer = isAnswer(choice) ? choice : { choice, note: "" };
  return create(PlayRequestSchema, {
    message: {
      case: "decision",
      value: { requestId, choice: encodeChoice(answer.choice), note: answer.note },
    },
  });
}

function isAnswer(choice: unknown): choice is Answer {
  return typeof choice === "object" && choice !== null && "choice" in choice && "note" in choice;
}

function encodeChoice(choice: number | CompleteDecision) {
  if (isMessage(choice)) return { case: "decision" as const, value: toGameDecision(choice) };
  if (!Number.isInteger(choice)) {
    const text = typeof choice === "object" ? JSON.stringify(choice) : String(choice);
    throw new TypeError(
      `decide returned ${text}; expected an index, a decision, an Answer or RESIGN`,
    );
  }
  if (choice < 0) throw new RangeError(`decide returned ${choice}; an index must not be negative`);
  // The server refuses an index that is too large and reports the valid range.
  return { case: "index" as const, value: Math.min(choice, MAX_INDEX) };
}

/** Wraps a decision of a game in a GameDecision. */
function toGameDecision(decision: Message): GameDecision {
  if (isMessage(decision, GameDecisionSchema)) return decision;
  const entry = GameDecisionSchema.fields.find(
    (field) => field.message?.typeName === decision.$typeName,
  );
  if (!entry) {
    throw new TypeError(`decide returned a ${decision.$typeName}, which is not a decision`);
  }
  const game = { case: entry.localName, value: decision } as GameDecision["game"];
  return create(GameDecisionSchema, { game });
}
