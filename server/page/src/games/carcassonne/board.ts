// The table of Carcassonne: the map, the drawn tile, the seats, and the remaining tiles.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { Segment, TileKind } from "../../../gen/bridgemaster/games/carcassonne/v1/components_pb.ts";
import type { Config } from "../../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";
import type {
  LaidTile,
  Meeple,
  Observation,
} from "../../../gen/bridgemaster/games/carcassonne/v1/observation_pb.ts";
import { folded } from "../../drawing/folded.ts";
import { meeple, seatBadge, seatClass } from "../../drawing/seat.ts";
import { plain } from "../../text.ts";
import { pickable, pickedPlaces } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import { completeCities } from "./features.ts";
import { segmentName } from "./notation.ts";
import { firstTurned, type Point, shapeOf, tileName, tileOf, turned } from "./shape.ts";
import { drawTile } from "./tile.ts";

/** Minimum size of the drawn map, in cells. */
const MIN_COLUMNS = 7;
const MIN_ROWS = 5;
/** Minimum number of tiles to leave space for; it doubles whenever it is reached. */
const MIN_TILES = 8;

/** Returns the area of a map, with a margin around it. */
function extent(tiles: readonly { x: number; y: number }[]) {
  const xs = tiles.map((tile) => tile.x);
  const ys = tiles.map((tile) => tile.y);
  let [left, right] = [Math.min(0, ...xs) - 0.5, Math.max(0, ...xs) + 1.5];
  let [top, bottom] = [Math.min(0, ...ys) - 0.5, Math.max(0, ...ys) + 1.5];
  const wider = Math.max(0, MIN_COLUMNS - (right - left)) / 2;
  const higher = Math.max(0, MIN_ROWS - (bottom - top)) / 2;
  [left, right, top, bottom] = [left - wider, right + wider, top - higher, bottom + higher];
  return { left, top, width: right - left, height: bottom - top };
}

/** Returns the point of a meeple on its rotated tile, and whether the meeple lies in a field. */
function meeplePoint(config: Config | undefined, laid: LaidTile, segment: Segment): { at: Point; lies: boolean } {
  const tile = tileOf(config, laid.tile);
  if (!tile || segment === Segment.MONASTERY) return { at: [50, 58], lies: false };
  const shape = shapeOf(tile);
  const lies = segment >= Segment.FIELD_NORTH_LEFT;
  const found = lies
    ? shape.fields.find((field) => firstTurned(field.halfEdges, laid.rotation, 8) === segment - Segment.FIELD_NORTH_LEFT)
    : segment >= Segment.CITY_NORTH
      ? shape.cities.find((city) => firstTurned(city.edges, laid.rotation, 4) === segment - Segment.CITY_NORTH)
      : shape.roads.find((road) => firstTurned(road.edges, laid.rotation, 4) === segment - Segment.ROAD_NORTH);
  return { at: turned(found?.stand ?? [50, 50], laid.rotation), lies };
}

function drawMeeple(scene: Scene<"carcassonne">, standing: Meeple): SVGTemplateResult | undefined {
  const laid = scene.observation.tiles.find((tile) => tile.x === standing.x && tile.y === standing.y);
  if (!laid) return undefined;
  const { at, lies } = meeplePoint(scene.config, laid, standing.segment);
  // Meeples of several seats on one segment are drawn side by side.
  const here = scene.observation.meeples.filter(
    (other) => other.x === standing.x && other.y === standing.y && other.segment === standing.segment,
  );
  const aside = (here.indexOf(standing) - (here.length - 1) / 2) * 26;
  const isNew = scene.events.some(
    ({ event }) =>
      (event.case === "meeplePlaced" &&
        event.value.x === standing.x && event.value.y === standing.y && event.value.segment === standing.segment) ||
      (event.case === "meepleSent" && event.value.seat === standing.seat &&
        event.value.gate?.x === standing.x && event.value.gate.y === standing.y),
  );
  const [x, y] = [standing.x * 100 + at[0] + aside, standing.y * 100 + at[1]];
  return svg`<g><title>meeple of seat ${standing.seat}, ${segmentName(standing.segment)}</title>
    ${isNew ? svg`<circle cx=${x} cy=${y} r="25" class="c-new-meeple"/>` : undefined}
    ${meeple(standing.seat, x, y, 1.5, lies)}</g>`;
}

function unknownTile(kind: TileKind): SVGTemplateResult {
  return svg`<path d="M0 0H100V100H0Z" class="c-field"/><text x="50" y="62" text-anchor="middle"
    font-size="34" class="ink">${tileName(kind)}</text>`;
}

/** Renders the cells for the drawn tile, and the segments of the last tile for a meeple. */
function places({ picking, observation, config }: Scene<"carcassonne">): (SVGTemplateResult | undefined)[] {
  const last = observation.tiles.at(-1);
  return [
    ...pickedPlaces(picking, "cell").map(({ key, numbers: [x = 0, y = 0] }) =>
      pickable(picking, key, svg`<rect x=${x * 100 + 5} y=${y * 100 + 5} width="90" height="90" rx="8"/>`)),
    ...pickedPlaces(picking, "meeple").map(({ key, numbers: [segment = 0] }) => {
      if (!last) return undefined;
      const { at } = meeplePoint(config, last, segment);
      return pickable(picking, key, svg`<circle cx=${last.x * 100 + at[0]} cy=${last.y * 100 + at[1]} r="13"/>`);
    }),
    ...pickedPlaces(picking, "gate").map(({ key, numbers: [x = 0, y = 0] }) =>
      pickable(picking, key, svg`<rect x=${x * 100 + 5} y=${y * 100 + 5} width="90" height="90" rx="8"/>`)),
  ];
}

function map(scene: Scene<"carcassonne">): TemplateResult {
  const { observation, config, frame } = scene;
  const cells = pickedPlaces(scene.picking, "cell").map(({ numbers: [x = 0, y = 0] }) => ({ x, y }));
  // Leave space for the next tiles, so that the scale of the map changes rarely.
  const soon = frame?.tiles.slice(0, 2 ** Math.ceil(Math.log2(Math.max(MIN_TILES, observation.tiles.length)))) ?? [];
  const box = extent([...observation.tiles, ...soon, ...cells]);
  const complete = completeCities(observation.tiles, config);
  const placed = scene.events.map(({ event }) => (event.case === "tilePlaced" ? event.value : undefined));
  const last = placed.find((event) => event)?.placement ?? observation.tiles.at(-1);
  const seat = placed.find((event) => event)?.seat;
  const scored = scene.events.flatMap(({ event }) => (event.case === "scored" && event.value.points > 0 ? [event.value] : []));
  return html`<svg class="c-map" viewBox="${box.left * 100} ${box.top * 100} ${box.width * 100} ${box.height * 100}"
      role="img" aria-label="the map, ${observation.tiles.length} tiles, ${observation.meeples.length} meeples">
    ${observation.tiles.map((laid, index) => {
      const tile = tileOf(config, laid.tile);
      const shape = tile && shapeOf(tile);
      const down = shape?.roads.map((road) => !road.gate || !complete[index]?.[road.gate.city]) ?? [];
      return svg`<g transform="translate(${laid.x * 100} ${laid.y * 100})">
        ${guard([laid.x, laid.y, laid.rotation, tile ?? laid.tile, down.join()], () => svg`<title>${tileName(laid.tile)} at (${laid.x}, ${laid.y}), rotation ${laid.rotation}</title>
        ${tile ? drawTile(tile, laid.rotation, down) : unknownTile(laid.tile)}
        <path d="M0 0H100V100H0Z" class="c-tile-edge"/>`)}</g>`;
    })}
    ${last ? svg`<rect x=${last.x * 100 + 2} y=${last.y * 100 + 2} width="96" height="96" rx="5"
      class="c-last ${seat === undefined ? "" : seatClass(seat)}"/>` : undefined}
    ${observation.meeples.map((standing) => drawMeeple(scene, standing))}
    ${scored.map((event) => svg`<g transform="translate(${event.x * 100 + 78} ${event.y * 100 + 22})">
      <title>${segmentName(event.segment)} scores ${event.points}</title>
      <circle r="17" class="c-points ${event.seats[0] === undefined ? "" : seatClass(event.seats[0])}"/>
      <text y="6.5" text-anchor="middle" font-size="18" font-weight="700" fill="#fff">+${event.points}</text></g>`)}
    ${places(scene)}
  </svg>`;
}

function miniature(config: Config | undefined, kind: TileKind, label: string): TemplateResult {
  const tile = tileOf(config, kind);
  return html`<svg class="c-miniature" viewBox="0 0 100 100" role="img" aria-label=${label}>
    ${guard([tile ?? kind], () => svg`${tile ? drawTile(tile, 0) : unknownTile(kind)}<path d="M0 0H100V100H0Z" class="c-tile-edge"/>`)}</svg>`;
}

function table(scene: Scene<"carcassonne">): TemplateResult {
  const { observation, config } = scene;
  const left = observation.unseen.reduce((sum, count) => sum + count, 0);
  const { phase } = observation;
  const drawn = phase.case === "placeTile" ? phase.value.tile : undefined;
  return html`<div class="c-side">
    ${drawn === undefined ? undefined : html`<figure class="c-drawn">${miniature(config, drawn, `drawn tile ${tileName(drawn)}`)}
      <figcaption>seat ${observation.turnSeat} lays <b>${tileName(drawn)}</b></figcaption></figure>`}
    ${phase.case === "drawbridge" ? html`<ul class="c-crossings">${phase.value.crossings.map(
      (crossing) => html`<li>${seatBadge(crossing.seat)} ${crossing.meeples} ${crossing.meeples === 1 ? "meeple waits" : "meeples wait"} at a drawbridge</li>`,
    )}</ul>` : undefined}
    ${seats(scene)}
    ${folded("c-unseen", `${left} tiles left`, () => html`<ul>${observation.unseen.map((count, index) => count === 0 ? undefined : html`<li>
        ${miniature(config, TileKind.A + index, `tile ${tileName(TileKind.A + index)}`)}
        <span>${count}×${tileName(TileKind.A + index)}</span></li>`)}</ul>`)}
    ${observation.removed.length === 0 ? undefined : html`<p class="quiet">could not be placed: ${observation.removed.map(tileName).join(", ")}</p>`}
  </div>`;
}

function seats({ observation, names, toDecide }: Scene<"carcassonne">): TemplateResult {
  return html`<table class="c-seats"><thead><tr><th>seat</th><th>points</th><th title="points of completed roads">roads</th>
      <th title="points of completed cities">cities</th><th title="points of monasteries">monasteries</th></tr></thead>
    <tbody>${observation.seats.map((view, seat) => html`<tr class=${toDecide.includes(seat) ? "decides" : ""}>
      <th scope="row">${seatBadge(seat)} <bdi>${plain(names[seat] ?? "")}</bdi></th>
      <td class="total">${view.roadPoints + view.cityPoints + view.monasteryPoints}</td><td>${view.roadPoints}</td>
      <td>${view.cityPoints}</td><td>${view.monasteryPoints}</td></tr>
      <tr class="c-supply ${toDecide.includes(seat) ? "decides" : ""}"><td colspan="5">
        <svg viewBox="0 0 224 28" role="img" aria-label="${view.supply} meeples in the supply">${
          Array.from({ length: 7 }, (_, n) => n < view.supply
            ? meeple(seat, 16 + n * 32, 14, 0.9)
            : svg`<circle cx=${16 + n * 32} cy="14" r="3" class="c-away"/>`)
        }</svg></td></tr>`)}</tbody></table>`;
}

export function board(scene: Scene<"carcassonne">): TemplateResult {
  return html`<div class="board carcassonne"><div class="felt c-table"><label class="c-zoom" title="enlarge the map"><input type="checkbox" aria-label="enlarge the map"><span aria-hidden="true">⤢</span></label>
    <div class="c-scroll" tabindex="-1">${map(scene)}</div></div>${table(scene)}</div>`;
}

/** Returns the status of the match, as one line. */
export function status({ phase, turnSeat, tiles }: Observation): string {
  const tile = `tile ${tiles.length}`;
  switch (phase.case) {
    case "placeTile":
      return `${tile}: seat ${turnSeat} lays ${tileName(phase.value.tile)}`;
    case "placeMeeple":
      return `${tile}: seat ${turnSeat} may place a meeple`;
    case "drawbridge":
      return `${tile}: seat ${phase.value.crossings[0]?.seat ?? "?"} decides at a drawbridge`;
    default:
      return "the match is over";
  }
}
