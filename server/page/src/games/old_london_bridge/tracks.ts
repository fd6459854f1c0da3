// The chapel track and the gate track.

import { html, svg, type TemplateResult } from "lit-html";
import { Kind } from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import { seatMark } from "../../drawing/seat.ts";
import type { Scene } from "../game.ts";
import { kindPicture } from "./pieces.ts";

/** Number of spaces in one row of a track. */
const ROW_LENGTH = 16;
const CELL = 27;
/** Vertical distance of stacked markers, so that the number of each is visible. */
const STACKED = 14;
/** Income of the last space. */
const LAST_SPACE_MONEY = 10;

interface Track {
  name: string;
  kind: Kind;
  last: number;
  /** Texts printed on spaces, such as their money. */
  printed: Map<number, string>;
  /** Seats, the leader first, whose marker is on top of a stack. */
  order: number[];
  position(seat: number): number;
  moved: Set<number>;
}

/** Returns the font size with which a text fits into a space, below a marker. */
function fontSize(text: string): number {
  if (text === "start") return 9;
  return [10, 12, 12, 10.5][text.length] ?? 8.5;
}

function draw(track: Track): TemplateResult {
  const spaces = track.last + 1;
  const rows = Math.ceil(spaces / ROW_LENGTH);
  // Leave space above for all markers, stacked on one space.
  const room = 16 + (track.order.length - 1) * STACKED;
  const row = room + CELL + 3;
  const at = (space: number) => ({
    x: (space % ROW_LENGTH) * CELL + 3,
    y: Math.floor(space / ROW_LENGTH) * row + room,
  });
  return html`<figure class="l-track"><figcaption><svg class="glyph" viewBox="-12 -12 24 24" aria-hidden="true">${kindPicture(track.kind, 0, 0)}</svg> ${track.name}</figcaption>
    <svg viewBox="0 0 ${ROW_LENGTH * CELL + 6} ${rows * row}" role="img" aria-label=${track.name}>
    ${Array.from({ length: spaces }, (_, space) => {
      const { x, y } = at(space);
      const text = track.printed.get(space);
      return svg`<g><rect x=${x + 1} y=${y} width=${CELL - 2} height=${CELL - 2} rx="4"
          class=${text === undefined ? "l-space" : "l-space l-pays"}/>
        <text x=${x + CELL / 2} y=${y + 21} text-anchor="middle" font-size=${fontSize(text ?? (space === 0 ? "start" : ""))}
          font-weight=${text === undefined ? 400 : 700} class=${text === undefined ? "ink-soft" : "l-pays-text"}>${
            text ?? (space === 0 ? "start" : space)}</text></g>`;
    })}
    ${[...track.order].reverse().map((seat) => {
      const { x, y } = at(track.position(seat));
      const below = track.order.slice(track.order.indexOf(seat) + 1)
        .filter((other) => track.position(other) === track.position(seat)).length;
      const cy = y - 1 - below * STACKED;
      return svg`${track.moved.has(seat) ? svg`<circle cx=${x + CELL / 2} cy=${cy} r="14" class="new"/>` : undefined}
        ${seatMark(seat, x + CELL / 2, cy, 9.5)}`;
    })}</svg></figure>`;
}

/** Renders both tracks with their markers. */
export function tracks({ observation, config, events }: Scene<"oldLondonBridge">): TemplateResult {
  const edition = config?.edition;
  const moved = (name: "chapelAdvanced" | "gateAdvanced") =>
    new Set(events.flatMap(({ event }) => (event.case === name && event.value.fromSpace !== event.value.toSpace ? [event.value.seat] : [])));
  const chapelLast = edition?.chapelLastSpace ?? Math.max(15, ...observation.seats.map((seat) => seat.chapelPosition));
  const gateLast = edition?.gateLastSpace ?? Math.max(15, ...observation.seats.map((seat) => seat.gatePosition));
  const money = new Map(edition?.chapelMoney.map((space) => [space.space, `£${space.money}`]));
  const bonus = new Map(edition?.gateBonus.map((space) => [space, "★"]));
  money.set(chapelLast, `£${(edition?.chapelMoney.find(({ space }) => space === chapelLast)?.money ?? 0) + LAST_SPACE_MONEY}`);
  bonus.set(gateLast, `${bonus.get(gateLast) ?? ""}£${LAST_SPACE_MONEY}`);
  return html`<div class="l-tracks">
    ${draw({
      name: "Chapel track", kind: Kind.CHAPEL, last: chapelLast, printed: money, order: observation.chapelOrder,
      position: (seat) => observation.seats[seat]?.chapelPosition ?? 0, moved: moved("chapelAdvanced"),
    })}
    ${draw({
      name: "Gate track", kind: Kind.GATE, last: gateLast, printed: bonus, order: observation.gateOrder,
      position: (seat) => observation.seats[seat]?.gatePosition ?? 0, moved: moved("gateAdvanced"),
    })}</div>`;
}
