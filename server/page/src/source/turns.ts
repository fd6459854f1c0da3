// Yields to rendering, and waits for frames.

/** Time for which messages are processed before the page may render, in ms. */
const TURN_MS = 8;
/** Maximum wait for a frame, in ms: hidden tabs have no frames. */
const FRAME_MS = 100;

/** Yields to rendering while many messages are read. They arrive all at once, and without a pause
 * between them no frame would be rendered. */
export class Turns {
  #startedAt = performance.now();

  /** Yields to other tasks if the time is used up. Called after each message. */
  async next(): Promise<void> {
    if (performance.now() - this.#startedAt <= TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#startedAt = performance.now();
  }
}

/** Waits for the next frame, at most `FRAME_MS`. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, FRAME_MS);
  });
}

/** Waits until the tab is visible. */
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
