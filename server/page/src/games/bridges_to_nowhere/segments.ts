// Segments of a structure: runs of cards between two pillars. Nothing else scores.

import type { Placement } from "../../../gen/bridgemaster/games/bridges_to_nowhere/v1/components_pb.ts";

/** A run of cards between two pillars. */
export interface Segment {
  level: number;
  /** Column of the first card. */
  from: number;
  cards: Placement[];
}

/** Points of segments, without those of a contract. */
export interface SegmentScore {
  numbers: number;
  tolls: number;
  monuments: number;
  symbols: number;
}

/** Points of a pair of adjacent equal symbols. */
const PAIR_POINTS = 5;

/** Returns the segments of a structure, in the order of their left pillars. */
export function segmentsOf(structure: readonly Placement[]): Segment[] {
  const at = new Map(structure.map((piece) => [`${piece.level} ${piece.column}`, piece]));
  const piece = (level: number, column: number) => at.get(`${level} ${column}`);
  return structure.flatMap(({ piece: first, level, column }) => {
    if (first.case !== "pillar") return [];
    const cards: Placement[] = [];
    for (let next = piece(level, column + 1); next; next = piece(level, next.column + 1)) {
      if (next.piece.case === "pillar") return cards.length > 0 ? [{ level, from: column + 1, cards }] : [];
      cards.push(next);
    }
    return [];
  });
}

/** Returns the points of the segments of a structure. */
export function scoreOf(segments: readonly Segment[]): SegmentScore {
  const score = { numbers: 0, tolls: 0, monuments: 0, symbols: 0 };
  for (const { level, cards } of segments) {
    const number = (index: number) => {
      const card = cards[index]?.piece;
      return card?.case === "bridgeCard" ? card.value.number : 0;
    };
    cards.forEach(({ piece }, index) => {
      if (piece.case !== "bridgeCard") {
        score.monuments += (number(index - 1) + number(index + 1)) * level;
        return;
      }
      score.numbers += piece.value.number * level;
      const isEnd = index === 0 || index === cards.length - 1;
      if (piece.value.number === 0 && isEnd) score.tolls += cards.length * level;
      const before = cards[index - 1]?.piece;
      if (before?.case === "bridgeCard" && before.value.right === piece.value.left) score.symbols += PAIR_POINTS;
    });
  }
  return score;
}
