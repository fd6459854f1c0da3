// The pieces of the box: buildings, coats of arms, bonus tiles, character cards.

import { svg, type SVGTemplateResult } from "lit-html";
import {
  type Building,
  Coat,
  Kind,
  TileKind,
} from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import { kindName, tileName } from "./notation.ts";

/** Width and height of a building. */
export const BUILDING = { width: 46, height: 66 } as const;

/** Pictures of the kinds, in a square from -10 to 10. */
const PICTURES: Record<Kind, string> = {
  [Kind.UNSPECIFIED]: "",
  // A nave with a steeple and a cross.
  [Kind.CHAPEL]: "M-1-11H1V-9H3V-7H1V-5L5-1V2H9V9H-9V2H-5V-1L-1-5V-7H-3V-9H-1ZM-2 9V5A2 2 0 0 1 2 5V9Z",
  // Two towers and an arch.
  [Kind.GATE]: "M-10-8H-8V-6H-6V-8H-4V-3H4V-8H6V-6H8V-8H10V9H4V4A4 4 0 0 0-4 4V9H-10Z",
  // A tankard.
  [Kind.INN]: "M-8-5A4 4 0 0 1-2-8A4.5 4.5 0 0 1 5-5V-3H7A3.5 3.5 0 0 1 7 5H5V9H-8ZM5-0.5V2.5H6.5A1.5 1.5 0 0 0 6.5-0.5Z",
  // A spool of thread.
  [Kind.HABERDASHERY]: "M-8-9H8V-5.5H5.5V-3H-5.5V-5.5H-8ZM-6-1.5H6V0.7H-6ZM-6 2.2H6V4.4H-6ZM-5.5 5.5H5.5V6H8V9.5H-8V6H-5.5Z",
  // A pediment on columns.
  [Kind.GUILDHALL]: "M0-10L10-4V-2H-10V-4ZM-8-0.5H-5V6H-8ZM-1.5-0.5H1.5V6H-1.5ZM5-0.5H8V6H5ZM-10 7H10V9.5H-10Z",
  // A tree.
  [Kind.PARK]: "M-1.5 9.5V4H-5A4.5 4.5 0 0 1-7-3A5.5 5.5 0 0 1-1-9.5A5.5 5.5 0 0 1 6.5-4.5A4.5 4.5 0 0 1 5 4H1.5V9.5Z",
};

/** Renders the picture of a kind of building at a point. */
export function kindPicture(kind: Kind, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<path d=${PICTURES[kind]} fill-rule="evenodd" transform="translate(${x} ${y}) scale(${scale})" class="l-ink-${kindName(kind)}"/>`;
}

/** Charges that distinguish the coats without colour: a cross, a chevron, a band, a disc. */
const CHARGES: Partial<Record<Coat, string>> = {
  [Coat.BLUE]: "M-1.3-6.5H1.3V-1.8H5V0.8H1.3V7H-1.3V0.8H-5V-1.8H-1.3Z",
  [Coat.ORANGE]: "M0-3.5L5 2.5V5.5L0-0.5L-5 5.5V2.5Z",
  [Coat.GREY]: "M-5.5-6.5H-2.5L5 3.5L3 6L-5.5-4Z",
  [Coat.GREEN]: "M0-3.8A3.4 3.4 0 1 1-0.01-3.8Z",
};

/** Returns the name of a coat: "blue". */
export function coatName(coat: Coat): string {
  return coat === Coat.UNSPECIFIED ? "all four coats" : (Coat[coat] ?? "?").toLowerCase();
}

/** Renders a coat of arms at a point, 16 high at scale 1. */
export function shield(coat: Coat, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y}) scale(${scale})"><path d="M-6-8H6V1C6 5 3 7.5 0 9C-3 7.5-6 5-6 1Z"
    class="l-coat-${coatName(coat)}" stroke="var(--piece-edge)" stroke-width="1.2"/>
    <path d=${CHARGES[coat] ?? ""} fill="#fff" fill-opacity="0.92"/></g>`;
}

/** The four coats of a series. */
export const COATS = [Coat.BLUE, Coat.ORANGE, Coat.GREY, Coat.GREEN] as const;

/** Returns the name of a building: "gate 16, orange". */
export function buildingName({ kind, number, coat }: Building): string {
  return `${kindName(kind)}${number > 0 ? ` ${number}` : ""}, ${coatName(coat)}`;
}

/** Renders a building with its upper left corner at a point. */
export function building(piece: Building, x: number, y: number, scale = 1): SVGTemplateResult {
  const { kind, number, coat } = piece;
  const coats = kind === Kind.GUILDHALL
    ? COATS.map((each, index) => shield(each, 8.5 + index * 9.7, 55, 0.62))
    : shield(coat, kind === Kind.PARK ? 23 : 36.5, 52, 0.9);
  return svg`<g transform="translate(${x} ${y}) scale(${scale})"><title>${buildingName(piece)}</title>
    <path d="M1.5 12.5L23 1.5L44.5 12.5V65H1.5Z" class="l-house-${kindName(kind)}"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <path d="M1.5 12.5L23 1.5L44.5 12.5" fill="none" class="l-roof-${kindName(kind)}" stroke-width="4" stroke-linejoin="round"/>
    ${kindPicture(kind, 23, kind === Kind.PARK ? 28 : 23, kind === Kind.PARK ? 1.2 : 0.88)}
    ${number > 0 ? svg`<text x=${kind === Kind.GUILDHALL ? 23 : 15.5} y=${kind === Kind.GUILDHALL ? 47 : 58} text-anchor="middle"
      font-size=${kind === Kind.GUILDHALL ? 14 : 17} font-weight="700" class="l-number">${number}</text>` : undefined}
    ${coats}</g>`;
}

/** Short text and effect of each bonus tile. */
const TILES: Record<TileKind, readonly [face: string, effect: string]> = {
  [TileKind.UNSPECIFIED]: ["", "no tile"],
  [TileKind.SHARE]: ["share", "enter a space where other pawns are"],
  [TileKind.FREE_CENTRE]: ["centre", "enter the centre without paying"],
  [TileKind.X_SPACE]: ["X", "enter the X space"],
  [TileKind.RECALL]: ["recall", "take back the card of this turn"],
  [TileKind.CHAPEL_PLUS_2]: ["+2", "two spaces on the chapel track"],
  [TileKind.GATE_PLUS_2]: ["+2", "two spaces on the gate track"],
  [TileKind.PLUS_ONE]: ["+1", "raise a played card by one"],
  [TileKind.TAKE_A_2]: ["take", "take a 2 before cards are chosen"],
};

/** Renders a bonus tile of 38 by 38 with its upper left corner at a point. */
export function bonusTile(tile: TileKind, x: number, y: number, scale = 1, isFresh = false): SVGTemplateResult {
  const [face, effect] = TILES[tile];
  const large = face.length <= 2;
  const picture = {
    [TileKind.SHARE]: svg`<path d="M8 22C8 17 12 17 12 12A4 4 0 1 1 17 12C17 17 20 17 20 22ZM19 22C21 20 22 16 22 12A4 4 0 1 1 27 12C27 17 30 17 30 22Z" class="l-glyph"/>`,
    [TileKind.FREE_CENTRE]: svg`<circle cx="19" cy="15" r="9.5" fill="none" class="l-line"/><circle cx="19" cy="15" r="3.8" class="l-glyph"/>`,
    [TileKind.RECALL]: svg`<path d="M27 21A9 9 0 1 0 11 17M7.5 12L11 18.5L17 15" fill="none" class="l-line"/>`,
    [TileKind.CHAPEL_PLUS_2]: kindPicture(Kind.CHAPEL, 19, 13.5, 0.82),
    [TileKind.GATE_PLUS_2]: kindPicture(Kind.GATE, 19, 13.5, 0.82),
    [TileKind.TAKE_A_2]: svg`<rect x="12" y="5" width="14" height="19" rx="2" class="l-glyph-card"/><text x="19" y="19.5" text-anchor="middle" font-size="13" font-weight="700" class="l-number">2</text>`,
  }[tile as number];
  const isPlusTwo = tile === TileKind.CHAPEL_PLUS_2 || tile === TileKind.GATE_PLUS_2;
  return svg`<g transform="translate(${x} ${y}) scale(${scale})">
    <title>${tileName(tile)}: ${effect}${isFresh ? "; usable from the next round" : ""}</title>
    <rect x="1" y="1" width="36" height="36" rx="7" class=${isFresh ? "l-tile l-fresh" : "l-tile"}/>${picture}
    <text x="19" y=${isPlusTwo ? 34 : large ? 26 : 33} text-anchor="middle" font-size=${isPlusTwo ? 13 : large ? 19 : 9.5}
      font-weight="700" class="l-glyph">${face}</text></g>`;
}

/** Renders a character card of 24 by 34 with its upper left corner at a point. */
export function character(value: number, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y}) scale(${scale})"><title>character card ${value}</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-card l-card-${value}"/>
    <path d="M5 31C5 25 8.5 24 9.5 22A5 5 0 1 1 14.5 22C15.5 24 19 25 19 31Z" class="l-person"/>
    <text x="12" y="15" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${value}</text></g>`;
}

/** Renders a card face down. */
export function hiddenCard(x: number, y: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})"><title>a card that is not revealed</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-back"/><path d="M6 8L18 26M18 8L6 26" class="l-back-line"/></g>`;
}
