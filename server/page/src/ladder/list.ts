// The ladders of the server.

import { html, type TemplateResult } from "lit-html";
import { type Ladder, LadderState } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { ladderPath } from "../address.ts";
import { gameOf } from "../games/registry.ts";
import { Pages } from "../lists/pages.ts";
import { troubled, waiting } from "../shell.ts";
import { type Trouble, troubleOf } from "../source/refusal.ts";
import { ladders } from "../source/server.ts";
import { plain } from "../text.ts";

/** Ladders of a page. */
const PAGE_SIZE = 50;

/** Where a ladder stands, with a mark when its order is settled. */
export function stateTags(ladder: Ladder): TemplateResult {
  const state = (LadderState[ladder.state] ?? "").toLowerCase();
  return html`<span class="tag ${ladder.state === LadderState.OPEN ? "live" : ""}">${state}</span>${
    ladder.settled ? html`<span class="tag good" title="the order of the top ten holds with 95 %">✓ settled</span>` : undefined}`;
}

/** The list of ladders. */
export class LadderList {
  readonly #ladders: Pages<Ladder>;
  #isRead = false;
  #trouble: Trouble | undefined;

  constructor(changed: () => void) {
    this.#ladders = new Pages(async (pageToken) => {
      const { ladders: items, nextPageToken } = await ladders().listLadders({ pageSize: PAGE_SIZE, pageToken });
      return { items, nextPageToken };
    }, changed);
    this.#ladders.read().then(
      () => (this.#isRead = true),
      (error: unknown) => (this.#trouble = troubleOf(error)),
    ).finally(changed);
  }

  view(): TemplateResult {
    if (this.#trouble?.isUnsupported) {
      return html`<main class="plain"><div class="panel empty"><h1>Ladders</h1><p>This server has no ladders.</p></div></main>`;
    }
    if (this.#trouble) return troubled(this.#trouble, "The ladders cannot be listed");
    if (!this.#isRead) return waiting("Asking for the ladders…");
    return html`<main class="list"><h1>Ladders</h1>${this.#ladders.items.length === 0
      ? html`<p class="panel empty">No ladder has been made yet.</p>`
      : html`<ul class="cards">${this.#ladders.items.map((ladder) => html`<li class="panel card">
          <a class="cover" href=${ladderPath(ladder.ladderId)}><bdi>${plain(ladder.ladderId)}</bdi></a>
          <p>${stateTags(ladder)}</p><p>${gameOf(ladder.config?.game)?.name ?? ""}, ${ladder.config?.seats ?? "?"} seats</p>
          <p class="quiet">${ladder.matches} matches${ladder.annulledMatches > 0n ? `, ${ladder.annulledMatches} annulled` : ""}</p></li>`)}</ul>${this.#ladders.more("More ladders")}`}</main>`;
  }
}
