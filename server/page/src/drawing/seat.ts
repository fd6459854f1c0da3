// The appearance of seats: each has a colour, a shape and its number.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";

/** Outlines of radius 10 around the origin: circle, square, triangle, diamond, hexagon, star. */
const OUTLINES = [
  "M-10 0A10 10 0 1 1 10 0A10 10 0 1 1-10 0Z",
  "M-9-9H9V9H-9Z",
  "M0-11.5L11.5 8.5H-11.5Z",
  "M0-12L12 0L0 12L-12 0Z",
  "M-5.5-10H5.5L11 0L5.5 10H-5.5L-11 0Z",
  "M0-12.5L3.3-4.6L12-3.9L5.4 1.8L7.4 10.2L0 5.7L-7.4 10.2L-5.4 1.8L-12-3.9L-3.3-4.6Z",
];

/** Returns the CSS class that sets `color` to the colour of a seat. */
export function seatClass(seat: number): string {
  return `seat-${seat % OUTLINES.length}`;
}

/** Renders the mark of a seat at a point; its radius is about `r`. */
export function seatMark(seat: number, x: number, y: number, r = 10): SVGTemplateResult {
  const down = seat % OUTLINES.length === 2 ? 2.5 : 0;
  return svg`<g class="mark ${seatClass(seat)}" transform="translate(${x} ${y}) scale(${r / 10})">
    <path d=${OUTLINES[seat % OUTLINES.length]} fill="currentColor" stroke="var(--piece-edge)"
      stroke-width="1.5" stroke-linejoin="round"/>
    <text y=${4 + down} text-anchor="middle" font-size="11.5" font-weight="700" fill="#fff"
      >${seat}</text></g>`;
}

/** Renders the mark of a seat in running text. */
export function seatBadge(seat: number): TemplateResult {
  return html`<svg class="badge" viewBox="-13 -13 26 26" aria-hidden="true">${seatMark(seat, 0, 0)}</svg>`;
}

/** Renders a pawn of a seat with its foot at a point; it is 26 high at scale 1. */
export function pawn(seat: number, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<g class="mark ${seatClass(seat)}" transform="translate(${x} ${y}) scale(${scale})">
    <title>pawn of seat ${seat}</title>
    <path d="M-10 1C-10-6-4-8-4-13A6.5 6.5 0 1 1 4-13C4-8 10-6 10 1Z" fill="currentColor"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <text y="-0.5" text-anchor="middle" font-size="10" font-weight="700" fill="#fff">${seat}</text></g>`;
}

/** Renders a meeple of a seat around a point, standing or lying; it is 26 high at scale 1. */
export function meeple(seat: number, x: number, y: number, scale = 1, lies = false): SVGTemplateResult {
  return svg`<g class="mark ${seatClass(seat)}" transform="translate(${x} ${y}) scale(${scale})">
    <g transform=${lies ? "rotate(-90)" : "rotate(0)"}>
      <path d="M0-13C3-13 5-11 5-8C5-7 4.7-6.2 4.3-5.5C8-4.5 12.5-2.5 12.5 0C12.5 2 10 2.5 6.5 2.5
        C7.5 6 11 9 11 11.5C11 12.6 10.4 13 9.5 13H3C2 13 1.5 10 0 9C-1.5 10-2 13-3 13H-9.5
        C-10.4 13-11 12.6-11 11.5C-11 9-7.5 6-6.5 2.5C-10 2.5-12.5 2-12.5 0C-12.5-2.5-8-4.5-4.3-5.5
        C-4.7-6.2-5-7-5-8C-5-11-3-13 0-13Z" fill="currentColor" stroke="var(--piece-edge)"
        stroke-width="1.4" stroke-linejoin="round"/></g>
    <text y="4" text-anchor="middle" font-size="9.5" font-weight="700" fill="#fff">${seat}</text></g>`;
}
