// The page of a player: the board, the options, the clock, and the transcript.

import { html, type TemplateResult } from "lit-html";
import { SeatState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { gameOf } from "../games/registry.ts";
import { matchPath, ROOT } from "../address.ts";
import { seatBadge } from "../drawing/seat.ts";
import { faultName, timeText } from "../match/timeline.ts";
import { decisionText } from "../match/transcript.ts";
import { failurePage } from "../shell.ts";
import { plain } from "../text.ts";
import { storeSeat, type StoredSeat } from "./ticket.ts";
import type { PlayPage } from "./page.ts";

/** Time left below which a clock is urgent, in ms. */
const URGENT_MS = 30_000;
/** Number of the newest positions in the transcript. */
const NEWEST = 40;

/** Renders the form for a ticket and a name. */
export function seatForm(stored: StoredSeat | undefined, onSubmit: (seat: StoredSeat) => void): TemplateResult {
  return html`<main class="plain"><div class="panel empty"><h1>Play a seat</h1>
    <p>${stored ? "This link contains the ticket of a seat." : "The creator of a match receives a ticket for each seat. Paste the ticket of your seat."}
      Once you have taken the seat, its clock runs, even while this page is closed.</p>
    <form class="seat-form" @submit=${(event: Event) => {
      event.preventDefault();
      const { elements } = event.currentTarget as HTMLFormElement;
      const text = (name: string) => (elements.namedItem(name) as HTMLInputElement | null)?.value.trim() ?? "";
      onSubmit({ ticket: stored?.ticket ?? text("ticket"), name: text("name") });
    }}>${stored ? undefined : html`<label>Ticket <input name="ticket" autocomplete="off" required></label>`}
      <label>Your name <input name="name" autocomplete="off" maxlength="64" required value="human"></label>
      <button type="submit">Take the seat</button></form></div></main>`;
}

function clock(page: PlayPage): TemplateResult | undefined {
  if (!page.request) return undefined;
  const left = page.decisionLeftMs;
  return html`<p class="play-clock ${left < URGENT_MS ? "urgent" : ""}" role="timer" aria-label="time"><b>${timeText(left)}</b> for this decision
    <span class="quiet">${timeText(page.bankLeftMs)} in the bank</span></p>`;
}

function options(page: PlayPage): TemplateResult | undefined {
  const { choosing, picking } = page;
  if (!choosing || !picking) return undefined;
  return html`<ol class="options" aria-label="your options">${choosing.options.map(({ key, label, picture }, index) => html`<li><button
    type="button" class=${picture ? "with-picture" : ""} @click=${() => page.pick(key)}>${picture}<span>${label}</span>${
      index < 9 ? html`<kbd aria-hidden="true">${index + 1}</kbd>` : undefined}</button></li>`)}</ol>
    ${choosing.path.length > 0 ? html`<p><button type="button" class="small back" @click=${() => page.back()}>◂ start over</button></p>` : undefined}`;
}

/** Renders the field for a note on the next decision. */
function noting(page: PlayPage): TemplateResult | undefined {
  if (!page.picking || page.noteLength < 1) return undefined;
  return html`<label class="noting">Note on this decision, visible to others after the match <input autocomplete="off"
    maxlength=${page.noteLength} .value=${page.note} @input=${(event: Event) => (page.note = (event.target as HTMLInputElement).value)}></label>`;
}

function decision(page: PlayPage): TemplateResult {
  const { choosing } = page;
  const so = choosing?.path.map(({ label }) => label).join(", ");
  return html`<section class="panel deciding ${page.request && !page.isSending ? "yours" : ""}" aria-label="your decision">
    <div role="status"><h2>${page.ended ? "The match is over"
      : page.isSending ? "Sending your decision…"
      : page.request ? (so ? `You ${so}…` : "Your turn to decide")
      : page.started ? "Waiting for other seats to decide" : "Waiting for other players to join"}</h2></div>
    ${clock(page)}
    ${page.refused ? html`<p class="notice" role="alert">${page.refused}</p>` : undefined}
    ${page.notice ? html`<p class="notice" role="status">${page.notice}</p>` : undefined}
    ${options(page)}${noting(page)}
    ${page.request?.legalDecisionsCut ? html`<p class="quiet">Only the first of the legal decisions are listed.</p>` : undefined}
    ${page.decided && !page.ended ? html`<p class="quiet">You decided: ${page.decided}${page.noted ? html` — <q><bdi>${plain(page.noted)}</bdi></q>` : undefined}</p>` : undefined}
    ${result(page)}${resigning(page)}</section>`;
}

function resigning(page: PlayPage): TemplateResult | undefined {
  if (!page.started || page.ended) return undefined;
  if (!page.confirmsResign) {
    return html`<p class="resign"><button type="button" class="small" @click=${() => page.confirmResign(true)}>Resign</button></p>`;
  }
  return html`<p class="resign">Resign the match? <button type="button" class="small" @click=${() => void page.resign()}>Resign for good</button>
    <button type="button" class="small" @click=${() => page.confirmResign(false)}>Keep playing</button></p>`;
}

function result(page: PlayPage): TemplateResult | undefined {
  const { ended } = page;
  if (!ended?.result) return undefined;
  const { matchId, seats } = ended.result;
  const own = seats.find(({ seat }) => seat === page.seat);
  const places = [...seats].sort((a, b) => a.place - b.place);
  return html`<p class="own-place"><b>You finished in place ${own?.place ?? "?"}</b>${own?.forfeit ? html` <span class="tag warn">forfeited: ${faultName(own.forfeit)}</span>` : undefined}</p>
    <table class="places"><thead><tr><th>place</th><th>seat</th><th>score</th></tr></thead><tbody>${places.map((seat) => html`<tr>
      <td>${seat.place}</td><td>${seatBadge(seat.seat)} <bdi>${plain(seat.botName)}</bdi></td><td>${seat.score}</td></tr>`)}</tbody></table>
    <p><a href="${matchPath(matchId)}?seat=${page.seat}">View the match</a></p>
    <p><button type="button" class="small" @click=${() => {
      storeSeat(undefined);
      location.assign(`${ROOT}/play`);
    }}>Play another seat</button></p>`;
}

function others(page: PlayPage): TemplateResult | undefined {
  const away = [...page.seats.values()].filter(({ seat, state }) =>
    seat !== page.seat && (state === SeatState.PAUSED || state === SeatState.VACANT || state === SeatState.FORFEITED));
  if (away.length === 0 || page.ended) return undefined;
  const words = { [SeatState.PAUSED]: "is disconnected", [SeatState.VACANT]: "has not joined", [SeatState.FORFEITED]: "has forfeited" };
  return html`<ul class="panel away" aria-label="seats that are away">${away.map(({ seat, state }) =>
    html`<li>${seatBadge(seat)} <bdi>${plain(page.name(seat) || `seat ${seat}`)}</bdi> ${words[state as SeatState.PAUSED]}</li>`)}</ul>`;
}

function happened(page: PlayPage): TemplateResult | undefined {
  const positions = page.record?.positions.slice(-NEWEST) ?? [];
  if (positions.length === 0) return undefined;
  return html`<section class="panel transcript" aria-label="transcript"><h2>Transcript</h2>
    <div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="events"><ol>${positions.map(({ played, lines, number }) => html`<li>
      <p class="step"><span class="number">${number}</span>${played ? html`${seatBadge(played.seat)}<span class="line decision">${decisionText(played)}</span>` : html`<span class="line">start</span>`}</p>
      ${lines.length === 0 ? undefined : html`<ul>${lines.map((line) => html`<li class="event">${plain(line)}</li>`)}</ul>`}</li>`).reverse()}</ol></div></section>`;
}

/** Renders the seat's last view, or the spectators' view after a long wait. */
function board(page: PlayPage): TemplateResult {
  const { record } = page;
  const last = (record?.positions.length ?? 0) - 1;
  const isOver = page.ended !== undefined && record !== undefined && !record.isLive;
  const publicView = last < 0 ? undefined : record?.observation(last, isOver ? page.seat : undefined);
  const isPublic = publicView !== undefined && (isOver || page.lastRequest === undefined || page.showsPublic);
  const observation = isPublic ? publicView : page.lastRequest?.observation;
  const game = gameOf(observation);
  if (!observation || !game) return html`<p class="panel quiet empty">${page.started ? "The board is shown when it is your turn." : "The match has not started."}</p>`;
  const events = isPublic ? (record?.positions[last]?.events ?? []) : (page.lastRequest?.events ?? []);
  const picking = isPublic ? undefined : page.picking;
  return html`${isPublic && !isOver ? html`<p class="view-notice">spectators’ view, until it is your turn</p>` : undefined}${game.board({
    observation,
    config: page.started?.config?.game,
    events,
    frame: undefined,
    names: Array.from({ length: page.started?.config?.seats || page.seats.size }, (_, seat) => page.name(seat)),
    ...(picking ? { picking } : {}),
  })}`;
}

function stopped(page: PlayPage): TemplateResult | undefined {
  const { failure } = page;
  if (!failure) return undefined;
  const other = html`<p>${failure.reason === "SUPERSEDED" ? html`<button type="button" @click=${() => location.reload()}>Play it here</button> ` : undefined}<button type="button" @click=${() => {
    storeSeat(undefined);
    location.reload();
  }}>Play another seat</button></p>`;
  return failurePage(failure, "This seat is not played in this tab", other);
}

/** Renders the page of a player. */
export function playView(page: PlayPage): TemplateResult {
  const stop = stopped(page);
  if (stop) return stop;
  const name = page.game?.name ?? "A match";
  const observation = page.lastRequest?.observation;
  const status = observation && page.request ? page.game?.status(observation) : "";
  return html`<main class="match play"><header class="match-head"><div><h1>${name}</h1><span class="tag">you are seat ${page.seat} ${seatBadge(page.seat)}</span></div>
      <p class="status">${status}</p></header>
    <div class="stage"><section aria-label="board">${board(page)}</section></div>
    <aside aria-label="details">${decision(page)}${others(page)}${happened(page)}</aside></main>`;
}

/** Handles a key: a digit chooses one of the first nine options, Backspace starts over. */
export function onPlayKey(page: PlayPage, event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
  const option = /^[1-9]$/.test(event.key) ? page.choosing?.options[Number(event.key) - 1] : undefined;
  if (option && page.picking) page.pick(option.key);
  else if (event.key === "Backspace" && page.choosing?.path.length) page.back();
  else return;
  event.preventDefault();
}
