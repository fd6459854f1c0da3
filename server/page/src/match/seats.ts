// The list of seats: bots, points, and the selection of the view.

import { html, type TemplateResult } from "lit-html";
import { type SeatResult, SeatState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { botPath } from "../address.ts";
import { seatBadge } from "../drawing/seat.ts";
import { plain } from "../text.ts";
import type { MatchPage } from "./page.ts";
import { faultName, timeText } from "./timeline.ts";

const STATES: Record<SeatState, string> = {
  [SeatState.UNSPECIFIED]: "",
  [SeatState.VACANT]: "no bot yet",
  [SeatState.CONNECTED]: "",
  [SeatState.PAUSED]: "stream lost",
  [SeatState.FORFEITED]: "forfeited",
};

function seatRow(page: MatchPage, seat: number, toDecide: number[]): TemplateResult {
  const { record } = page;
  const info = record.info?.seats.find((each) => each.seat === seat);
  const result = record.info?.result?.seats.find((each) => each.seat === seat);
  const name = record.name(seat);
  const version = info?.botVersion || result?.botVersion;
  const bank = record.positions[page.index]?.bankLeftMs[seat];
  const state = record.isLive ? STATES[info?.state ?? SeatState.UNSPECIFIED] : result?.forfeit ? `forfeited: ${faultName(result.forfeit)}` : "";
  const isFinal = record.isWhole && page.index === page.last;
  return html`<li class=${toDecide.includes(seat) ? "decides" : ""}>
    <div class="who">${seatBadge(seat)}<span class="name">${name === "" ? html`<i>seat ${seat}</i>`
      : page.mark === "?" ? html`<a href=${botPath(name)}><bdi>${plain(name)}</bdi></a>` : html`<bdi>${plain(name)}</bdi>`}${
      version ? html` <small><bdi>${plain(version)}</bdi></small>` : undefined}</span>
      ${toDecide.includes(seat) ? html`<span class="tag">to decide</span>` : undefined}
      ${isFinal && result ? html`<span class="place place-${result.place}">place ${result.place}</span>` : undefined}</div>
    <div class="facts">${isFinal && result ? score(result)
        : html`<span><b>${page.timeline.points[page.index]?.[seat] ?? 0}</b> ${record.game?.pointsName ?? "points"}</span>`}
      ${bank === undefined ? undefined : html`<span title="time left in the bank">${timeText(bank)} left</span>`}
      ${state ? html`<span class="tag warn">${state}</span>` : undefined}${
      info && info.strikes > 0 ? html`<span class="tag warn">${info.strikes} ${info.strikes === 1 ? "strike" : "strikes"}</span>` : undefined}
      <span class="acts"><button type="button" class="small" aria-pressed=${page.viewSeat === seat} ?disabled=${!record.hasView(seat)}
        title=${record.hasView(seat) ? `show the view of seat ${seat}` : "available when the match is over"} @click=${() => page.viewAs(page.viewSeat === seat ? undefined : seat)}>view as</button>
      <button type="button" class="small" aria-label="previous decision of seat ${seat}" title="previous decision of seat ${seat}" @click=${() => page.goToSeat(seat, -1)}>◂</button>
      <button type="button" class="small" aria-label="next decision of seat ${seat}" title="next decision of seat ${seat}" @click=${() => page.goToSeat(seat, 1)}>▸</button></span></div></li>`;
}

/** Renders the final score with its breakdown. */
function score({ score, breakdown }: SeatResult): TemplateResult {
  if (breakdown.length === 0) return html`<span>score <b>${score}</b></span>`;
  return html`<details class="breakdown"><summary>score <b>${score}</b></summary><dl>${breakdown.map((line) =>
    html`<div><dt>${plain(line.category).replace(/_/g, " ")}</dt><dd>${line.points}</dd></div>`)}</dl></details>`;
}

/** Renders the list of seats. */
export function seats(page: MatchPage, toDecide: number[]): TemplateResult {
  const all = Array.from({ length: page.record.seats }, (_, seat) => seat);
  return html`<section class="panel seats" aria-label="seats"><h2>Seats <button type="button" class="small" aria-pressed=${page.showsAll} ?disabled=${!page.record.hasAllViews}
    title=${page.record.hasAllViews ? "show the views of all seats, side by side" : "available when the match is over"} @click=${() => page.viewAs(page.showsAll ? undefined : "all")}>view all</button></h2><ul>${all.map((seat) => seatRow(page, seat, toDecide))}</ul></section>`;
}
