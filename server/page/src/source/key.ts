// The API key of this tab. It is kept as long as the tab is open, and never in the address.

const KEPT = "bridgemaster-api-key";

/** The headers that a call has the key in; none without one. */
export function keyHeaders(): Record<string, string> {
  const key = sessionStorage.getItem(KEPT);
  return key ? { "x-bridgemaster-key": key } : {};
}

/** Whether this tab has an API key. */
export const hasKey = (): boolean => sessionStorage.getItem(KEPT) !== null;

/** Keeps the API key that calls are made with; an empty one forgets it. */
export function keepKey(key: string): void {
  if (key) sessionStorage.setItem(KEPT, key);
  else sessionStorage.removeItem(KEPT);
}
