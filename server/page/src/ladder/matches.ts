// The matches of a ladder, or of a bot on it.

import { html, type TemplateResult } from "lit-html";
import type { LadderMatch } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { matchPath } from "../address.ts";
import { Pages } from "../lists/pages.ts";
import { ladders } from "../source/server.ts";
import { plain } from "../text.ts";
import { matchForfeitsText } from "./conduct.ts";

/** Number of matches per page of the list. */
const PAGE_SIZE = 20;

/** Returns the list of matches, newest first; only those of a bot if it is named. */
export function matchesOf(ladderId: string, botName: string, changed: () => void): Pages<LadderMatch> {
  return new Pages(async (pageToken) => {
    const { matches, nextPageToken } = await ladders().listLadderMatches({ ladderId, botName, pageSize: PAGE_SIZE, pageToken });
    return { items: matches, nextPageToken };
  }, changed);
}

/** Renders the list of matches. */
export function matchList(pages: Pages<LadderMatch>): TemplateResult | undefined {
  if (pages.items.length === 0) return undefined;
  return html`<h2 id="matches">Latest matches</h2><ul class="latest" aria-labelledby="matches">${pages.items.map(({ match }) => match && html`<li>
    <a href=${matchPath(match.matchId)}>${match.seats.map(({ botName }, index) => html`${index > 0 ? " · " : ""}<bdi>${plain(botName)}</bdi>`)}</a>
    ${match.annulment ? html`<span class="tag warn" title=${plain(match.annulment.detail)}>annulled</span>` : undefined}
    ${match.result && matchForfeitsText(match.result.seats) ? html`<small>forfeit by <bdi>${plain(matchForfeitsText(match.result.seats))}</bdi></small>` : undefined}</li>`)}</ul>${pages.more("Older matches")}`;
}
