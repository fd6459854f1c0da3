// The page of a seat that is played: the board, what may be decided, the clock, and what happened.

import { html, type TemplateResult } from "lit-html";
import { SeatState } from "../../gen/bridgemaster/v1/match_pb.ts";
import { gameOf } from "../games/registry.ts";
import { matchPath } from "../address.ts";
import { seatBadge } from "../drawing/seat.ts";
import { faultName, timeText } from "../match/timeline.ts";
import { decisionText } from "../match/transcript.ts";
import { troubled } from "../shell.ts";
import { plain } from "../text.ts";
import { keepSeat, type KeptSeat } from "./ticket.ts";
import type { PlayPage } from "./page.ts";

/** Time from which a clock is urgent, in ms. */
const URGENT_MS = 30_000;
/** How many of the newest positions the list of what happened has. */
const NEWEST = 40;

/** Asks for a ticket and a name. */
export function seatForm(kept: KeptSeat | undefined, take: (seat: KeptSeat) => void): TemplateResult {
  return html`<main class="plain"><div class="panel empty"><h1>Play a seat</h1>
    <p>${kept ? "This link has the ticket of a seat." : "Who makes a match gets a ticket for each seat. Paste that of yours."}
      Once you have taken the seat its time runs, also while this page is closed.</p>
    <form class="seat-form" @submit=${(event: Event) => {
      event.preventDefault();
      const { elements } = event.currentTarget as HTMLFormElement;
      const text = (name: string) => (elements.namedItem(name) as HTMLInputElement | null)?.value.trim() ?? "";
      take({ ticket: kept?.ticket ?? text("ticket"), name: text("name") });
    }}>${kept ? undefined : html`<label>Ticket <input name="ticket" autocomplete="off" required></label>`}
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
  return html`<ol class="options" aria-label="what you may decide">${choosing.options.map(({ key, label, picture }, index) => html`<li><button
    type="button" class=${picture ? "with-picture" : ""} @click=${() => page.pick(key)}>${picture}<span>${label}</span>${
      index < 9 ? html`<kbd aria-hidden="true">${index + 1}</kbd>` : undefined}</button></li>`)}</ol>
    ${choosing.path.length > 0 ? html`<p><button type="button" class="small back" @click=${() => page.back()}>◂ choose otherwise</button></p>` : undefined}`;
}

/** A note on the next decision. */
function noting(page: PlayPage): TemplateResult | undefined {
  if (!page.picking || page.noteLength < 1) return undefined;
  return html`<label class="noting">Your note on it, which others see when the match is over <input autocomplete="off"
    maxlength=${page.noteLength} .value=${page.note} @input=${(event: Event) => (page.note = (event.target as HTMLInputElement).value)}></label>`;
}

function decision(page: PlayPage): TemplateResult {
  const { choosing } = page;
  const so = choosing?.path.map(({ label }) => label).join(", ");
  return html`<section class="panel deciding ${page.request && !page.isSending ? "yours" : ""}" aria-label="your decision">
    <div role="status"><h2>${page.ended ? "The match is over"
      : page.isSending ? "Your decision is on its way…"
      : page.request ? (so ? `You ${so}…` : "It is for you to decide")
      : page.started ? "Others decide" : "Waiting for the others to come"}</h2></div>
    ${clock(page)}
    ${page.refused ? html`<p class="notice" role="alert">${page.refused}</p>` : undefined}
    ${page.notice ? html`<p class="notice" role="status">${page.notice}</p>` : undefined}
    ${options(page)}${noting(page)}
    ${page.request?.legalDecisionsCut ? html`<p class="quiet">There are more legal decisions than a list holds; these are the first.</p>` : undefined}
    ${page.decided && !page.ended ? html`<p class="quiet">You decided: ${page.decided}${page.noted ? html` — <q><bdi>${plain(page.noted)}</bdi></q>` : undefined}</p>` : undefined}
    ${result(page)}${resigning(page)}</section>`;
}

function resigning(page: PlayPage): TemplateResult | undefined {
  if (!page.started || page.ended) return undefined;
  if (!page.asksToResign) {
    return html`<p class="resign"><button type="button" class="small" @click=${() => page.askToResign(true)}>Give up</button></p>`;
  }
  return html`<p class="resign">Give the match up? <button type="button" class="small" @click=${() => void page.resign()}>Give up for good</button>
    <button type="button" class="small" @click=${() => page.askToResign(false)}>Play on</button></p>`;
}

function result(page: PlayPage): TemplateResult | undefined {
  const { ended } = page;
  if (!ended?.result) return undefined;
  const { matchId, seats } = ended.result;
  const own = seats.find(({ seat }) => seat === page.seat);
  const places = [...seats].sort((a, b) => a.place - b.place);
  return html`<p class="own-place"><b>You are in place ${own?.place ?? "?"}</b>${own?.forfeit ? html` <span class="tag warn">forfeited: ${faultName(own.forfeit)}</span>` : undefined}</p>
    <table class="places"><thead><tr><th>place</th><th>seat</th><th>score</th></tr></thead><tbody>${places.map((seat) => html`<tr>
      <td>${seat.place}</td><td>${seatBadge(seat.seat)} <bdi>${plain(seat.botName)}</bdi></td><td>${seat.score}</td></tr>`)}</tbody></table>
    <p><a href="${matchPath(matchId)}?seat=${page.seat}">Look at the match again</a></p>
    <p><button type="button" class="small" @click=${() => {
      keepSeat(undefined);
      location.assign("/play");
    }}>Play another seat</button></p>`;
}

function others(page: PlayPage): TemplateResult | undefined {
  const away = [...page.seats.values()].filter(({ seat, state }) =>
    seat !== page.seat && (state === SeatState.PAUSED || state === SeatState.VACANT || state === SeatState.FORFEITED));
  if (away.length === 0 || page.ended) return undefined;
  const words = { [SeatState.PAUSED]: "has lost its connection", [SeatState.VACANT]: "has not come", [SeatState.FORFEITED]: "is forfeited" };
  return html`<ul class="panel away" aria-label="seats that are away">${away.map(({ seat, state }) =>
    html`<li>${seatBadge(seat)} <bdi>${plain(page.name(seat) || `seat ${seat}`)}</bdi> ${words[state as SeatState.PAUSED]}</li>`)}</ul>`;
}

function happened(page: PlayPage): TemplateResult | undefined {
  const positions = page.record?.positions.slice(-NEWEST) ?? [];
  if (positions.length === 0) return undefined;
  return html`<section class="panel transcript" aria-label="transcript"><h2>What happened</h2>
    <div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="what happens"><ol>${positions.map(({ played, lines, number }) => html`<li>
      <p class="step"><span class="number">${number}</span>${played ? html`${seatBadge(played.seat)}<span class="line decision">${decisionText(played)}</span>` : html`<span class="line">beginning</span>`}</p>
      ${lines.length === 0 ? undefined : html`<ul>${lines.map((line) => html`<li class="event">${plain(line)}</li>`)}</ul>`}</li>`).reverse()}</ol></div></section>`;
}

/** What is drawn: what the seat saw last, and while it waits for long what spectators see. */
function board(page: PlayPage): TemplateResult {
  const { record } = page;
  const last = (record?.positions.length ?? 0) - 1;
  const isOver = page.ended !== undefined && record !== undefined && !record.isLive;
  const told = last < 0 ? undefined : record?.observation(last, isOver ? page.seat : undefined);
  const isPublic = told !== undefined && (isOver || page.asked === undefined || page.showsPublic);
  const observation = isPublic ? told : page.asked?.observation;
  const game = gameOf(observation);
  if (!observation || !game) return html`<p class="panel quiet empty">${page.started ? "You are asked as soon as it is your turn." : "The match has not begun."}</p>`;
  const events = isPublic ? (record?.positions[last]?.events ?? []) : (page.asked?.events ?? []);
  const picking = isPublic ? undefined : page.picking;
  return html`${isPublic && !isOver ? html`<p class="eyes">what everybody sees, until it is your turn</p>` : undefined}${game.board({
    observation,
    config: page.started?.config?.game,
    events,
    frame: undefined,
    names: Array.from({ length: page.started?.config?.seats || page.seats.size }, (_, seat) => page.name(seat)),
    ...(picking ? { picking } : {}),
  })}`;
}

function stopped(page: PlayPage): TemplateResult | undefined {
  const { trouble } = page;
  if (!trouble) return undefined;
  const other = html`<p>${trouble.reason === "SUPERSEDED" ? html`<button type="button" @click=${() => location.reload()}>Play it here again</button> ` : undefined}<button type="button" @click=${() => {
    keepSeat(undefined);
    location.reload();
  }}>Play another seat</button></p>`;
  return troubled(trouble, "This seat is not played here", other);
}

/** The page. */
export function playView(page: PlayPage): TemplateResult {
  const stop = stopped(page);
  if (stop) return stop;
  const name = page.game?.name ?? "A match";
  const observation = page.asked?.observation;
  const status = observation && page.request ? page.game?.status(observation) : "";
  return html`<main class="match play"><header class="match-head"><div><h1>${name}</h1><span class="tag">you are seat ${page.seat} ${seatBadge(page.seat)}</span></div>
      <p class="status">${status}</p></header>
    <div class="stage"><section aria-label="board">${board(page)}</section></div>
    <aside aria-label="details">${decision(page)}${others(page)}${happened(page)}</aside></main>`;
}

/** A digit chooses one of the first nine, Backspace goes back. */
export function onPlayKey(page: PlayPage, event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
  const option = /^[1-9]$/.test(event.key) ? page.choosing?.options[Number(event.key) - 1] : undefined;
  if (option && page.picking) page.pick(option.key);
  else if (event.key === "Backspace" && page.choosing?.path.length) page.back();
  else return;
  event.preventDefault();
}
