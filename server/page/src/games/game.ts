// What the page knows of a game. Everything outside the folders of the games goes through this.

import type { TemplateResult } from "lit-html";
import type { Picking, Step } from "../play/picking.ts";
import type {
  GameConfig,
  GameDecision,
  GameEvent,
  GameObservation,
  GameRequest,
} from "../../gen/bridgemaster/v1/game_pb.ts";

/** The name of a game's entry in the messages that hold one of all games. */
export type Entry = Exclude<GameObservation["game"]["case"], undefined>;

type ValueOf<M extends { game: { case?: string | undefined; value?: unknown } }, K> = Extract<
  M["game"],
  { case: K }
> extends { value: infer V }
  ? V
  : never;

/** The observation of a game. */
export type ObservationOf<K extends Entry> = ValueOf<GameObservation, K>;
/** The options of a game. */
export type ConfigOf<K extends Entry> = ValueOf<GameConfig, K>;
/** A decision of a game. */
export type DecisionOf<K extends Entry> = ValueOf<GameDecision, K>;
/** An event of a game. */
export type EventOf<K extends Entry> = ValueOf<GameEvent, K>;

/** What a board is drawn from. */
export interface Scene<K extends Entry> {
  observation: ObservationOf<K>;
  /** The options of the match; not known for a match that is damaged. */
  config: ConfigOf<K> | undefined;
  /** What happened since the position before: it is marked. */
  events: EventOf<K>[];
  /** A later observation of the match whose extent the board leaves room for. */
  frame: ObservationOf<K> | undefined;
  /** Names of the bots, in seat order. */
  names: string[];
  /** Seats that owe a decision. */
  toDecide: number[];
  /** What may be picked on the board, where somebody plays. */
  picking: Picking | undefined;
}

/** What a game gives to the page. */
export interface GameParts<K extends Entry> {
  /** Its name for people. */
  name: string;
  /** What its points are called: "points", "pounds". */
  pointsName: string;
  /** The board. */
  board(scene: Scene<K>): TemplateResult;
  /** One line about what is going on. */
  status(observation: ObservationOf<K>): string;
  /** The seats that owe a decision, as far as the viewer knows; none when the match is over. */
  toDecide(observation: ObservationOf<K>): number[];
  /** Points of each seat that show so far. */
  points(observation: ObservationOf<K>): number[];
  /** The text notation of a decision, as the rules page has it. */
  notation(decision: DecisionOf<K>): string;
  /** The choices that a decision is made of, one after the other; none has no choice. Decisions that
   * begin alike are told apart by a later step. */
  steps(decision: DecisionOf<K>, observation: ObservationOf<K>, config: ConfigOf<K> | undefined): Step[];
  /** Whether what lies on the table now still lies there later, so that room can be left for what
   * comes; without this function it always does. */
  goesOnTo?(now: ObservationOf<K>, later: ObservationOf<K>): boolean;
}

/** A game, as everything outside its folder sees it. */
export interface Game {
  /** Its identifier, such as "old_london_bridge". */
  id: string;
  entry: Entry;
  name: string;
  pointsName: string;
  board(scene: AnyScene): TemplateResult;
  status(observation: GameObservation): string;
  toDecide(observation: GameObservation): number[];
  points(observation: GameObservation): number[];
  notation(decision: GameDecision): string;
  /** What a seat may decide, each decision by its steps. */
  choices(request: GameRequest, config: GameConfig | undefined): Step[][];
  goesOnTo(now: GameObservation, later: GameObservation): boolean;
}

/** What a board is drawn from, of any game. */
export interface AnyScene {
  observation: GameObservation;
  config: GameConfig | undefined;
  events: GameEvent[];
  frame: GameObservation | undefined;
  names: string[];
  picking?: Picking;
}

/** Makes a game of its parts. Messages of another game are refused by an error. */
export function game<K extends Entry>(id: string, entry: K, parts: GameParts<K>): Game {
  const ours = <V>(message: { game: { case?: string | undefined; value?: unknown } }): V => {
    if (message.game.case !== entry) throw new Error(`a message of ${message.game.case}`);
    return message.game.value as V;
  };
  const observed = (message: GameObservation) => ours<ObservationOf<K>>(message);
  return {
    id,
    entry,
    name: parts.name,
    pointsName: parts.pointsName,
    board: (scene) =>
      parts.board({
        observation: observed(scene.observation),
        config: scene.config?.game.case === entry ? ours<ConfigOf<K>>(scene.config) : undefined,
        events: scene.events.map((event) => ours<EventOf<K>>(event)),
        frame: scene.frame && observed(scene.frame),
        names: scene.names,
        toDecide: parts.toDecide(observed(scene.observation)),
        picking: scene.picking,
      }),
    status: (observation) => parts.status(observed(observation)),
    toDecide: (observation) => parts.toDecide(observed(observation)),
    points: (observation) => parts.points(observed(observation)),
    notation: (decision) => parts.notation(ours<DecisionOf<K>>(decision)),
    choices(request, config) {
      const { observation, legalDecisions } = ours<{ observation: ObservationOf<K>; legalDecisions: DecisionOf<K>[] }>(request);
      const options = config?.game.case === entry ? ours<ConfigOf<K>>(config) : undefined;
      return legalDecisions.map((decision) => parts.steps(decision, observation, options));
    },
    goesOnTo: (now, later) => parts.goesOnTo?.(observed(now), observed(later)) ?? true,
  };
}
