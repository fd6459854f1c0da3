// The ladders of the server.

import { html, type TemplateResult } from "lit-html";
import { type Ladder, LadderState } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { ladderPath } from "../address.ts";
import { gameOf } from "../games/registry.ts";
import { Pages } from "../lists/pages.ts";
import { failurePage, waiting } from "../shell.ts";
import { type Failure, failureOf } from "../source/refusal.ts";
import { ladders } from "../source/server.ts";
import { plain } from "../text.ts";

/** Number of ladders per page of the list. */
const PAGE_SIZE = 50;

/** Renders the state of a ladder, with a mark if its order is settled. */
export function stateTags(ladder: Ladder): TemplateResult {
  const state = (LadderState[ladder.state] ?? "").toLowerCase();
  return html`<span class="tag ${ladder.state === LadderState.OPEN ? "live" : ""}">${state}</span>${
    ladder.settled ? html`<span class="tag good" title=${settledText(ladder)}>✓ settled</span>` : undefined}`;
}

/** Describes the condition that a settled ladder meets. */
function settledText({ closing }: Ladder): string {
  if (!closing) return "the order of the best bots is settled";
  const percent = Number((closing.confidence * 100).toFixed(2));
  return `the order of the top ${closing.settledTop} is settled with ${percent} % confidence`;
}

/** The list of ladders. */
export class LadderList {
  readonly #ladders: Pages<Ladder>;
  #isRead = false;
  #failure: Failure | undefined;

  constructor(changed: () => void) {
    this.#ladders = new Pages(async (pageToken) => {
      const { ladders: items, nextPageToken } = await ladders().listLadders({ pageSize: PAGE_SIZE, pageToken });
      return { items, nextPageToken };
    }, changed);
    this.#ladders.read().then(
      () => (this.#isRead = true),
      (error: unknown) => (this.#failure = failureOf(error)),
    ).finally(changed);
  }

  view(): TemplateResult {
    if (this.#failure?.isUnsupported) {
      return html`<main class="plain"><div class="panel empty"><h1>Ladders</h1><p>This server has no ladders.</p></div></main>`;
    }
    if (this.#failure) return failurePage(this.#failure, "The ladders cannot be listed");
    if (!this.#isRead) return waiting("Loading the ladders…");
    return html`<main class="list"><h1>Ladders</h1>${this.#ladders.items.length === 0
      ? html`<p class="panel empty">There are no ladders yet.</p>`
      : html`<ul class="cards">${this.#ladders.items.map((ladder) => html`<li class="panel card">
          <a class="cover" href=${ladderPath(ladder.ladderId)}><bdi>${plain(ladder.ladderId)}</bdi></a>
          <p>${stateTags(ladder)}</p><p>${gameOf(ladder.config?.game)?.name ?? ""}, ${ladder.config?.seats ?? "?"} seats</p>
          <p class="quiet">${ladder.matches} matches${ladder.annulledMatches > 0n ? `, ${ladder.annulledMatches} annulled` : ""}</p></li>`)}</ul>${this.#ladders.more("More ladders")}`}</main>`;
  }
}
