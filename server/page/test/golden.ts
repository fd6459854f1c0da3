// Reads the golden playthroughs, as text and as positions. The latter are written by
// `cargo run -p bridgemaster-proto --features games --example golden_positions`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WatchPositionsResponse } from "../gen/bridgemaster/v1/match_service_pb.ts";
import { readPositions } from "../src/source/delimited.ts";

const ROOT = process.env["PAGE_ROOT"] ?? process.cwd();
const POSITIONS = join(ROOT, ".work/golden");
const TEXTS = join(ROOT, "../../games/tests/golden");

export interface Golden {
  /** The file name: `GAME.NAME`. */
  name: string;
  bytes: Uint8Array;
  messages: WatchPositionsResponse[];
  /** The lines of events and decisions, in order. */
  lines: string[];
}

/** Returns all golden playthroughs, sorted by name. */
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

/** Extracts the transcript. A decision is the line after the legal decisions of a seat; the indented
 * lines after it, and those after the header, are events. Tables and digests are skipped. */
function linesOf(text: string): string[] {
  const all = text.split("\n");
  const lines: string[] = [];
  let isEvent = true;
  all.forEach((line, index) => {
    if (/^seat \d+ may: /.test(all[index - 1] ?? "")) {
      lines.push(line);
      isEvent = true;
    } else if (/^ {2}\S/.test(line)) {
      if (isEvent) lines.push(line.slice(2));
    } else if (lines.length > 0) {
      isEvent = false;
    }
  });
  return lines;
}
