// The interface between the page and a game. Only this file is used outside the folders of the games.

import type { TemplateResult } from "lit-html";
import type { Picking, Step } from "../play/picking.ts";
import type {
  GameConfig,
  GameDecision,
  GameEvent,
  GameObservation,
  GameRequest,
} from "../../gen/bridgemaster/v1/game_pb.ts";

/** The name of a game's field in the messages with one field for each game. */
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

/** The data of a board. */
export interface Scene<K extends Entry> {
  observation: ObservationOf<K>;
  /** The options of the match; missing for a damaged match. */
  config: ConfigOf<K> | undefined;
  /** Events since the previous position, which are highlighted. */
  events: EventOf<K>[];
  /** A later observation of the match, for which the board leaves space. */
  frame: ObservationOf<K> | undefined;
  /** Names of the bots, in seat order. */
  names: string[];
  /** Seats that have to decide. */
  toDecide: number[];
  /** The options that can be picked on the board, if this is the page of a player. */
  picking: Picking | undefined;
}

/** The parts of a game that the page needs. */
export interface GameParts<K extends Entry> {
  /** The name for visitors. */
  name: string;
  /** The unit of its score: "points", "pounds". */
  pointsName: string;
  /** Renders the board of an observation. */
  board(scene: Scene<K>): TemplateResult;
  /** Returns the status of the match, as one line. */
  status(observation: ObservationOf<K>): string;
  /** Returns the seats that have to decide, as far as the viewer may know; none after the match. */
  toDecide(observation: ObservationOf<K>): number[];
  /** Returns the visible points of each seat. */
  points(observation: ObservationOf<K>): number[];
  /** Formats a decision, as defined on the page of the rules. */
  notation(decision: DecisionOf<K>): string;
  /** Returns the steps in which a decision is chosen, at least one. Decisions with equal first steps
   * differ in a later step. */
  steps(decision: DecisionOf<K>, observation: ObservationOf<K>, config: ConfigOf<K> | undefined): Step[];
  /** Returns whether the pieces of `now` are still on the table in `later`, so that space can be left
   * for the others. Without this function they always are. */
  continuesIn?(now: ObservationOf<K>, later: ObservationOf<K>): boolean;
}

/** A game, as used outside its folder. */
export interface Game {
  /** Identifier of the game, such as "old_london_bridge". */
  id: string;
  entry: Entry;
  name: string;
  pointsName: string;
  board(scene: AnyScene): TemplateResult;
  status(observation: GameObservation): string;
  toDecide(observation: GameObservation): number[];
  points(observation: GameObservation): number[];
  notation(decision: GameDecision): string;
  /** Returns the steps of each legal decision of a request. */
  choices(request: GameRequest, config: GameConfig | undefined): Step[][];
  continuesIn(now: GameObservation, later: GameObservation): boolean;
}

/** The data of a board of any game. */
export interface AnyScene {
  observation: GameObservation;
  config: GameConfig | undefined;
  events: GameEvent[];
  frame: GameObservation | undefined;
  names: string[];
  picking?: Picking;
}

/** Creates a game from its parts. Throws an error for messages of another game. */
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
    continuesIn: (now, later) => parts.continuesIn?.(observed(now), observed(later)) ?? true,
  };
}
