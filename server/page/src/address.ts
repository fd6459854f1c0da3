// The state of the page in its address, so that a copied address shows the same.

/** Returns the path of the page's root without its last slash, from the address of the script, which
 * is in the root. It is empty unless a proxy serves the page below a path. */
export const rootOf = (script: string | undefined) => (script ? new URL(".", script).pathname.slice(0, -1) : "");

/** The path of the page's root. A single file has no script of its own, and no other pages. */
export const ROOT = rootOf((globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src);

/** The part of a match that is shown. */
export interface ViewState {
  /** Number of decisions before the position; none for the start of a finished match, or the newest
   * position of a live one. */
  at: number | undefined;
  /** The seat whose view is shown, or all of them side by side; none for a spectator. */
  seat: number | "all" | undefined;
  /** Playback speed, in decisions per second. */
  speed: number;
}

/** The available speeds, in decisions per second. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
const DEFAULT_SPEED = 2;

function whole(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Parses the part of the address after `?` or `#`; invalid values are ignored. */
export function readViewState(query: string): ViewState {
  const values = new URLSearchParams(query.replace(/^[?#]/, ""));
  const speed = SPEEDS.find((each) => String(each) === values.get("speed"));
  const seat = values.get("seat") === "all" ? "all" : whole(values.get("seat"));
  return { at: whole(values.get("at")), seat, speed: speed ?? DEFAULT_SPEED };
}

/** Formats the state without the leading mark; empty if everything has its default. */
export function writeViewState({ at, seat, speed }: ViewState): string {
  const values = new URLSearchParams();
  if (at !== undefined) values.set("at", String(at));
  if (seat !== undefined) values.set("seat", String(seat));
  if (speed !== DEFAULT_SPEED) values.set("speed", String(speed));
  return values.toString();
}

/** A page of the site, with its parameters. */
export type Route =
  | { page: "matches"; query: URLSearchParams }
  | { page: "match"; matchId: string }
  | { page: "play" }
  | { page: "replay" }
  | { page: "ladders" }
  | { page: "ladder"; ladderId: string }
  | { page: "ladder-bot"; ladderId: string; botName: string }
  | { page: "unknown" };

/** Returns the page at a path below the root. */
export function routeOf(path: string, query: string, root = ROOT): Route {
  let parts: string[];
  try {
    parts = path.slice(root.length).split("/").filter((part) => part !== "").map(decodeURIComponent);
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

/** The path of the list of matches. */
export const HOME = `${ROOT}/`;
/** Returns the path of a match. */
export const matchPath = (matchId: string) => `${ROOT}/m/${encodeURIComponent(matchId)}`;
/** Returns the path of the list of a bot's matches. */
export const botPath = (name: string) => `${ROOT}/?${new URLSearchParams({ bot: name })}`;
/** Returns the path of a ladder, or of a bot on it. */
export const ladderPath = (ladderId: string, bot?: string) =>
  `${ROOT}/ladder/${encodeURIComponent(ladderId)}${bot === undefined ? "" : `/${encodeURIComponent(bot)}`}`;
