// The list of matches, in progress and finished, with filters.

import { html, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import { type MatchInfo, MatchState } from "../../gen/bridgemaster/v1/match_pb.ts";
import type { ListMatchesResponse } from "../../gen/bridgemaster/v1/match_service_pb.ts";
import { botPath, HOME, matchPath } from "../address.ts";
import { seatBadge } from "../drawing/seat.ts";
import { GAMES, gameOf } from "../games/registry.ts";
import { failurePage, waiting } from "../shell.ts";
import { type Failure, failureOf } from "../source/refusal.ts";
import { matches } from "../source/server.ts";
import { plain } from "../text.ts";
import { filterOf, STATES } from "./filters.ts";
import { type Followed, isInPlay, Overview } from "./overview.ts";

/** Number of matches per page of the list. */
const PAGE_SIZE = 50;
/** Refresh interval of the list while the tab is visible, in ms: for new matches that are not running
 * yet. */
const REFRESH_MS = 5000;

/** The list of matches. */
export class ListPage {
  /** The matches in the order of the list, by identifier. */
  #matches = new Map<string, MatchInfo>();
  #damaged = new Set<string>();
  #next = "";
  #pages = 0;
  #failure: Failure | undefined;
  #overview: Overview | undefined;

  constructor(private readonly query: URLSearchParams, private readonly changed: () => void) {
    void this.#more();
    setInterval(() => void this.#refresh(), REFRESH_MS);
  }

  /** Loads a page of the list. Before the first page, loads the matches in progress: the list is ordered
   * by creation, so a match in progress can be on any page. */
  async #load(pageToken: string): Promise<ListMatchesResponse[]> {
    const chosen = filterOf(this.query).state;
    const isWhole = pageToken === "" && chosen === MatchState.UNSPECIFIED;
    const answers: ListMatchesResponse[] = [];
    // One after the other, so that a match that starts or ends meanwhile is in the next answer.
    for (const state of isWhole ? [MatchState.WAITING, MatchState.RUNNING, chosen] : [chosen]) {
      const filter = Object.assign(filterOf(this.query), { state });
      answers.push(await matches().listMatches({ filter, pageSize: PAGE_SIZE, pageToken }));
    }
    return answers;
  }

  /** Adds the answers to one page of the list. */
  #add(answers: ListMatchesResponse[]): void {
    for (const { matches, damagedMatchIds } of answers) {
      for (const match of matches) {
        const known = this.#matches.get(match.matchId);
        // A match can start or end between two answers.
        if (known && known.state >= match.state) continue;
        this.#matches.delete(match.matchId);
        this.#matches.set(match.matchId, match);
      }
      damagedMatchIds.forEach((id) => this.#damaged.add(id));
    }
    this.#next = answers.at(-1)?.nextPageToken ?? "";
  }

  async #more(): Promise<void> {
    try {
      this.#add(await this.#load(this.#next));
      this.#pages += 1;
      const filter = filterOf(this.query);
      if (filter.state !== MatchState.ENDED && filter.state !== MatchState.CANCELLED) {
        this.#overview ??= new Overview(filter, this.changed, () => void this.#refresh());
      }
    } catch (error) {
      this.#failure = failureOf(error);
    }
    this.changed();
  }

  /** Reloads the first page, if no other is shown. */
  async #refresh(): Promise<void> {
    if (document.hidden || this.#pages !== 1 || this.#failure) return;
    try {
      const answers = await this.#load("");
      if (this.#pages !== 1) return;
      [this.#matches, this.#damaged] = [new Map(), new Set()];
      this.#add(answers);
      this.changed();
    } catch {
      // Keep the current list; the next refresh may succeed.
    }
  }

  /** Returns the matches in progress, newest first: those that are followed, and others of the list. */
  #inPlay(): Followed[] {
    const followed = this.#overview?.followed ?? new Map<string, Followed>();
    const others = [...this.#matches.values()].filter((match) => isInPlay(match) && !followed.has(match.matchId));
    const all = [...followed.values(), ...others.map((match) => ({ match, observation: undefined, version: 0 }))];
    return all.sort((a, b) => Number(b.match.createdUnixMs - a.match.createdUnixMs));
  }

  view(): TemplateResult {
    if (this.#failure) return failurePage(this.#failure, "The matches cannot be listed");
    if (this.#pages === 0) return waiting("Loading the matches…");
    const bot = this.query.get("bot");
    const inPlay = this.#inPlay();
    const over = [...this.#matches.values()].filter((match) => !isInPlay(match));
    return html`<main class="list"><h1>${bot ? html`Matches of <bdi>${plain(bot)}</bdi>` : "Matches"}</h1>${filters(this.query)}
      ${inPlay.length > 0 ? html`<section aria-label="matches in progress"><h2>In progress</h2><ul class="cards">${repeat(inPlay, ({ match }) => match.matchId, (one) => guard([one.match, one.version], () => card(one)))}</ul></section>` : undefined}
      ${over.length > 0 ? html`<section aria-label="finished matches"><h2>Finished</h2>${table(over)}</section>` : undefined}
      ${this.#matches.size === 0 ? html`<div class="panel empty"><p>${[...this.query.values()].some(Boolean) ? "No matches fit these filters." : "There are no matches yet."}</p>
        <p class="quiet">Drop a replay file anywhere on this page to open it.</p></div>` : undefined}
      ${this.#damaged.size > 0 ? html`<p class="notice">The server cannot read ${this.#damaged.size} matches: ${[...this.#damaged].map((id) => html`<code>${plain(id)}</code> `)}</p>` : undefined}
      ${this.#next ? html`<p><button type="button" @click=${() => void this.#more()}>Older matches</button></p>` : undefined}</main>`;
  }
}

function filters(query: URLSearchParams): TemplateResult {
  const value = (name: string) => query.get(name) ?? "";
  const choice = (name: string, label: string, options: [value: string, text: string][]) => html`<label>${label}<select name=${name}>
    <option value="">any</option>${options.map(([each, text]) => html`<option value=${each} ?selected=${value(name) === each}>${text}</option>`)}</select></label>`;
  const text = (name: string, label: string, hint: string) => html`<label>${label}<input name=${name} .value=${value(name)} placeholder=${hint} maxlength="300"></label>`;
  return html`<form class="filters" @submit=${onFilter}>${choice("game", "Game", GAMES.map(({ id, name }) => [id, name]))}
    ${choice("state", "State", Object.keys(STATES).map((state) => [state, state]))}
    ${text("bot", "Bot", "name")}${text("label", "Label", "name=value")}<button type="submit">Filter</button>
    ${[...query.values()].some(Boolean) ? html`<a href=${HOME}>all</a>` : undefined}</form>`;
}

/** Goes to the filtered list by script, since the content security policy forbids form submission. */
function onFilter(event: Event): void {
  event.preventDefault();
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(event.currentTarget as HTMLFormElement)) {
    if (typeof value === "string" && value !== "") query.set(name, value);
  }
  location.assign(`${HOME}?${query}`);
}

function gameName(match: MatchInfo): string {
  return gameOf(match.config?.game)?.name ?? "an unknown game";
}

function bots(match: MatchInfo): TemplateResult {
  return html`<ul class="bots">${match.seats.map(({ seat, botName, reservedFor }) => {
    const result = match.result?.seats.find((each) => each.seat === seat);
    return html`<li class=${result?.place === 1 ? "first" : ""}>${seatBadge(seat)} ${botName
      ? html`<a href=${botPath(botName)}><bdi>${plain(botName)}</bdi></a>`
      : html`<i>${reservedFor ? html`for <bdi>${plain(reservedFor)}</bdi>` : "no bot yet"}</i>`}
      ${result ? html`<b class="score" title="place ${result.place}">${result.score}</b>${result.faultCount > 0 ? html`<span class="tag warn">${result.faultCount} ${result.faultCount === 1 ? "fault" : "faults"}</span>` : undefined}` : undefined}</li>`;
  })}</ul>`;
}

function labels(match: MatchInfo): TemplateResult | undefined {
  const all = Object.entries(match.labels);
  if (all.length === 0) return undefined;
  return html`<div class="labels">${all.map(([name, value]) => html`<a class="tag" href="${HOME}?${new URLSearchParams({ label: `${name}=${value}` })}"><bdi>${plain(name)}=${plain(value)}</bdi></a>`)}</div>`;
}

/** Renders a decorative thumbnail of a board; the link next to it leads to the match. */
function thumbnail({ match, observation }: Followed): TemplateResult {
  const game = gameOf(observation);
  if (!observation || !game) return html`<div class="thumb none" aria-hidden="true"></div>`;
  const names = match.seats.map(({ botName }) => botName);
  return html`<div class="thumb" aria-hidden="true" inert><div class="mini">${
    game.board({ observation, config: match.config?.game, events: [], frame: undefined, names })}</div></div>`;
}

function card(followed: Followed): TemplateResult {
  const { match, observation } = followed;
  const status = observation && gameOf(observation)?.status(observation);
  return html`<li class="panel card">${thumbnail(followed)}<a class="cover" href=${matchPath(match.matchId)}>${gameName(match)}</a>
    <p>${match.state === MatchState.RUNNING ? html`<span class="tag live">live</span>` : html`<span class="tag">waiting for bots</span>`}
      <span class="quiet">${match.decisions === 1 ? "1 decision" : `${match.decisions} decisions`}${status ? html` · ${status}` : undefined}</span></p>${bots(match)}${labels(match)}</li>`;
}

/** Formats a time in the visitor's locale and time zone. */
function moment(unixMs: bigint): TemplateResult | undefined {
  if (unixMs === 0n) return undefined;
  const date = new Date(Number(unixMs));
  return html`<time datetime=${date.toISOString()}>${date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}</time>`;
}

function table(over: MatchInfo[]): TemplateResult {
  return html`<table class="matches"><thead><tr><th>Game</th><th>Bots and scores</th><th class="figure">Decisions</th><th>Ended</th></tr></thead><tbody>${over.map((match) => html`<tr>
    <th scope="row"><a href=${matchPath(match.matchId)}>${gameName(match)}</a>${match.state === MatchState.CANCELLED ? html` <span class="tag warn">cancelled</span>` : undefined}${
      match.annulment ? html` <span class="tag warn">annulled</span>` : undefined}</th>
    <td>${bots(match)}${labels(match)}</td><td class="figure">${match.decisions}</td><td>${moment(match.endedUnixMs || match.createdUnixMs)}</td></tr>`)}</tbody></table>`;
}
