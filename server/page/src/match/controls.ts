// The scrubber and the buttons below the board.

import { html, svg, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { SPEEDS } from "../address.ts";
import type { MatchPage } from "./page.ts";
import type { Mark } from "./timeline.ts";
import { decisionText } from "./transcript.ts";

const ICONS = {
  first: "M5 5H7.5V19H5ZM19 5V19L8.5 12Z",
  previous: "M16 5V19L6 12Z",
  play: "M7 4.5V19.5L19.5 12Z",
  pause: "M6 5H10.5V19H6ZM13.5 5H18V19H13.5Z",
  next: "M8 5V19L18 12Z",
  last: "M16.5 5H19V19H16.5ZM5 5V19L15.5 12Z",
};

function button(name: keyof typeof ICONS, label: string, action: () => void, disabled = false): TemplateResult {
  return html`<button type="button" class="icon" aria-label=${label} title=${label} ?disabled=${disabled} @click=${action}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} fill="currentColor"/></svg></button>`;
}

/** Returns the shape of a mark: a cross for a fault, an arrow for points, a ring for a long think. */
function markShape({ kind }: Mark): string {
  if (kind === "fault") return "M-4-4L4 4M4-4L-4 4";
  return kind === "jump" ? "M-4.5 4L0-4L4.5 4Z" : "M0-4.5A4.5 4.5 0 1 1-0.01-4.5Z";
}

/** Renders the marks above the scrubber. They are for the mouse; the keyboard has the transcript. */
function marks(page: MatchPage): TemplateResult {
  const last = Math.max(1, page.last);
  return html`<svg class="marks" width="100%" height="14" aria-hidden="true">${page.timeline.marks.map((mark) => svg`<svg
    x="${(mark.index / last) * 100}%" overflow="visible" class="scrub-mark mark-${mark.kind}" @click=${() => page.goTo(mark.index)}>
    <title>decision ${page.record.positions[mark.index]?.number ?? 0}: ${mark.text}</title>
    <rect x="-7" width="14" height="14" fill="transparent"/><path transform="translate(0 7)" d=${markShape(mark)}/></svg>`)}</svg>`;
}

export function controls(page: MatchPage): TemplateResult {
  const { index, last, record, isPlaying } = page;
  const position = page.position();
  const number = position?.number ?? 0;
  const all = record.positions.at(-1)?.number ?? 0;
  const text = position?.played ? `decision ${number} of ${all}: ${decisionText(position.played)}` : `start, ${all} decisions`;
  return html`<div class="controls" role="group" aria-label="position">
    <div class="scrub">${marks(page)}<input type="range" min="0" max=${last} .value=${live(String(index))} aria-label="position"
      aria-valuetext=${text} @input=${(event: Event) => page.goTo(Number((event.target as HTMLInputElement).value))}></div>
    <div class="buttons">
      ${button("first", "first position", () => page.goTo(0), index === 0)}
      ${button("previous", "previous decision", () => page.goTo(index - 1), index === 0)}
      ${button(isPlaying ? "pause" : "play", isPlaying ? "pause" : "play", () => page.togglePlaying())}
      ${button("next", "next decision", () => page.goTo(index + 1), index >= last)}
      ${button("last", record.isLive ? "newest position, and follow" : "last position", () => page.goTo(last), index >= last)}
      <output class="count"><b>${number}</b> / ${all}</output>
      <label class="speed"><span>speed</span><select aria-label="decisions per second" @change=${(event: Event) =>
        page.setSpeed(Number((event.target as HTMLSelectElement).value))}>${SPEEDS.map((speed) =>
        html`<option value=${speed} ?selected=${speed === page.speed}>${speed}/s</option>`)}</select></label>
      <button type="button" class="text" title="keyboard" aria-expanded=${page.showsHelp} @click=${() => page.toggleHelp()}>?<span class="wide"> keys</span></button>
    </div></div>`;
}
