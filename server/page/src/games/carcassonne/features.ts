// Completeness of cities: while a city is incomplete, its drawbridges are drawn lowered.

import type { Config } from "../../../gen/bridgemaster/games/carcassonne/v1/config_pb.ts";
import type { LaidTile } from "../../../gen/bridgemaster/games/carcassonne/v1/observation_pb.ts";
import { shapeOf, tileOf } from "./shape.ts";

const STEPS = [[0, -1], [1, 0], [0, 1], [-1, 0]] as const;

/** Returns whether the city of each city segment is complete, by tile and segment. */
export function completeCities(tiles: readonly LaidTile[], config: Config | undefined): boolean[][] {
  const parent: number[] = [];
  const find = (node: number): number => {
    let root = node;
    for (let next = parent[root]; next !== undefined && next !== root; next = parent[root]) root = next;
    parent[node] = root;
    return root;
  };
  const open = new Set<number>();
  /** The city segments by edge of a cell, "x y edge", after rotation. */
  const segments = new Map<string, number>();
  const ofTile: number[][] = tiles.map((laid) => {
    const tile = tileOf(config, laid.tile);
    return (tile ? shapeOf(tile).cities : []).map((city) => {
      const node = parent.push(parent.length) - 1;
      for (const edge of city.edges) segments.set(`${laid.x} ${laid.y} ${(edge + laid.rotation) % 4}`, node);
      return node;
    });
  });
  const loose: number[] = [];
  for (const [place, node] of segments) {
    const [x = 0, y = 0, edge = 0] = place.split(" ").map(Number);
    const [dx, dy] = STEPS[edge] ?? [0, 0];
    const other = segments.get(`${x + dx} ${y + dy} ${(edge + 2) % 4}`);
    if (other === undefined) loose.push(node);
    else parent[find(node)] = find(other);
  }
  for (const node of loose) open.add(find(node));
  return ofTile.map((nodes) => nodes.map((node) => !open.has(find(node))));
}
