// The geometry of a kind of tile: unrotated, 100 by 100, x to the east, y to the south.
//
// A tile is described by the edges of its cities, roads and fields. Everything drawn is derived
// from them, so that tiles of any edition can be drawn.

import {
  Edge,
  type HalfEdge,
  TileKind,
} from "../../../gen/bridgemaster/games/carcassonne/v1/components_pb.ts";
import type { Config, Tile } from "../../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";

/** A point on an unrotated tile. */
export type Point = readonly [x: number, y: number];

/** A city segment of a tile. */
export interface CityShape {
  /** Edges of the segment, 0 to 3 clockwise from the north. */
  edges: number[];
  outline: Point[];
  shield: boolean;
  /** Point for a meeple. */
  stand: Point;
  /** Point for the shield. */
  crest: Point;
}

/** A road segment of a tile. */
export interface RoadShape {
  edges: number[];
  path: Point[];
  stand: Point;
  /** The feature at which the road ends on the tile. */
  end: "village" | "monastery" | "wall" | "drawbridge" | undefined;
  /** For a road that ends at a city: the point, and its direction there in degrees. */
  gate: { at: Point; degrees: number; city: number } | undefined;
}

/** A field segment of a tile. */
export interface FieldShape {
  /** Half-edges of the segment, 0 to 7 clockwise from the west half of the north edge. */
  halfEdges: number[];
  stand: Point;
}

/** The geometry of a tile. */
export interface TileShape {
  cities: CityShape[];
  roads: RoadShape[];
  readonly fields: FieldShape[];
  monastery: boolean;
  village: boolean;
}

const MIDDLE: Point = [50, 50];
/** Midpoints of the edges, and the corner before each edge, clockwise from the north-west. */
const MIDPOINTS: readonly Point[] = [[50, 0], [100, 50], [50, 100], [0, 50]];
const CORNERS: readonly Point[] = [[0, 0], [100, 0], [100, 100], [0, 100]];
/** Half the width of a road, with its edges. */
const ROAD = 6;
/** Cell size of the raster on which points are searched for. */
const STEP = 5;

/** Returns the tile of a kind; undefined if the config does not contain it. */
export function tileOf(config: Config | undefined, kind: TileKind): Tile | undefined {
  if (kind >= TileKind.D1) return config?.edition?.tiles[kind - TileKind.D1];
  return config?.baseTiles[kind - TileKind.A]?.tile;
}

/** Returns the name of a kind of tile: A to X, D1 to D12. */
export function tileName(kind: TileKind): string {
  return TileKind[kind] ?? String(kind);
}

function curve(from: Point, control: Point, to: Point): Point[] {
  const points: Point[] = [];
  for (let i = 0; i <= 12; i++) {
    const t = i / 12;
    const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
    points.push([
      a * from[0] + b * control[0] + c * to[0],
      a * from[1] + b * control[1] + c * to[1],
    ]);
  }
  return points;
}

const edgeIndex = (edge: Edge) => edge - Edge.NORTH;
const halfIndex = (half: HalfEdge) => half - 1;
const at = (points: readonly Point[], index: number): Point => points[((index % 4) + 4) % 4] ?? MIDDLE;

/** Returns the border of a city with these edges, clockwise; its inner part is a curve. */
function cityOutline(edges: number[]): Point[] {
  const has = (edge: number) => edges.includes(((edge % 4) + 4) % 4);
  if (edges.length === 4) return [...CORNERS];
  const [first] = edges;
  if (edges.length === 1 && first !== undefined) {
    // A cap over one edge.
    const [from, to, inwards] = [at(CORNERS, first), at(CORNERS, first + 1), at(MIDPOINTS, first)];
    const control: Point = [
      inwards[0] + (50 - inwards[0]) * 1.28,
      inwards[1] + (50 - inwards[1]) * 1.28,
    ];
    return [from, to, ...curve(to, control, from).slice(1, -1)];
  }
  const outline: Point[] = [];
  for (let edge = 0; edge < 4; edge++) {
    const [from, to] = [at(CORNERS, edge), at(CORNERS, edge + 1)];
    outline.push(from);
    if (has(edge)) continue;
    // A gap: the border bends inwards, more deeply if the next edge is open too.
    const alone = has(edge - 1) && has(edge + 1);
    if (alone) {
      const middle = at(MIDPOINTS, edge);
      const depth = edges.length === 3 ? 0.72 : 0.9;
      const control: Point = [
        middle[0] + (50 - middle[0]) * depth,
        middle[1] + (50 - middle[1]) * depth,
      ];
      outline.push(...curve(from, control, to).slice(1, -1));
    } else if (has(edge - 1)) {
      // Two open edges in a row: one curve over both.
      const end = at(CORNERS, edge + 2);
      outline.push(...curve(from, [50 + (50 - to[0]) * 0.16, 50 + (50 - to[1]) * 0.16], end).slice(1, -1));
      edge += 1;
    }
  }
  // A gap that starts at the west edge and continues at the north edge.
  if (!has(3) && !has(0) && has(1) && has(2)) {
    const [end, from] = [at(CORNERS, 1), at(CORNERS, 3)];
    return [end, at(CORNERS, 2), from, ...curve(from, [58, 58], end).slice(1, -1)];
  }
  return outline;
}

/** Returns whether a point is within an outline. */
export function isInside([x, y]: Point, outline: readonly Point[]): boolean {
  let inside = false;
  for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
    const [a, b] = [outline[i] ?? MIDDLE, outline[j] ?? MIDDLE];
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) {
      inside = !inside;
    }
  }
  return inside;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** Returns the point that is farthest from all others and from the border of the tile. */
function mostDistant(points: Point[], others: Point[], near?: Point): Point | undefined {
  let best: Point | undefined;
  let most = -Infinity;
  for (const point of points) {
    const [x, y] = point;
    const border = Math.min(x, y, 100 - x, 100 - y) + 4;
    // Compare squares and stop early, since there are thousands of pairs.
    let square = Math.min(border, 22) ** 2;
    const least = Math.max(0, most) ** 2;
    for (const [otherX, otherY] of others) {
      square = Math.min(square, (x - otherX) ** 2 + (y - otherY) ** 2);
      if (square < least) break;
    }
    const room = Math.sqrt(square) - (near ? distance(point, near) * 0.05 : 0);
    if (room > most) [best, most] = [point, room];
  }
  return best;
}

/** Centres of the cells of the raster, row by row. */
const RASTER: readonly Point[] = Array.from({ length: (100 / STEP) ** 2 }, (_, cell) => {
  const size = 100 / STEP;
  return [((cell % size) + 0.5) * STEP, (Math.floor(cell / size) + 0.5) * STEP];
});

function citiesOf(tile: Tile): CityShape[] {
  return tile.cities.map(({ edges, shield }) => {
    const indices = edges.map(edgeIndex);
    const outline = cityOutline(indices);
    const inside: Point[] = [];
    const outside: Point[] = [];
    for (const point of RASTER) (isInside(point, outline) ? inside : outside).push(point);
    const stand = mostDistant(inside, outside, MIDDLE) ?? MIDDLE;
    const crests = inside.filter((point) => distance(point, stand) > 26);
    const crest = mostDistant(crests, outside) ?? stand;
    return { edges: indices, outline, shield, stand, crest };
  });
}

function roadsOf(tile: Tile, cities: CityShape[]): RoadShape[] {
  const ends = tile.roads.filter((road) => road.edges.length === 1).length;
  return tile.roads.map((road) => {
    const edges = road.edges.map(edgeIndex);
    const [first = 0, second] = edges;
    const from = at(MIDPOINTS, first);
    if (second !== undefined) {
      const to = at(MIDPOINTS, second);
      const path = (second - first) % 2 === 0 ? [from, to] : curve(from, bend(from, to), to);
      const stand = path.length === 2 ? MIDDLE : (path[6] ?? MIDDLE);
      return { edges, path, stand, end: undefined, gate: undefined };
    }
    const toBridge = road.drawbridge !== Edge.UNSPECIFIED;
    const city = toBridge
      ? cities.findIndex((shape) => shape.edges[0] === edgeIndex(road.drawbridge))
      : ends === 1 && !tile.monastery && cities.length === 1 ? 0 : -1;
    const shape = cities[city];
    if (shape) {
      const path = pathInto(from, shape, tile.cities.length > 1);
      const last = path[path.length - 1] ?? from;
      const before = path[path.length - 2] ?? from;
      const degrees = (Math.atan2(last[1] - before[1], last[0] - before[0]) * 180) / Math.PI;
      const stand = path[Math.floor(path.length * 0.45)] ?? from;
      return { edges, path, stand, end: toBridge ? "drawbridge" : "wall", gate: { at: last, degrees, city } };
    }
    const stand: Point = [from[0] + (50 - from[0]) * 0.42, from[1] + (50 - from[1]) * 0.42];
    return { edges, path: [from, MIDDLE], stand, end: tile.monastery ? "monastery" : "village", gate: undefined };
  });
}

/** Returns the control point of a road around a corner. */
function bend(from: Point, to: Point): Point {
  const corner: Point = [from[0] === 50 ? to[0] : from[0], from[1] === 50 ? to[1] : from[1]];
  return [50 + (corner[0] - 50) * 0.12, 50 + (corner[1] - 50) * 0.12];
}

/** Returns the path from an edge to the wall of a city, up to the first point inside. */
function pathInto(from: Point, city: CityShape, hasOthers: boolean): Point[] {
  let target: Point = city.stand;
  if (city.edges.length === 1) {
    const middle = at(MIDPOINTS, city.edges[0] ?? 0);
    // Next to another city of the tile, the road stays in its own half.
    const aside = hasOthers ? 0 : 0.06;
    target = [middle[0] + (from[0] - 50) * aside, middle[1] + (from[1] - 50) * aside];
  }
  const control: Point = [from[0] + (50 - from[0]) * 0.62, from[1] + (50 - from[1]) * 0.62];
  const fine: Point[] = [];
  const whole = curve(from, control, target);
  for (let i = 0; i + 1 < whole.length; i++) {
    const [a, b] = [whole[i] ?? from, whole[i + 1] ?? from];
    for (let k = 0; k < 4; k++) fine.push([a[0] + ((b[0] - a[0]) * k) / 4, a[1] + ((b[1] - a[1]) * k) / 4]);
  }
  const end = fine.findIndex((point) => isInside(point, city.outline));
  return end < 1 ? [from, target] : fine.slice(0, end + 1);
}

/** Returns a point slightly inside of a half-edge. */
function halfPoint(half: number): Point {
  const along = half % 2 === 0 ? 25 : 75;
  const points: Point[] = [[along, 3], [97, along], [100 - along, 97], [3, 100 - along]];
  return points[half >> 1] ?? MIDDLE;
}

function fieldsOf(tile: Tile, cities: CityShape[], roads: RoadShape[]): FieldShape[] {
  const lines = roads.flatMap((road) => dense(road.path));
  const isOpen = (point: Point) =>
    !cities.some((city) => isInside(point, city.outline)) &&
    !lines.some((other) => (point[0] - other[0]) ** 2 + (point[1] - other[1]) ** 2 < ROAD ** 2);
  const open = new Set(RASTER.map((point, index) => (isOpen(point) ? index : -1)).filter((i) => i >= 0));
  const size = 100 / STEP;
  const taken: Point[] = [...lines, ...(tile.monastery ? [MIDDLE] : [])];
  return tile.fields.map((field) => {
    const halfEdges = field.halfEdges.map(halfIndex);
    // Flood fill from the half-edges.
    const reached = new Set<number>();
    const waiting = halfEdges.map((half) => {
      const [x, y] = halfPoint(half);
      return Math.min(size - 1, Math.floor(y / STEP)) * size + Math.min(size - 1, Math.floor(x / STEP));
    });
    for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
      if (reached.has(cell) || !open.has(cell)) continue;
      reached.add(cell);
      if (cell % size > 0) waiting.push(cell - 1);
      if (cell % size < size - 1) waiting.push(cell + 1);
      waiting.push(cell - size, cell + size);
    }
    const points = RASTER.filter((_, index) => reached.has(index));
    const others = RASTER.filter((_, index) => !reached.has(index)).concat(taken);
    const [half = 0] = halfEdges;
    return { halfEdges, stand: mostDistant(points, others) ?? halfPoint(half) };
  });
}

function dense(path: readonly Point[]): Point[] {
  return path.slice(1).flatMap((to, index) => {
    const from = path[index] ?? to;
    return [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1].map(
      (t): Point => [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t],
    );
  });
}

const SHAPES = new WeakMap<Tile, TileShape>();

/** Returns the geometry of a tile, which is cached. That of its fields is computed on first use. */
export function shapeOf(tile: Tile): TileShape {
  let shape = SHAPES.get(tile);
  if (!shape) {
    const cities = citiesOf(tile);
    const roads = roadsOf(tile, cities);
    const village = roads.some((road) => road.end === "village");
    let fields: FieldShape[] | undefined;
    shape = {
      cities,
      roads,
      get fields() {
        return (fields ??= fieldsOf(tile, cities, roads));
      },
      monastery: tile.monastery,
      village,
    };
    SHAPES.set(tile, shape);
  }
  return shape;
}

/** Rotates a point of an unrotated tile by quarter turns clockwise. */
export function turned([x, y]: Point, rotation: number): Point {
  let point: Point = [x, y];
  for (let turn = 0; turn < rotation % 4; turn++) point = [100 - point[1], point[0]];
  return point;
}

/** Returns the lowest of some edges, or half-edges, after rotation; `all` is the number per turn. */
export function firstTurned(edges: number[], rotation: number, all: 4 | 8): number {
  const step = all / 4;
  return Math.min(...edges.map((edge) => (edge + rotation * step) % all));
}
