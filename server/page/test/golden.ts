// The golden playthroughs: as text, and as positions, which
// `cargo run -p bridgemaster-proto --features games --example golden_positions` writes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WatchPositionsResponse } from "../gen/bridgemaster/v1/match_service_pb.ts";
import { readPositions } from "../src/source/delimited.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
const POSITIONS = join(ROOT, ".work/golden");
const TEXTS = join(ROOT, "../../games/tests/golden");

/** A playthrough. */
export interface Golden {
  /** GAME.NAME. */
  name: string;
  bytes: Uint8Array;
  messages: WatchPositionsResponse[];
  /** Its lines of events and decisions, in order. */
  lines: string[];
}

/** All playthroughs. */
export function goldens(): Golden[] {
  const files = readdirSync(POSITIONS).filter((name) => name.endsWith(".positions")).sort();
  if (files.length === 0) throw new Error(`no positions in ${POSITIONS}`);
  return files.map((file) => {
    const name = file.replace(/\.positions$/, "");
    const [game = "", playthrough = ""] = name.split(".");
    const text = readFileSync(join(TEXTS, game, `${playthrough}.txt`), "utf8");
    const bytes = new Uint8Array(readFileSync(join(POSITIONS, file)));
    return { name, bytes, messages: readPositions(bytes), lines: linesOf(text) };
  });
}

/** Decisions are lines such as `seat 1: play 3`, events are indented by two, right before a digest,
 * a table or another event; the table at some positions is not part of the transcript. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let inEvents = true;
  for (const line of text.split("\n").slice(1)) {
    const decision = /^seat \d+: (?!place \d+, score)/.test(line);
    if (decision) {
      lines.push(line);
      inEvents = true;
    } else if (inEvents && /^ {2}\S/.test(line)) {
      lines.push(line.slice(2));
    } else if (!/^[a-z-]+ \S+$/.test(line) || lines.length > 0) {
      inEvents = false;
    }
  }
  return lines;
}
