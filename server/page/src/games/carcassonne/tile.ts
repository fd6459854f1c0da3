// A tile as a drawing, 100 by 100.

import { svg, type SVGTemplateResult } from "lit-html";
import type { Tile } from "../../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";
import { type CityShape, isInside, type Point, type RoadShape, shapeOf } from "./shape.ts";

function pathOf(points: readonly Point[], closed: boolean): string {
  const text = points.map(([x, y]) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`);
  return `M${text.join("L")}${closed ? "Z" : ""}`;
}

function road(shape: RoadShape): SVGTemplateResult {
  const d = pathOf(shape.path, false);
  return svg`<path d=${d} class="c-road-edge"/><path d=${d} class="c-road"/>`;
}

/** Renders the wall of a city: the part of its border that is not on an edge of the tile. */
function wall(city: CityShape): SVGTemplateResult[] {
  const parts: SVGTemplateResult[] = [];
  const onEdge = (a: Point, b: Point) =>
    (a[0] === b[0] && (a[0] === 0 || a[0] === 100)) || (a[1] === b[1] && (a[1] === 0 || a[1] === 100));
  let run: Point[] = [];
  const flush = () => {
    if (run.length > 1) parts.push(svg`<path d=${pathOf(run, false)} class="c-wall"/><path
      d=${pathOf(run, false)} class="c-battlements"/>`);
    run = [];
  };
  const outline = city.outline;
  outline.forEach((from, index) => {
    const to = outline[(index + 1) % outline.length] ?? from;
    if (onEdge(from, to)) return flush();
    if (run.length === 0) run.push(from);
    run.push(to);
  });
  flush();
  return parts;
}

const HOUSES: readonly Point[] = [
  [-17, -5], [15, -8], [-10, 9], [17, 8], [2, -16], [3, 17], [-24, 7], [27, -2],
];

/** Renders houses around the middle of a city, except at the points of the meeple and the shield. */
function houses(city: CityShape, rotation: number): SVGTemplateResult[] {
  const { stand, crest, outline, shield } = city;
  const middle: Point = [
    outline.reduce((sum, [x]) => sum + x, 0) / outline.length,
    outline.reduce((sum, [, y]) => sum + y, 0) / outline.length,
  ];
  const inside = (point: Point) => {
    const box: Point[] = [[-7, -6], [7, -6], [7, 7], [-7, 7]];
    return box.every(([dx, dy]) => isInside([point[0] + dx, point[1] + dy], outline));
  };
  return HOUSES.map(([dx, dy]): Point => [(middle[0] + stand[0]) / 2 + dx, (middle[1] + stand[1]) / 2 + dy])
    .filter((point) => inside(point) && (!shield || Math.hypot(point[0] - crest[0], point[1] - crest[1]) > 14))
    .map(([x, y], index) => svg`<g transform="translate(${x} ${y}) rotate(${-90 * rotation})">
      <path d="M-5 0V5H5V0" class="c-house"/><path d="M-6.5 0.5L0-5L6.5 0.5Z"
        class=${index % 2 === 0 ? "c-roof" : "c-roof-2"}/></g>`);
}

/** Renders a shield that stays upright on a rotated tile. */
function crest([x, y]: Point, rotation: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y}) rotate(${-90 * rotation})">
    <path d="M-7-8H7V1C7 6 3 8.5 0 10C-3 8.5-7 6-7 1Z" class="c-crest"/>
    <path d="M0-8V10M-7-1H7" class="c-crest-cross"/></g>`;
}

function monastery(rotation: number): SVGTemplateResult {
  return svg`<g transform="translate(50 50) rotate(${-90 * rotation})">
    <ellipse cy="13" rx="25" ry="9" class="c-yard"/>
    <path d="M-19 14V-3H5V14Z" class="c-cloister"/><path d="M-22-2L-7-14L8-2Z" class="c-roof"/>
    <path d="M5 14V-10H18V14Z" class="c-cloister"/><path d="M3-9L11.5-23L20-9Z" class="c-roof"/>
    <path d="M11.5-30V-22M8.5-27H14.5" class="c-cross"/>
    <path d="M-9 14V7A2.5 2.5 0 0 1-4 7V14M9 14V7A2.5 2.5 0 0 1 14 7V14" class="c-door"/></g>`;
}

function village(rotation: number): SVGTemplateResult {
  return svg`<g transform="translate(50 50) rotate(${-90 * rotation})">
    <circle r="13" class="c-yard"/>
    <path d="M-9 7V0H0V7Z" class="c-house"/><path d="M-10.5 0.5L-4.5-5L1.5 0.5Z" class="c-roof"/>
    <path d="M1 5V-3H9V5Z" class="c-house"/><path d="M-0.5-2.5L5-8L10.5-2.5Z" class="c-roof-2"/></g>`;
}

/** Renders a drawbridge at the wall: lowered over the road, or raised at the gate. */
function drawbridge(shape: RoadShape, isDown: boolean): SVGTemplateResult | undefined {
  if (!shape.gate) return undefined;
  const { at, degrees } = shape.gate;
  const gate = svg`<path d="M-3-9H6V9H-3Z" class="c-gate"/><path d="M-3-4.5H6V4.5H-3Z" class="c-door"/>`;
  const planks = isDown
    ? svg`<path d="M-19-5.5H-3V5.5H-19Z" class="c-bridge"/>
        <path d="M-15-5.5V5.5M-11-5.5V5.5M-7-5.5V5.5" class="c-planks"/>
        <path d="M-18-5.5L0-8M-18 5.5L0 8" class="c-chain"/>`
    : svg`<path d="M-7-6.5H-3V6.5H-7Z" class="c-bridge"/>
        <path d="M-7-2.2H-3M-7 2.2H-3" class="c-planks"/>
        <path d="M-18-6V6M-15-6V6" class="c-moat"/>`;
  return svg`<g transform="translate(${at[0]} ${at[1]}) rotate(${degrees})">${
    shape.end === "drawbridge" ? [planks, gate] : gate
  }</g>`;
}

/** Renders a rotated tile. `down` is whether the drawbridge of each road is down. */
export function drawTile(tile: Tile, rotation: number, down: boolean[] = []): SVGTemplateResult {
  const shape = shapeOf(tile);
  return svg`<g transform="rotate(${90 * rotation} 50 50)">
    <path d="M0 0H100V100H0Z" class="c-field"/>
    <path d=${GRASS} class="c-grass"/>
    ${shape.roads.map(road)}
    ${shape.cities.map((city) => svg`<path d=${pathOf(city.outline, true)} class="c-city"/>${wall(city)}${houses(city, rotation)}`)}
    ${shape.village ? village(rotation) : undefined}
    ${shape.monastery ? monastery(rotation) : undefined}
    ${shape.roads.map((way, index) => drawbridge(way, down[index] ?? true))}
    ${shape.cities.map((city) => (city.shield ? crest(city.crest, rotation) : undefined))}
  </g>`;
}

const GRASS = "M12 14l3-5 3 5M80 22l3-5 3 5M28 78l3-5 3 5M74 84l3-5 3 5M14 56l3-5 3 5M86 62l3-5 3 5M44 20l3-5 3 5";
