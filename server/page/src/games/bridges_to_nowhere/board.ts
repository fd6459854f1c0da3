// The table of Bridges to Nowhere: the draft, and the structures of both seats.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { type Card, Contract, type Placement, type SeatScore } from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/components_pb.ts";
import type { Observation, SeatView } from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/observation_pb.ts";
import { folded } from "../../drawing/folded.ts";
import { seatBadge } from "../../drawing/seat.ts";
import { plain } from "../../text.ts";
import { pickable, pickedPlaces, type Picking } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import { cardName, pieceName } from "./notation.ts";
import { bridgeCard, draftCard, monument, PIECE, pillar, structurePiece } from "./pieces.ts";
import { scoreOf, segmentsOf } from "./segments.ts";

const LEVELS = 3;
/** Minimum width of a drawn structure, in columns. */
const MIN_COLUMNS = 9;
/** Minimum width of a drawn piece, in pixels; a wide structure scrolls on a narrow page. */
const MIN_WIDTH = 38;

/** Name and requirements of each contract. */
const CONTRACTS: Record<Contract, readonly [name: string, asks: string]> = {
  [Contract.UNSPECIFIED]: ["no contract", ""],
  [Contract.TRIPLE]: ["Triple", "a level-3 segment of 3 cards: 10, of 4 or more: 25"],
  [Contract.SPICE_OF_LIFE]: ["Spice of life", "a segment of each style, of 3 cards or more, the longest of 4: 10, of 5 or more: 20"],
  [Contract.LONGEST_MILE]: ["Longest mile", "9 cards in level-1 segments: 10, and 5 for each more"],
  [Contract.SPANNING_THE_DIVIDE]: ["Spanning the divide", "a segment of 5 cards: 10, of 6 or more: 25"],
  [Contract.TRIAL_OF_THE_SEA]: ["Trial of the sea", "three symbol pairs: 10, one of each symbol: 20"],
  [Contract.DOUBLE]: ["Double", "a level-2 segment of 4 cards: 10, of 5 or more: 25"],
};

const total = (score: SeatScore) => score.numbers + score.tolls + score.monuments + score.symbols + score.contract;
const isSame = (a: Placement, b: Placement | undefined) => a.level === b?.level && a.column === b.column;

/** Returns the columns that a drawing of these pieces covers. */
function columns(pieces: readonly { column: number }[]) {
  const all = pieces.map((piece) => piece.column);
  const [left, right] = [Math.min(0, ...all) - 1, Math.max(0, ...all) + 1];
  const more = Math.max(0, MIN_COLUMNS - (right - left + 1));
  return { left: left - Math.floor(more / 2), count: right - left + 1 + more };
}

function structure(scene: Scene<"bridgesToNowhere">, seat: number, view: SeatView): TemplateResult {
  // Leave space for the pieces of the rest of the game, if known.
  const later = scene.frame?.seats[seat]?.structure ?? [];
  const picking = scene.picking?.seat === seat ? scene.picking : undefined;
  const places = pickedPlaces(picking, "at").map(({ key, numbers: [level = 1, column = 0] }) => ({ key, level, column }));
  const { left, count } = columns([...view.structure, ...later, ...places]);
  const { width, height } = PIECE;
  const place = (level: number, column: number) => ({ x: (column - left) * width, y: (LEVELS - level) * height + 8 });
  const ground = LEVELS * height + 8;
  const secret = new Set(view.placed);
  const shown = scene.events.flatMap(({ event }) => (event.case === "placed" && event.value.seat === seat ? [event.value.placement] : []));
  const segments = segmentsOf(view.structure);
  return html`<div class="b-scroll" tabindex="0" role="group" aria-label="structure of seat ${seat}"><svg class="b-structure" width=${count * MIN_WIDTH} viewBox="0 0 ${count * width} ${ground + 34}" role="img"
      aria-label="structure of seat ${seat}: ${view.structure.map((piece) => `${pieceName(piece.piece)} at ${piece.level} ${piece.column}`).join(", ") || "empty"}">
    <rect width=${count * width} height=${ground} class="b-sky"/>
    ${[1, 2].map((level) => svg`<path d="M0 ${place(level, 0).y}H${count * width}" class="b-level"/>`)}
    ${[1, 2, 3].map((level) => svg`<text x="6" y=${place(level, 0).y + 17} font-size="13" class="ink-soft">×${level}</text>`)}
    <rect y=${ground} width=${count * width} height="34" class="b-sea"/>
    <path d=${`M0 ${ground + 9}${"q12-6 24 0t24 0".repeat(Math.ceil((count * width) / 48))}`} class="b-wave"/>
    ${view.structure.length === 0 ? svg`<rect x=${place(1, 0).x + 2} y=${place(1, 0).y + 2} width=${width - 4} height=${height - 4} rx="5" class="vacant"/>` : undefined}
    ${view.structure.map((piece) => {
      const { x, y } = place(piece.level, piece.column);
      return structurePiece(piece, x, y);
    })}
    ${segments.map(({ level, from, cards }): SVGTemplateResult => {
      const { x, y } = place(level, from);
      return svg`<path d="M${x + 3} ${y + height - 2}H${x + cards.length * width - 3}" class="b-segment"/>`;
    })}
    ${view.structure.map((piece, index) => {
      const isNew = shown.some((other) => isSame(piece, other)) || index === view.placed.at(-1);
      if (!isNew && !secret.has(index)) return undefined;
      const { x, y } = place(piece.level, piece.column);
      return svg`<rect x=${x} y=${y} width=${width} height=${height} rx="7" class=${isNew ? "new" : "b-secret"}/>`;
    })}
    ${places.map(({ key, level, column }) => {
      const { x, y } = place(level, column);
      return pickable(picking, key, svg`<rect x=${x + 2} y=${y + 2} width=${width - 4} height=${height - 4} rx="6"/>`);
    })}</svg></div>`;
}

function cards(items: Card[], label: string, picking: Picking | undefined): TemplateResult | undefined {
  if (items.length === 0) return undefined;
  return html`<div class="b-hand"><span class="label">${label}</span><svg viewBox="0 0 ${items.length * 76} 54" width=${items.length * 76}
    height="54" role="img" aria-label="${label}: ${items.map(({ card }) => (card.case === "bridgeCard" ? cardName(card.value) : "monument")).join(", ")}">${
      items.map((card, index) => svg`${draftCard(card, index * 76 + 1, 1)}${
        pickable(picking, `piece:${pieceName(card.card)}`, svg`<rect x=${index * 76 + 2} y="2" width="70" height="50" rx="6"/>`)}`)}</svg></div>`;
}

function seat(scene: Scene<"bridgesToNowhere">, number: number, view: SeatView): TemplateResult {
  const { observation } = scene;
  const now = scoreOf(segmentsOf(view.structure));
  const points = now.numbers + now.tolls + now.monuments + now.symbols;
  const won = observation.results.filter((result) => result.winner === number).length;
  const builds = observation.phase.case === "build";
  return html`<section class="panel b-seat ${scene.toDecide.includes(number) ? "decides" : ""}">
    <header><h3>${seatBadge(number)} <bdi>${plain(scene.names[number] ?? "")}</bdi></h3>
      <span title="points of its segments, without the contract"><b>${points}</b> points <small><span>numbers ${now.numbers}</span><span>tolls ${now.tolls}</span><span>monuments ${now.monuments}</span><span>symbols ${now.symbols}</span></small></span>
      <span><b>${won}</b> ${won === 1 ? "game" : "games"} won</span>
      <span class="b-pillars" title="${view.pillars} pillars left"><svg viewBox="0 0 132 30" width="110" height="25" role="img" aria-label="${view.pillars} pillars left">${
        Array.from({ length: 6 }, (_, index) => svg`<g transform="translate(${index * 22 - 9}) scale(0.55)" opacity=${index < view.pillars ? 1 : 0.18}>${pillar(0, 0)}</g>`)}</svg></span>
      ${builds && view.hasEnded ? html`<span class="tag">done building</span>` : undefined}
      ${observation.phase.case === "draft" && observation.firstDrafter === number ? html`<span class="tag">drafts first</span>` : undefined}
    </header>
    ${structure(scene, number, view)}${cards(view.cards, "cards", scene.picking?.seat === number ? scene.picking : undefined)}</section>`;
}

function draft(scene: Scene<"bridgesToNowhere">): TemplateResult {
  const { observation } = scene;
  const [name, asks] = CONTRACTS[observation.contract];
  const open = observation.open;
  const slots = Math.max(6, open.length);
  const builds = observation.phase.case === "build";
  const taken = scene.events.flatMap(({ event }) => (event.case === "taken" ? [event.value.seat] : []));
  return html`<div class="panel b-table"><div class="b-contract"><span class="label">game ${observation.game}, round ${observation.round}</span>
      <h3>${name}</h3><p>${asks}</p></div>
    <div class="b-draft"><svg viewBox="0 0 ${slots * 76 + 84} 60" role="img"
      aria-label="${builds ? "next cards" : "on the table"}: ${open.map(cardName).join(", ") || "no cards"}; ${observation.monuments} monuments">
      ${Array.from({ length: slots }, (_, index) => {
        const card = open[index];
        if (card) return svg`${bridgeCard(card, index * 76 + 2, 4)}${pickable(scene.picking, `take:${cardName(card)}`, svg`<rect x=${index * 76 + 3} y="5" width="70" height="50" rx="6"/>`)}`;
        return observation.phase.case !== "draft" ? undefined : svg`<rect x=${index * 76 + 4} y="6" width="68" height="48" rx="5" class="vacant"/>`;
      })}
      ${observation.phase.case !== "draft" && open.length === 0 ? svg`<text x=${slots * 38} y="34" text-anchor="middle" font-size="17" class="b-count">${builds ? "both seats build in secret" : "the match is over"}</text>` : undefined}
      ${Array.from({ length: observation.monuments }, (_, index) => monument(slots * 76 + 2 + index * 4, 4 - index))}
      ${observation.monuments > 0 ? svg`<text x=${slots * 76 + 64} y="20" font-size="13" font-weight="700" text-anchor="middle" class="b-count">×${observation.monuments}</text>` : undefined}
      ${pickable(scene.picking, "take:monument", svg`<rect x=${slots * 76 + 2} y="3" width="74" height="54" rx="6"/>`)}</svg>
      ${builds && open.length > 0 ? html`<p class="quiet">both seats build in secret; these are the cards of the next round</p>` : undefined}
      ${taken.length > 0 ? html`<p class="quiet">seat ${taken[0]} took a card</p>` : undefined}</div>
    ${folded("b-unseen", `${observation.unseen.length} cards left`, () => html`${observation.unseen.map((card) =>
      html`<svg viewBox="0 0 74 54" width="60" height="44" role="img" aria-label=${cardName(card)}>${bridgeCard(card, 1, 1)}</svg>`)}`)}</div>`;
}

function results({ results: games }: Observation): TemplateResult | undefined {
  if (games.length === 0) return undefined;
  return html`<table class="panel b-results"><caption>Games that are over</caption><thead><tr><th>game</th><th>contract</th><th>${seatBadge(0)} seat 0</th><th>${seatBadge(1)} seat 1</th></tr></thead>
    <tbody>${games.map((result, index) => html`<tr><th scope="row">${index}</th><td>${CONTRACTS[result.contract][0]}</td>${result.scores.map((score, number) => html`<td
      class=${result.winner === number ? "won" : ""} title="numbers ${score.numbers}, tolls ${score.tolls}, monuments ${score.monuments}, symbols ${score.symbols}, contract ${score.contract}">${total(score)}${result.winner === number ? " ✓" : ""}</td>`)}</tr>`)}</tbody></table>`;
}

export function board(scene: Scene<"bridgesToNowhere">): TemplateResult {
  const { observation } = scene;
  return html`<div class="board nowhere">${draft(scene)}${observation.seats.map((view, number) => seat(scene, number, view))}${results(observation)}</div>`;
}

/** Returns the status of the match, as one line. */
export function status({ phase, game, round }: Observation): string {
  const now = `game ${game}, round ${round}`;
  switch (phase.case) {
    case "draft":
      return `${now}: seat ${phase.value.seat} takes a card`;
    case "build":
      return `${now}: both seats build in secret`;
    default:
      return "the match is over";
  }
}
