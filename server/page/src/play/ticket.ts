// The ticket of the seat that is played in this tab. A link contains it after `#`, which browsers
// do not send to servers; it is removed from the address at once.

const STORAGE_KEY = "bridgemaster-seat";

/** The seat stored for this tab. */
export interface StoredSeat {
  ticket: string;
  /** The name of the player; empty until it is entered. */
  name: string;
}

/** Moves the ticket from the address to the storage of the tab, if there is one. */
export function takeTicketFromAddress(): void {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (!location.hash) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (ticket && ticket !== storedSeat()?.ticket) storeSeat({ ticket, name: "" });
}

/** Returns the seat stored for this tab. */
export function storedSeat(): StoredSeat | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    if (typeof stored !== "object" || stored === null) return undefined;
    const { ticket, name } = stored as Partial<StoredSeat>;
    return typeof ticket === "string" && typeof name === "string" ? { ticket, name } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a seat for this tab; undefined removes it. */
export function storeSeat(seat: StoredSeat | undefined): void {
  if (seat) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(seat));
  else sessionStorage.removeItem(STORAGE_KEY);
}
