// A bot of a ladder: its versions with their ratings, and its results by opponent.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import type { LadderHeadToHead, LadderMatch, LadderVersion } from "../../gen/bridgemaster/v1/ladder_service_pb.ts";
import { botPath, ladderPath } from "../address.ts";
import { seatClass } from "../drawing/seat.ts";
import { Pages } from "../lists/pages.ts";
import { failurePage, waiting } from "../shell.ts";
import { type Failure, failureOf } from "../source/refusal.ts";
import { ladders } from "../source/server.ts";
import { plain } from "../text.ts";
import { forfeitsText, thinkingText } from "./conduct.ts";
import { matchesOf, matchList } from "./matches.ts";
import { rangeOf, rankText, ratingBar, ratingText } from "./rating.ts";

const WIDTH = 800;
const HEIGHT = 220;
/** Number of opponents per page of the list. */
const PAGE_SIZE = 50;

/** The page of a bot on a ladder. */
export class BotPage {
  #versions: LadderVersion[] | undefined;
  readonly #others: Pages<LadderHeadToHead>;
  readonly #matches: Pages<LadderMatch>;
  #failure: Failure | undefined;

  constructor(private readonly ladderId: string, private readonly botName: string, changed: () => void) {
    this.#others = new Pages(async (pageToken) => {
      const botVersion = this.#versions?.[0]?.standing?.botVersion ?? "";
      const { entries, nextPageToken } = await ladders().listHeadToHeads({ ladderId, bot: { botName, botVersion }, pageSize: PAGE_SIZE, pageToken });
      return { items: entries, nextPageToken };
    }, changed);
    this.#matches = matchesOf(ladderId, botName, changed);
    this.#read().catch((error: unknown) => (this.#failure = failureOf(error))).finally(changed);
  }

  async #read(): Promise<void> {
    const { ladderId, botName } = this;
    this.#versions = (await ladders().getLadderBot({ ladderId, botName })).versions;
    await Promise.all([this.#others.read(), this.#matches.read()]);
  }

  view(): TemplateResult {
    if (this.#failure) return failurePage(this.#failure, "This bot cannot be shown");
    const versions = this.#versions;
    if (!versions) return waiting("Loading the bot…");
    const range = rangeOf(versions.map(({ standing }) => standing?.rating));
    return html`<main class="list"><h1><bdi>${plain(this.botName)}</bdi></h1>
      <p><a href=${ladderPath(this.ladderId)}>standings of <bdi>${plain(this.ladderId)}</bdi></a> · <a href=${botPath(this.botName)}>its matches</a></p>
      ${history(versions)}
      <table class="standings versions"><thead><tr><th>Version</th><th class="figure">Rank</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th><th class="figure">Faults</th><th>Forfeits</th><th class="figure">Thinking per match</th></tr></thead><tbody>${versions.map(({ standing }) => html`<tr>
        <th scope="row"><bdi>${plain(standing?.botVersion ?? "")}</bdi></th><td class="figure">${rankText(standing?.rating)}</td><td class="figure">${ratingText(standing?.rating)}</td>
        <td>${ratingBar(standing?.rating, range)}</td><td class="figure">${standing?.rating?.matches ?? 0}</td>
        <td class="figure">${standing?.conduct?.faults ?? 0}</td><td>${forfeitsText(standing?.conduct)}</td><td class="figure">${thinkingText(standing?.conduct)}</td></tr>`)}</tbody></table>
      <h2>Head to head</h2><table class="standings"><thead><tr><th>Against</th><th class="figure">Matches</th><th class="figure">Ahead</th><th class="figure">Tied</th><th class="figure">Behind</th><th class="figure">Mean margin</th></tr></thead>
        <tbody>${this.#others.items.map(({ against, headToHead: all }) => html`<tr><th scope="row"><a href=${ladderPath(this.ladderId, against?.botName ?? "")}><bdi>${plain(against?.botName ?? "")}</bdi></a>
          <small><bdi>${plain(against?.botVersion ?? "")}</bdi></small></th><td class="figure">${all?.matches ?? 0}</td><td class="figure">${all?.firstAhead ?? 0}</td>
          <td class="figure">${all?.ties ?? 0}</td><td class="figure">${(all?.matches ?? 0) - (all?.firstAhead ?? 0) - (all?.ties ?? 0)}</td>
          <td class="figure">${(all?.meanScoreMargin ?? 0).toFixed(1)}</td></tr>`)}</tbody></table>${this.#others.more("More opponents")}${matchList(this.#matches)}</main>`;
  }
}

/** Renders the rating over time, one line per version, with its interval. */
function history(versions: LadderVersion[]): TemplateResult {
  const points = versions.flatMap((version) => version.history);
  if (points.length < 2) return html``;
  const times = points.map(({ atUnixMs }) => Number(atUnixMs));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const { low, high } = rangeOf(points.map(({ rating }) => rating));
  const x = (time: bigint) => (((Number(time) - from) / Math.max(1, to - from)) * WIDTH).toFixed(1);
  const y = (elo: number) => (HEIGHT - ((elo - low) / (high - low)) * HEIGHT).toFixed(1);
  const line = (version: LadderVersion, index: number): SVGTemplateResult => {
    const all = version.history.flatMap(({ atUnixMs, rating }) => (rating ? [{ at: x(atUnixMs), rating }] : []));
    const upper = all.map(({ at, rating }) => `${at} ${y(rating.eloHigh)}`);
    const lower = all.map(({ at, rating }) => `${at} ${y(rating.eloLow)}`).reverse();
    if (all.length === 0) return svg``;
    return svg`<g class=${seatClass(index)}><title>${plain(version.standing?.botVersion ?? "")}</title>
      <path d="M${[...upper, ...lower].join("L")}Z" class="band"/><path d="M${all.map(({ at, rating }) => `${at} ${y(rating.elo)}`).join("L")}" class="score-line"/>
      <text x=${Number(all.at(-1)?.at ?? 0) - 6} y=${Math.max(24, Number(y(all.at(-1)?.rating.elo ?? 0)) - 10)} text-anchor="end" font-size="14" class="ink">${plain(version.standing?.botVersion ?? "").slice(0, 24)}</text></g>`;
  };
  return html`<figure class="panel history"><figcaption>Rating over time, by version</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
    aria-label="rating over time"><path d="M0 ${y(0)}H${WIDTH}" class="axis"/><text x="2" y=${Number(y(0)) - 4} font-size="13" class="ink-soft">0</text>
    <text x="2" y="2" font-size="13" dominant-baseline="hanging" class="ink-soft">${Math.round(high)} Elo</text>${versions.map(line)}</svg></figure>`;
}
