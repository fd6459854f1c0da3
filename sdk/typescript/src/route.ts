// Which of several servers a seat or an attendance is at.

import { placeLike, type Place } from "./place.js";

/** Goes from one server to the next, and where a server says that something is. */
export class Route {
  readonly #places: readonly Place[];
  /** Which of them was tried last. */
  #tried = 0;
  #place: Place;
  /** The server before has sent us here, and nothing came of it yet. */
  #wasSent = false;

  /** Begins at the server that was named first. */
  constructor(places: readonly Place[]) {
    this.#places = places;
    this.#place = this.#named();
  }

  /** Where it is. */
  get place(): Place {
    return this.#place;
  }

  /**
   * How long a server may keep one waiting for its first answer, at most `mostMs`: where several were
   * named, each has its share of the span of time in which one must be found.
   */
  patienceMs(mostMs: number, spanMs: number): number {
    const several = this.#places.length;
    return several === 1 ? mostMs : Math.min(mostMs, spanMs / several);
  }

  /** The server has answered for itself. */
  arrived(): void {
    this.#wasSent = false;
  }

  /**
   * Goes to `movedTo`, HOST:PORT, or without it to the next server that was named. Returns whether
   * that may be tried at once: two servers that send a caller back and forth must not do so without
   * a pause.
   */
  goOn(movedTo?: string): boolean {
    const moved = movedTo === undefined ? undefined : placeLike(this.#place, movedTo);
    if (moved) {
      this.#place = moved;
      const atOnce = !this.#wasSent;
      this.#wasSent = true;
      return atOnce;
    }
    this.#wasSent = false;
    this.#tried = (this.#tried + 1) % this.#places.length;
    this.#place = this.#named();
    return false;
  }

  #named(): Place {
    const place = this.#places[this.#tried];
    if (!place) throw new RangeError("a route has at least one place");
    return place;
  }
}
