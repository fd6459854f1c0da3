// When the page may read on, and when it may draw.

/** Longest time for which positions are read before the page may draw, in ms. */
const TURN_MS = 8;
/** Longest wait for a frame, in ms: a tab that is hidden has none. */
const FRAME_MS = 100;

/** Lets the page draw while many messages are read: they come all at once, and what is read without a
 * pause leaves no frame between. */
export class Turns {
  #begun = performance.now();

  /** After a message: waits now and then for whatever else there is to do. */
  async next(): Promise<void> {
    if (performance.now() - this.#begun <= TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#begun = performance.now();
  }
}

/** Waits until the next frame is drawn. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, FRAME_MS);
  });
}

/** Waits until the tab is looked at. */
export function visible(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const onShow = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", onShow);
      resolve();
    };
    document.addEventListener("visibilitychange", onShow);
  });
}
