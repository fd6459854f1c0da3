// The transcript of a match; each line is a link to its position. It is also the view for visitors
// who cannot see the board.

import { html, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { FaultAction } from "../../gen/bridgemaster/v1/fault_pb.ts";
import type { PlayedDecision, Position } from "../../gen/bridgemaster/v1/position_pb.ts";
import { DecidedBy } from "../../gen/bridgemaster/v1/replay_pb.ts";
import { seatBadge } from "../drawing/seat.ts";
import { plain } from "../text.ts";
import type { MatchPage } from "./page.ts";
import { visibleTo } from "./sight.ts";
import { faultName } from "./timeline.ts";

/** Number of positions that are rendered together. */
const BLOCK = 32;

/** Formats a decision. Secret decisions of others have no notation; only their events are shown. */
export function decisionText({ seat, notation }: PlayedDecision): string {
  return notation === "" ? `seat ${seat} decided` : `seat ${seat}: ${plain(notation)}`;
}

/** Returns who decided, unless it was the bot. */
export function deciderName(by: DecidedBy | undefined): string {
  switch (by) {
    case DecidedBy.REFEREE:
      return "forced";
    case DecidedBy.HOUSE:
      return "by the house";
    case DecidedBy.REPLAY:
      return "from the replay";
    default:
      return "";
  }
}

function entry(page: MatchPage, position: Position, index: number): TemplateResult {
  const { played, lines, faults } = position;
  const by = deciderName(played?.decidedBy);
  return html`<li data-index=${index}><a href=${page.href(index)} @click=${(event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      page.goTo(index);
    }}><span class="number">${position.number}</span>${played
      ? html`${seatBadge(played.seat)}<span class="line decision">${decisionText(played)}</span>${by ? html` <small>${by}</small>` : undefined}`
      : html`<span class="line beginning">start</span>`}</a>
    ${played?.note ? html`<p class="note"><q><bdi>${plain(played.note)}</bdi></q></p>` : undefined}${faults.length + lines.length === 0 ? undefined : html`<ul>${faults.map(({ seat, fault }) => html`<li class="fault">seat ${seat}: fault ${faultName(fault?.reason)},
      costs ${(FaultAction[fault?.action ?? 0] ?? "").toLowerCase()}${fault?.detail ? html`: <bdi>${plain(fault.detail)}</bdi>` : undefined}</li>`)}${lines.map((line) =>
      html`<li class="event">${plain(line)}</li>`)}</ul>`}</li>`;
}

export function transcript(page: MatchPage): TemplateResult {
  const { record } = page;
  // Complete blocks are rendered only once while more positions are loading.
  const blocks = Array.from({ length: Math.ceil(record.positions.length / BLOCK) }, (_, block) => {
    const positions = record.positions.slice(block * BLOCK, (block + 1) * BLOCK);
    return guard([positions.length, record.replaced, page.seat, page.viewSeat, page.speed], () =>
      positions.map((position, place) => entry(page, visibleTo(position, page.viewSeat), block * BLOCK + place)));
  });
  return html`<section class="panel transcript" aria-label="transcript"><h2>Transcript</h2>${record.isLive
    ? html`<div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="events"><ol>${blocks}</ol></div>`
    : html`<div class="scroll" role="region" tabindex="0" aria-label="events"><ol>${blocks}</ol></div>`}</section>`;
}

/** Marks the line of the position and scrolls it into view, without scrolling the page. */
export function markCurrent(root: ParentNode, index: number): void {
  const scroll = root.querySelector(".transcript .scroll");
  const list = scroll?.firstElementChild;
  const before = list?.querySelector('[aria-current="step"]');
  const now = list?.children[index]?.firstElementChild;
  if (before !== now) {
    before?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "step");
  }
  if (!scroll || !now || before === now) return;
  const [outer, inner] = [scroll.getBoundingClientRect(), now.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom - 40) {
    scroll.scrollTop += inner.top - outer.top - outer.height / 3;
  }
}
