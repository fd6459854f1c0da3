// The bridge of a seat, twelve slots on arches over the river, with its cards and tiles.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { type Building, Kind } from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import type { SeatView } from "../../../gen/bridgemaster/games/old_london_bridge/v1/observation_pb.ts";
import { seatBadge } from "../../drawing/seat.ts";
import { plain } from "../../text.ts";
import { pickable, type Picking } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import { BUILDING, bonusTile, building, character, coatName, COATS, hiddenCard, shield } from "./pieces.ts";

const SLOTS = 12;
const HALF = SLOTS / 2;
const SLOT = 52;
/** Width of a card in hand with its count. */
const HELD = 48;

/** Renders half a bridge; the halves are side by side, or stacked on a narrow page. */
function half(from: number, bridge: Building[], built: Map<number, boolean>, picking: Picking | undefined): TemplateResult {
  const width = HALF * SLOT;
  const slots = Array.from({ length: HALF }, (_, index): SVGTemplateResult => {
    const slot = from + index;
    const x = index * SLOT;
    const piece = bridge[slot];
    return svg`
      <path d="M${x} 79H${x + SLOT}V106H${x + 46}V102A20 18 0 0 0 ${x + 6} 102V106H${x}Z" class="l-stone"/>
      <path d="M${x} 79.5H${x + SLOT}" class="l-deck"/>
      ${piece
        ? building(piece, x + (SLOT - BUILDING.width) / 2, 12)
        : svg`<rect x=${x + 5} y="27" width="42" height="50" rx="5" class="l-slot"/><text x=${x + 26} y="57" text-anchor="middle"
            font-size="13" class="ink-soft">${slot}</text>`}
      ${built.has(slot) ? svg`<rect x=${x + 1} y="9" width=${SLOT - 2} height="71" rx="7" class="new"/>` : undefined}
      ${built.get(slot) ? svg`<text x=${x + 26} y="9" text-anchor="middle" font-size="10" class="ink-soft">replaced</text>` : undefined}
      ${pickable(picking, `slot:${slot}`, svg`<rect x=${x + 2} y="10" width=${SLOT - 4} height="69" rx="7"/>`)}`;
  });
  return html`<svg class="l-half" viewBox="0 0 ${width} 112" aria-hidden="true">
    <rect y="98" width=${width} height="14" class="l-water"/>
    <path d="M0 102q13-5 26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0" class="l-wave"/>
    ${slots.map((slot) => svg`${slot}`)}</svg>`;
}

/** Returns the strength of an action of each colour: its coats on the bridge, with guildhalls. */
function strengths(bridge: Building[]): number[] {
  return COATS.map((coat) => bridge.filter((piece) => piece.coat === coat || piece.kind === Kind.GUILDHALL).length);
}

function cards(view: SeatView, hasToChoose: boolean, picking: Picking | undefined): TemplateResult {
  const hand = view.hand.flatMap((count, value) => (count > 0 ? [{ value, count }] : []));
  const played = view.played;
  const raises = [view.raises?.first ?? 0, view.raises?.second ?? 0];
  const shown = played ? [played.first, ...(played.second === undefined ? [] : [played.second])] : [];
  return html`<div class="l-cards"><span class="label">hand</span>
    <svg class="row" viewBox="0 0 ${Math.max(1, hand.length) * HELD} 34" width=${Math.max(1, hand.length) * HELD} height="34" role="img"
      aria-label="hand: ${hand.map(({ value, count }) => `${count} of ${value}`).join(", ") || "none"}">
      ${hand.map(({ value, count }, index) => svg`${character(value, index * HELD, 0)}<text x=${index * HELD + 26} y="22"
        font-size="12" class="ink">×${count}</text>
        ${["card", "and"].map((word) => pickable(picking, `${word}:${value}`, svg`<rect x=${index * HELD} y="0" width="24" height="34" rx="5"/>`))}`)}</svg>
    ${shown.length > 0 ? html`<span class="label">plays</span><svg class="row" viewBox="0 0 ${shown.length * 44} 34" width=${shown.length * 44} height="34"
      role="img" aria-label="plays ${shown.join(" and ")}">${shown.map((value, index) => svg`${character(value, index * 44, 0)}${
        raises[index] ? svg`<text x=${index * 44 + 26} y="22" font-size="13" font-weight="700" class="ink">+${raises[index]}</text>` : undefined}`)}</svg>`
      : view.hasChosen ? html`<span class="label">chose</span><svg class="row" viewBox="0 0 24 34" width="24" height="34" role="img"
          aria-label="a card that is not revealed">${hiddenCard(0, 0)}</svg>`
      : hasToChoose ? html`<span class="label">chooses…</span>` : undefined}</div>`;
}

function tiles(view: SeatView): TemplateResult | undefined {
  if (view.tiles.length === 0) return undefined;
  const fresh = [...view.freshTiles];
  const size = 34;
  return html`<div class="l-tiles"><span class="label">tiles</span><svg class="row" viewBox="0 0 ${view.tiles.length * size} ${size}"
    width=${view.tiles.length * size} height=${size} role="img" aria-label="${view.tiles.length} bonus tiles">${view.tiles.map((tile, index) => {
      const place = fresh.indexOf(tile);
      if (place >= 0) fresh.splice(place, 1);
      return bonusTile(tile, index * size, 0, 0.88, place >= 0);
    })}</svg></div>`;
}

/** Renders a seat: its money, cards, tiles and bridge. */
export function seatPanel(scene: Scene<"oldLondonBridge">, seat: number, view: SeatView): TemplateResult {
  const built = new Map<number, boolean>();
  for (const { event } of scene.events) {
    if (event.case === "built" && event.value.seat === seat) built.set(event.value.slot, event.value.replaced !== undefined);
  }
  const choosing = scene.observation.phase.case === "chooseCards";
  const own = scene.picking?.seat === seat ? scene.picking : undefined;
  const counts = strengths(view.bridge);
  const slots = Math.max(SLOTS, view.bridge.length);
  return html`<section class="panel l-seat ${scene.toDecide.includes(seat) ? "decides" : ""}">
    <header><h3>${seatBadge(seat)} <bdi>${plain(scene.names[seat] ?? "")}</bdi></h3><b class="money">£${view.money}</b>
      <svg class="row" viewBox="0 0 168 22" width="168" height="22" role="img"
        aria-label="strengths: ${COATS.map((coat, index) => `${coatName(coat)} ${counts[index]}`).join(", ")}">
        ${COATS.map((coat, index) => svg`<g><title>strength of ${coatName(coat)}: ${counts[index]}</title>${shield(coat, 10 + index * 42, 11)}
          <text x=${21 + index * 42} y="16" font-size="14" font-weight="700" class="ink">${counts[index]}</text></g>`)}</svg>
      ${cards(view, choosing, own)}${tiles(view)}</header>
    <div class="l-bridge" role="img" aria-label="bridge: ${view.bridge.map((piece) => `${Kind[piece.kind]?.toLowerCase()} ${piece.number || ""}`).join(", ") || "empty"}">${
      Array.from({ length: Math.ceil(slots / HALF) }, (_, part) => half(part * HALF, view.bridge, built, own))
    }</div></section>`;
}
