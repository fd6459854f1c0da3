// The ticket of the seat that is played in this tab. A link carries it behind `#`, which browsers send
// to no server; it is taken from the address at once.

const KEPT = "bridgemaster-seat";

/** A seat, as this tab knows it. */
export interface KeptSeat {
  ticket: string;
  /** The name of the player; empty until it is given. */
  name: string;
}

/** Takes the ticket from the address, if it has one. */
export function takeFromAddress(): void {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (!location.hash) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (ticket && ticket !== keptSeat()?.ticket) keepSeat({ ticket, name: "" });
}

/** The seat that is kept for this tab. */
export function keptSeat(): KeptSeat | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    if (typeof kept !== "object" || kept === null) return undefined;
    const { ticket, name } = kept as Partial<KeptSeat>;
    return typeof ticket === "string" && typeof name === "string" ? { ticket, name } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a seat for this tab; none forgets it. */
export function keepSeat(seat: KeptSeat | undefined): void {
  if (seat) sessionStorage.setItem(KEPT, JSON.stringify(seat));
  else sessionStorage.removeItem(KEPT);
}
