// The standings of a ladder.

import { html, type TemplateResult } from "lit-html";
import type { Ladder, LadderMatch, Standing } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { AttendanceState } from "../../gen/bridgemaster/v1/lobby_service_pb.ts";
import { ladderPath } from "../address.ts";
import { gameOf } from "../games/registry.ts";
import { Pages } from "../lists/pages.ts";
import { failurePage, waiting } from "../shell.ts";
import { type Failure, failureOf } from "../source/refusal.ts";
import { ladders } from "../source/server.ts";
import { plain } from "../text.ts";
import { stateTags } from "./list.ts";
import { matchesOf, matchList } from "./matches.ts";
import { forfeitsText } from "./conduct.ts";
import { rangeOf, rankText, ratingBar, ratingText } from "./rating.ts";

/** Number of bots per page of the list. */
const PAGE_SIZE = 50;

/** The page of a ladder. */
export class StandingsPage {
  #ladder: Ladder | undefined;
  readonly #standings: Pages<Standing>;
  readonly #matches: Pages<LadderMatch>;
  #failure: Failure | undefined;

  constructor(private readonly ladderId: string, changed: () => void) {
    this.#standings = new Pages(async (pageToken) => {
      const { standings, nextPageToken } = await ladders().listStandings({ ladderId, pageSize: PAGE_SIZE, pageToken });
      return { items: standings, nextPageToken };
    }, changed);
    this.#matches = matchesOf(ladderId, "", changed);
    this.#read().catch((error: unknown) => (this.#failure = failureOf(error))).finally(changed);
  }

  async #read(): Promise<void> {
    const { ladderId } = this;
    const [{ ladder }] = await Promise.all([ladders().getLadder({ ladderId }), this.#standings.read(), this.#matches.read()]);
    this.#ladder = ladder;
  }

  view(): TemplateResult {
    if (this.#failure) return failurePage(this.#failure, "This ladder cannot be shown");
    const ladder = this.#ladder;
    if (!ladder) return waiting("Loading the standings…");
    const range = rangeOf(this.#standings.items.map(({ rating }) => rating));
    return html`<main class="list"><h1><bdi>${plain(ladder.ladderId)}</bdi> ${stateTags(ladder)}</h1>
      <p class="quiet">${gameOf(ladder.config?.game)?.name ?? ""}, ${ladder.config?.seats ?? "?"} seats; ${ladder.matches} rated matches</p>
      <table class="standings ranking"><thead><tr><th class="figure">Rank</th><th>Bot</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th><th>Forfeits</th><th>State</th></tr></thead>
        <tbody>${this.#standings.items.map((standing) => html`<tr><td class="figure">${rankText(standing.rating)}</td>
          <th scope="row"><a href=${ladderPath(ladder.ladderId, standing.botName)}><bdi>${plain(standing.botName)}</bdi></a>
            <small><bdi>${plain(standing.botVersion)}</bdi>${standing.owner ? html`, <bdi>${plain(standing.owner)}</bdi>` : undefined}</small></th>
          <td class="figure">${ratingText(standing.rating)}</td><td>${ratingBar(standing.rating, range)}</td>
          <td class="figure">${standing.rating?.matches ?? 0}</td><td>${forfeitsText(standing.conduct)}</td><td>${marks(standing)}</td></tr>`)}</tbody></table>${this.#standings.more("More bots")}
      ${matchList(this.#matches)}</main>`;
  }
}

function marks(standing: Standing): TemplateResult {
  const state = (AttendanceState[standing.state] ?? "").toLowerCase();
  return html`${state && state !== "unspecified" ? html`<span class="tag" title=${plain(standing.detail)}>${state.replace(/_/g, " ")}</span>` : undefined}${
    standing.disqualified ? html`<span class="tag warn">disqualified</span>` : undefined}${
    standing.isHouseBot ? html`<span class="tag">house</span>` : undefined}${
    standing.changed ? html`<span class="tag warn" title="the bot's last 100 results differ significantly from its earlier results">changed</span>` : undefined}`;
}
