// The address is the state: whoever has it sees the same.

/** What of a match is looked at. */
export interface Look {
  /** Decisions played before the position; none for the beginning of an ended match, or the newest
   * position of a live one. */
  at: number | undefined;
  /** The seat whose view it is, or all of them side by side; none for a spectator. */
  seat: number | "all" | undefined;
  /** Decisions a second, when it plays by itself. */
  speed: number;
}

/** The speeds that can be chosen, in decisions a second. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
const DEFAULT_SPEED = 2;

function whole(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads what stands behind `?` or `#`. What makes no sense is left out. */
export function readLook(query: string): Look {
  const values = new URLSearchParams(query.replace(/^[?#]/, ""));
  const speed = SPEEDS.find((each) => String(each) === values.get("speed"));
  const seat = values.get("seat") === "all" ? "all" : whole(values.get("seat"));
  return { at: whole(values.get("at")), seat, speed: speed ?? DEFAULT_SPEED };
}

/** Writes it, without the mark before it; empty when all is as it is by default. */
export function writeLook({ at, seat, speed }: Look): string {
  const values = new URLSearchParams();
  if (at !== undefined) values.set("at", String(at));
  if (seat !== undefined) values.set("seat", String(seat));
  if (speed !== DEFAULT_SPEED) values.set("speed", String(speed));
  return values.toString();
}

/** A page. */
export type Route =
  | { page: "matches"; query: URLSearchParams }
  | { page: "match"; matchId: string }
  | { page: "play" }
  | { page: "replay" }
  | { page: "ladders" }
  | { page: "ladder"; ladderId: string }
  | { page: "ladder-bot"; ladderId: string; botName: string }
  | { page: "unknown" };

/** The page at a path. */
export function routeOf(path: string, query: string): Route {
  let parts: string[];
  try {
    parts = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
  } catch {
    return { page: "unknown" };
  }
  const [first, second, third] = parts;
  if (parts.length === 0) return { page: "matches", query: new URLSearchParams(query) };
  if (first === "m" && second && parts.length === 2) return { page: "match", matchId: second };
  if (first === "play" && parts.length === 1) return { page: "play" };
  if (first === "replay" && parts.length === 1) return { page: "replay" };
  if (first === "ladder" && parts.length === 1) return { page: "ladders" };
  if (first === "ladder" && second && parts.length === 2) return { page: "ladder", ladderId: second };
  if (first === "ladder" && second && third && parts.length === 3) {
    return { page: "ladder-bot", ladderId: second, botName: third };
  }
  return { page: "unknown" };
}

/** The path of a match. */
export const matchPath = (matchId: string) => `/m/${encodeURIComponent(matchId)}`;
/** The path of a list of a bot's matches. */
export const botPath = (name: string) => `/?${new URLSearchParams({ bot: name })}`;
/** The path of a ladder, or of a bot on it. */
export const ladderPath = (ladderId: string, bot?: string) =>
  `/ladder/${encodeURIComponent(ladderId)}${bot === undefined ? "" : `/${encodeURIComponent(bot)}`}`;
