// The table of Old London Bridge: the board in the middle, and the bridges of the seats.

import { html, svg, type TemplateResult } from "lit-html";
import { Face, TileKind } from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import type { Observation } from "../../../gen/bridgemaster/games/old_london_bridge/v1/observation_pb.ts";
import { seatBadge } from "../../drawing/seat.ts";
import { pickable, type Picking } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import { seatPanel } from "./bridge.ts";
import { bonusTile, character } from "./pieces.ts";
import { rondel } from "./rondel.ts";
import { tracks } from "./tracks.ts";

/** Payment of each face, in a few words. */
const FACES: Record<Face, string> = {
  [Face.UNSPECIFIED]: "",
  [Face.CHAPEL_TRACK]: "furthest on the chapel track",
  [Face.MOST_CHAPELS]: "most chapels",
  [Face.CHAPEL_LEADER]: "£1 a round to the chapel leader",
  [Face.AHEAD_OF_LAST]: "£1 a space ahead of the last",
  [Face.MONEY_AGAIN]: "money spaces pay again",
  [Face.GATE_TRACK]: "furthest on the gate track",
  [Face.MOST_GATES]: "most gates",
  [Face.GATE_LEADER]: "£1 a round to the gate leader",
  [Face.GATE_DISTANCE]: "£3, 5, 9, 12 by distance",
  [Face.TILE_TABLE]: "unused tiles pay £0, 1, 4, 9, 16",
  [Face.HAND_SUM]: "highest sum in hand",
  [Face.MOST_INNS]: "most inns",
  [Face.HIGHEST_CARD]: "£2 to the highest card",
  [Face.HAND_SIZE]: "£4, 7, 10 by cards in hand",
  [Face.CARD_SETS]: "£5, 10, 15 for sets of cards",
  [Face.MOST_BUILDINGS]: "most buildings",
  [Face.LONGEST_SERIES]: "longest series",
  [Face.LOWEST_NUMBER]: "£2 a round to the lowest number",
  [Face.LOW_NUMBERS]: "£2 a number up to 30",
  [Face.FULL_SETS]: "£10 a set of all six kinds",
};

function faces({ faces: chosen }: Observation): TemplateResult {
  const areas = [
    ["chapel", chosen?.chapel], ["gate", chosen?.gate], ["inn", chosen?.inn], ["bridge", chosen?.bridge],
  ] as const;
  return html`<dl class="l-faces">${areas.map(([area, face]) => html`<div><dt>${area}</dt><dd>${FACES[face ?? Face.UNSPECIFIED]}</dd></div>`)}</dl>`;
}

function stock(observation: Observation, changed: Set<number>, picking: Picking | undefined): TemplateResult {
  return html`<div class="l-stock">
    <figure><figcaption>Supply</figcaption><svg viewBox="0 0 226 40" role="img"
      aria-label="supply: ${observation.supply.map((count, value) => `${count} of ${value}`).slice(1).join(", ")}">
      ${observation.supply.map((count, value) => value === 0 ? undefined : svg`${character(value, (value - 1) * 57, 3)}
        <text x=${(value - 1) * 57 + 26} y="26" font-size="13" class=${count === 0 ? "ink-soft" : "ink"}>×${count}</text>`)}</svg></figure>
    <figure><figcaption>Bonus tiles</figcaption><svg viewBox="0 0 190 40" role="img" aria-label="bonus stacks">
      ${observation.bonusStacks.map((stack, index) => svg`${stack.faceUp === TileKind.UNSPECIFIED
        ? svg`<rect x=${index * 64 + 1} y="2" width="36" height="36" rx="7" class="l-slot"/>`
        : bonusTile(stack.faceUp, index * 64, 1)}
        ${changed.has(index) ? svg`<rect x=${index * 64 - 1} y="0" width="40" height="40" rx="9" class="new"/>` : undefined}
        <text x=${index * 64 + 40} y="25" font-size="12" class="ink-soft">×${stack.unseen.length + (stack.faceUp === 0 ? 0 : 1)}</text>
        ${pickable(picking, `bonus:${index}`, svg`<rect x=${index * 64} y="1" width="38" height="38" rx="8"/>`)}`)}</svg></figure>
    <figure><figcaption>Markers left</figcaption><svg viewBox="0 0 156 40" role="img"
      aria-label="markers left: ${observation.unseenMarkers.map((count, index) => `${count} of ${index + 1}`).join(", ")}">
      ${observation.unseenMarkers.map((count, index) => svg`<circle cx=${index * 52 + 16} cy="20" r="13" class="l-marker"/>
        <text x=${index * 52 + 16} y="25" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${index + 1}</text>
        <text x=${index * 52 + 32} y="25" font-size="12" class="ink-soft">×${count}</text>`)}</svg></figure></div>`;
}

function turns({ turns: order, phase }: Observation): TemplateResult | undefined {
  if (order.length === 0) return undefined;
  const now = phase.case === "turn" ? phase.value.turn : -1;
  return html`<ol class="l-turns" aria-label="order of play">${order.map(({ seat, card, value }, index) => html`<li
    class=${index === now ? "now" : index < now ? "past" : ""}>${seatBadge(seat)}<svg viewBox="0 0 24 34" width="20" height="28" role="img"
      aria-label="card ${card}">${character(card, 0, 0)}</svg>${value > card ? html`<b>+${value - card}</b>` : undefined}</li>`)}</ol>`;
}

export function board(scene: Scene<"oldLondonBridge">): TemplateResult {
  const { observation } = scene;
  const taken = new Set(scene.events.flatMap(({ event }) => (event.case === "tileTaken" ? [event.value.bonusStack] : [])));
  return html`<div class="board london">
    <div class="panel l-middle">${rondel(scene)}
      <div class="l-beside">
        <div class="l-round"><svg viewBox="0 0 40 40" width="40" height="40" role="img" aria-label="round marker ${observation.marker}">
          <circle cx="20" cy="20" r="17" class="l-marker"/><text x="20" y="27" text-anchor="middle" font-size="20" font-weight="700" class="l-number">${observation.marker}</text></svg>
          <span>round <b>${observation.round}</b>, last ${observation.rounds - 1}</span>${turns(observation)}</div>
        ${tracks(scene)}${stock(observation, taken, scene.picking)}${faces(observation)}</div></div>
    ${observation.seats.map((view, seat) => seatPanel(scene, seat, view))}</div>`;
}

/** Returns the status of the match, as one line. */
export function status({ phase, round, rounds, turns: order }: Observation): string {
  const toCome = rounds - 1 - round;
  const now = toCome > 0 ? `round ${round}, ${toCome} left` : `round ${round}, the last`;
  switch (phase.case) {
    case "takeA2":
      return `${now}: seat ${phase.value.seat} may take a 2`;
    case "chooseCards":
      return `${now}: seats choose cards in secret`;
    case "raiseCards":
      return `${now}: seat ${phase.value.seat} may raise its cards`;
    case "turn": {
      const seat = order[phase.value.turn]?.seat ?? "?";
      const step = {
        place: "places its pawn", replace: "replaces a building", takeTile: "takes a bonus tile",
        takeCards: "takes cards", finish: "may use tiles",
      }[phase.value.step.case ?? "finish"];
      return `${now}, turn ${phase.value.turn}: seat ${seat} ${step}`;
    }
    default:
      return "the match is over";
  }
}
