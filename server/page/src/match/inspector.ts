// The decision that led to the position: the legal decisions, the chosen one, and its time.

import { html, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { seatBadge } from "../drawing/seat.ts";
import { plain } from "../text.ts";
import type { MatchPage } from "./page.ts";
import { timeText } from "./timeline.ts";
import { deciderName } from "./transcript.ts";

/** Maximum number of listed legal decisions. */
const MAX_LISTED = 200;

function legal(page: MatchPage): TemplateResult {
  const played = page.position()?.played;
  const { game } = page.record;
  if (!played || !game) return html``;
  const names = played.legalDecisions.map((decision) => game.notation(decision));
  const chosen = names.indexOf(played.notation);
  const shown = names.map((name, place) => ({ name, place })).filter(({ place }) => place < MAX_LISTED || place === chosen);
  return html`<p>${names.length} legal${played.legalDecisionsCut ? " in a truncated list" : ""}${
    chosen >= 0 ? html`; chosen: number <b>${chosen}</b>` : undefined}</p>
    <ol class="legal">${shown.map(({ name, place }) => html`<li class=${place === chosen ? "chosen" : ""} value=${place}>${
      place === chosen ? html`<b>${name}</b> ✓` : name}</li>`)}</ol>
    ${shown.length < names.length ? html`<p class="quiet">and ${names.length - shown.length} more</p>` : undefined}`;
}

export function inspector(page: MatchPage): TemplateResult {
  const position = page.position();
  const played = position?.played;
  if (!played) return html`<section class="panel inspector" aria-label="decision"><h2>Decision</h2><p class="quiet">The start of the match.</p></section>`;
  const { charge } = played;
  const by = deciderName(played.decidedBy);
  const ms = (us: bigint) => timeText(Number(us) / 1000);
  const count = played.legalDecisions.length;
  return html`<section class="panel inspector" aria-label="decision"><h2>Decision ${position.number}</h2>
    <p class="chosen-now">${seatBadge(played.seat)} <b>${played.notation === "" ? "decided" : plain(played.notation)}</b>${by ? html` <span class="tag">${by}</span>` : undefined}</p>
    ${charge ? html`<dl><div><dt>charged</dt><dd>${ms(charge.chargedUs)}</dd></div>${charge.unchargedUs > 0n ? html`<div><dt>not charged</dt><dd>${ms(charge.unchargedUs)}</dd></div>` : undefined}<div><dt>elapsed</dt><dd>${ms(charge.elapsedUs)}</dd></div>
      <div><dt>credit</dt><dd>${ms(charge.creditUs)}</dd></div>${charge.refereeLagUs > 0n ? html`<div><dt>server’s lag</dt><dd>${ms(charge.refereeLagUs)}</dd></div>` : undefined}</dl>` : undefined}
    ${played.note ? html`<blockquote><bdi>${plain(played.note)}</bdi></blockquote>` : undefined}
    ${count > 0 ? html`<details ?open=${page.showsLegal} @toggle=${(event: Event) => page.showLegal((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>legal decisions</summary>${page.showsLegal ? guard([page.index, page.record.version, page.viewSeat], () => legal(page)) : undefined}</details>` : undefined}
    <h3>changes</h3>${position.lines.length === 0 ? html`<p class="quiet">no visible changes</p>`
      : html`<ul class="changes" tabindex="0" aria-label="changes">${position.lines.map((line) => html`<li>${plain(line)}</li>`)}</ul>`}</section>`;
}
