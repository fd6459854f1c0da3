// The API key of this tab, stored as long as the tab is open, and never in the address.

const STORAGE_KEY = "bridgemaster-api-key";

/** Returns the headers with the key; empty without one. */
export function keyHeaders(): Record<string, string> {
  const key = sessionStorage.getItem(STORAGE_KEY);
  return key ? { "x-bridgemaster-key": key } : {};
}

/** Returns whether this tab has an API key. */
export const hasKey = (): boolean => sessionStorage.getItem(STORAGE_KEY) !== null;

/** Stores the API key for calls; an empty one removes it. */
export function storeKey(key: string): void {
  if (key) sessionStorage.setItem(STORAGE_KEY, key);
  else sessionStorage.removeItem(STORAGE_KEY);
}
