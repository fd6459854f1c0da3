// The keyboard of the match page.

import type { MatchPage } from "./page.ts";

/** The keys and their actions, for the help. */
export const KEYS: readonly (readonly [keys: string, action: string])[] = [
  ["← →", "previous and next decision"],
  ["Home End", "first and last position"],
  ["Space", "play and pause"],
  ["+ −", "faster and slower"],
  ["N P", "next and previous decision of the same seat"],
  ["J K", "next and previous fault"],
  ["1 … 6", "view as seat 0 … 5"],
  ["A", "views of all seats, side by side"],
  ["0 Esc", "view as a spectator"],
  ["?", "this help"],
];

/** Returns whether the element handles this key itself. */
function handlesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input, select, textarea, [contenteditable]")) return true;
  return (key === " " || key === "Enter") && target.closest("button, a, summary") !== null;
}

/** Handles a key of the page of a match. */
export function onKey(page: MatchPage, event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey || handlesKey(event.target, event.key)) return;
  const seat = page.viewSeat ?? page.record.positions[page.index]?.played?.seat;
  const actions: Record<string, () => void> = {
    ArrowLeft: () => page.goTo(page.index - 1),
    ArrowRight: () => page.goTo(page.index + 1),
    Home: () => page.goTo(0),
    End: () => page.goTo(page.record.isLive ? page.last : Number.POSITIVE_INFINITY),
    " ": () => page.togglePlaying(),
    "+": () => page.changeSpeed(1),
    "-": () => page.changeSpeed(-1),
    n: () => seat !== undefined && page.goToSeat(seat, 1),
    p: () => seat !== undefined && page.goToSeat(seat, -1),
    j: () => page.goToFault(1),
    k: () => page.goToFault(-1),
    a: () => page.viewAs(page.seat === "all" ? undefined : "all"),
    "0": () => page.viewAs(undefined),
    Escape: () => (page.showsHelp ? page.toggleHelp() : page.viewAs(undefined)),
    "?": () => page.toggleHelp(),
  };
  const action = /^[1-6]$/.test(event.key)
    ? () => page.viewAs(Number(event.key) - 1)
    : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
