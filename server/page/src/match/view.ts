// The page of a match.

import { html, type TemplateResult } from "lit-html";
import { MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { GameObservation } from "../../gen/bridgemaster/v1/game_pb.ts";
import { seatBadge } from "../drawing/seat.ts";
import type { Game } from "../games/game.ts";
import { gameOf } from "../games/registry.ts";
import { plain } from "../text.ts";
import { charts } from "./charts.ts";
import { controls } from "./controls.ts";
import { inspector } from "./inspector.ts";
import { KEYS } from "./keys.ts";
import type { MatchPage } from "./page.ts";
import { seats } from "./seats.ts";
import { timeText } from "./timeline.ts";
import { transcript } from "./transcript.ts";

function stateTag(page: MatchPage): TemplateResult {
  const { info } = page.record;
  switch (info?.state) {
    case MatchState.WAITING:
      return html`<span class="tag">waiting for bots</span>`;
    case MatchState.RUNNING:
      return html`<span class="tag live">live</span>`;
    case MatchState.CANCELLED:
      return html`<span class="tag warn">cancelled</span>`;
    default:
      return html`<span class="tag">${info?.annulment ? "annulled" : "ended"}</span>`;
  }
}

function head(page: MatchPage, status: string): TemplateResult {
  const { record } = page;
  const { info } = record;
  const position = record.positions[page.index];
  return html`<header class="match-head"><div><h1>${record.game?.name ?? "A match"}</h1>${stateTag(page)}
      <span class="id quiet"><bdi>${plain(info?.matchId ?? "")}</bdi></span></div>
    <p class="status" aria-live=${record.isLive ? "polite" : "off"}>${status}${position ? html`<span class="quiet"> · ${timeText(Number(position.atMs))} after the start</span>` : undefined}</p>
    ${page.notice ? html`<p class="notice" role="status">${page.notice}</p>` : undefined}
    ${info?.cancellation ? html`<p class="notice">Cancelled: <bdi>${plain(info.cancellation.reason)}</bdi></p>` : undefined}
    ${info?.annulment ? html`<p class="notice">Annulled: <bdi>${plain(info.annulment.detail)}</bdi></p>` : undefined}</header>`;
}

function help(page: MatchPage): TemplateResult {
  return html`<div class="help" role="dialog" aria-modal="false" aria-label="keyboard"><div class="panel"><h2>Keyboard</h2><dl>${KEYS.map(
    ([keys, does]) => html`<div><dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`,
  )}</dl><p class="quiet">On a touch screen, swipe the board to the left or right.</p>
    <button type="button" class="text" @click=${() => page.toggleHelp()}>close</button></div></div>`;
}

/** Renders the board at the current position, with the view of a seat or of a spectator. */
function board(page: MatchPage, seat: number | undefined): TemplateResult {
  const { record, index } = page;
  const observation = record.observation(index, seat);
  const game = gameOf(observation);
  if (!observation || !game) {
    return html`<p class="panel quiet empty">${record.positions.length > 0 ? "This page does not support the game; see the transcript." : "The match has not started."}</p>`;
  }
  return game.board({
    observation,
    config: record.info?.config?.game,
    events: record.positions[index]?.events ?? [],
    frame: record.isLive ? undefined : frame(page, game, observation),
    names: Array.from({ length: record.seats }, (_, seat) => record.name(seat)),
  });
}

/** Renders the views of all seats side by side. */
function allBoards(page: MatchPage): TemplateResult {
  const { record } = page;
  return html`<div class="all-seats">${Array.from({ length: record.seats }, (_, seat) => html`<section class="seen" aria-label="view of seat ${seat}">
    <h2>${seatBadge(seat)} view of seat ${seat} <small><bdi>${plain(record.name(seat))}</bdi></small></h2>${board(page, seat)}</section>`)}</div>`;
}

/** Returns the last observation with the same pieces, which determines the size of the board. */
function frame(page: MatchPage, game: Game, now: GameObservation): GameObservation | undefined {
  const position = page.record.positions.findLast(
    ({ observations: [view] }) => view !== undefined && view.game.case === now.game.case && game.continuesIn(now, view),
  );
  return position?.observations[0];
}

/** Renders the current view, with a button to return to that of a spectator. */
function viewNotice(page: MatchPage): TemplateResult | undefined {
  if (page.viewSeat === undefined && !page.showsAll) return undefined;
  return html`<p class="view-notice">${page.showsAll ? "views of all seats" : `view of seat ${page.viewSeat}`}
    <button type="button" class="small" @click=${() => page.viewAs(undefined)}>back to the spectators’ view</button></p>`;
}

/** Renders the page of a match. */
export function matchView(page: MatchPage): TemplateResult {
  const { record, index } = page;
  const observation = record.observation(index, page.viewSeat);
  const game = gameOf(observation);
  const status = observation && game ? game.status(observation) : record.isLive ? "waiting for bots" : "";
  const toDecide = observation && game ? game.toDecide(observation) : [];
  return html`<main class="match ${page.showsAll ? "wide" : ""}">${head(page, status)}
    <div class="stage"><section aria-label="board" @touchstart=${swipe.start} @touchend=${(event: TouchEvent) => swipe.end(page, event)}>
      ${viewNotice(page)}${page.showsAll ? allBoards(page) : board(page, page.viewSeat)}</section>${controls(page)}${charts(page)}</div>
    <aside aria-label="details">${seats(page, toDecide)}${inspector(page)}${transcript(page)}</aside>
    ${page.showsHelp ? help(page) : undefined}</main>`;
}

/** Minimum distance of a swipe, in pixels. */
const SWIPE = 50;

const swipe = {
  from: undefined as Touch | undefined,
  start(event: TouchEvent) {
    swipe.from = event.touches.length === 1 ? event.touches[0] : undefined;
  },
  end(page: MatchPage, event: TouchEvent) {
    const to = event.changedTouches[0];
    if (!swipe.from || !to) return;
    const [dx, dy] = [to.clientX - swipe.from.clientX, to.clientY - swipe.from.clientY];
    if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) page.goTo(page.index + (dx < 0 ? 1 : -1));
    swipe.from = undefined;
  },
};
