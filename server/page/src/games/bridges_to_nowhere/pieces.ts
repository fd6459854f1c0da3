// The pieces of the box: bridge cards, monuments, pillars. Each is 72 by 52.

import { svg, type SVGTemplateResult } from "lit-html";
import {
  type BridgeCard,
  type Card,
  type Placement,
  Style,
  Symbol as Sign,
} from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/components_pb.ts";
import { cardName, styleName } from "./notation.ts";

/** Width and height of a piece. */
export const PIECE = { width: 72, height: 52 } as const;

/** Patterns that distinguish the styles without colour, along the bottom of a card. */
const WORKS: Record<Style, string> = {
  [Style.UNSPECIFIED]: "",
  // A hanging cable with hangers.
  [Style.SUSPENSION]: "M2 30Q36 52 70 30M2 46H70M12 35V46M24 39.5V46M36 41V46M48 39.5V46M60 35V46",
  // Triangles between two chords.
  [Style.TRUSS]: "M2 34H70M2 46H70M2 46L13.3 34L24.6 46L36 34L47.3 46L58.6 34L70 46",
  // Stays that fan out from a pylon.
  [Style.CABLE]: "M2 46H70M36 27V46M36 28L4 46M36 28L68 46M36 32L14 46M36 32L58 46M36 37L24 46M36 37L48 46",
};

const SIGNS: Record<Sign, string> = {
  [Sign.UNSPECIFIED]: "",
  [Sign.FISH]: "M-8 0C-4-5 2-5 5 0L9-4V4L5 0C2 5-4 5-8 0ZM-4.5-1.2A1 1 0 1 0-4.49-1.2Z",
  [Sign.BIRD]: "M-9-3C-5-6-2-4 0 0C2-4 5-6 9-3C5-3 2.5 0 0 5C-2.5 0-5-3-9-3Z",
  [Sign.BOAT]: "M-0.5-8V2H-7ZM1-6L6 2H1ZM-9 3.5H9L6 8H-6Z",
};

/** Renders a symbol at a point. */
function sign(symbol: Sign, x: number, y: number): SVGTemplateResult {
  return svg`<path d=${SIGNS[symbol]} fill-rule="evenodd" transform="translate(${x} ${y}) scale(0.92)" class="b-sign"/>`;
}

/** Renders a bridge card with its upper left corner at a point. */
export function bridgeCard(card: BridgeCard, x: number, y: number): SVGTemplateResult {
  const isToll = card.number === 0;
  return svg`<g transform="translate(${x} ${y})" class="b-${styleName(card.style)}"><title>${cardName(card)}</title>
    <rect x="1" y="1" width="70" height="50" rx="5" class="b-card"/>
    <path d=${WORKS[card.style]} class="b-works"/>
    ${sign(card.left, 12.5, 15)}${sign(card.right, 59.5, 15)}
    <text x="36" y=${isToll ? 19 : 25} text-anchor="middle" font-size=${isToll ? 10.5 : 23} font-weight="700" class="b-number">${
      isToll ? "TOLL" : card.number}</text></g>`;
}

export function monument(x: number, y: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})"><title>monument</title><rect x="1" y="1" width="70" height="50" rx="5" class="b-plinth"/>
    <path d="M36 4L41 11V34H31V11ZM27 35H45V39H27ZM23 40H49V46H23Z" class="b-statue"/></g>`;
}

export function pillar(x: number, y: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})"><title>pillar</title>
    <path d="M16 1H56V8H51V44H56V51H16V44H21V8H16Z" class="b-pillar"/>
    <path d="M21 17H51M21 26H51M21 35H51M36 8V17M29 17V26M43 17V26M36 26V35M29 35V44M43 35V44" class="b-joints"/></g>`;
}

export function draftCard({ card }: Card, x: number, y: number): SVGTemplateResult {
  return card.case === "bridgeCard" ? bridgeCard(card.value, x, y) : monument(x, y);
}

export function structurePiece({ piece }: Placement, x: number, y: number): SVGTemplateResult {
  if (piece.case === "bridgeCard") return bridgeCard(piece.value, x, y);
  return piece.case === "monument" ? monument(x, y) : pillar(x, y);
}
