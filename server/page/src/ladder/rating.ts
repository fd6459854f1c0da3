// Ratings as numbers and as bars.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import type { Rating } from "../../gen/bridgemaster/v1/rating_pb.ts";

/** The range of a chart of ratings, in Elo points. */
export interface Range {
  low: number;
  high: number;
}

/** Returns the range of some ratings, with a margin. */
export function rangeOf(ratings: readonly (Rating | undefined)[]): Range {
  const ends = ratings.flatMap((rating) => (rating ? [rating.eloLow, rating.eloHigh] : [])).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const margin = Math.max(10, (high - low) * 0.04);
  return { low: low - margin, high: high + margin };
}

/** Formats a rank, or the range of ranks within its confidence interval: "1", "2–4". */
export function rankText(rating: Rating | undefined): string {
  if (!rating || rating.rankBest === 0) return "–";
  return rating.rankBest === rating.rankWorst ? String(rating.rankBest) : `${rating.rankBest}–${rating.rankWorst}`;
}

/** Formats a rating with half the width of its interval: "+34 ± 12". */
export function ratingText(rating: Rating | undefined): string {
  if (!rating) return "–";
  const half = Math.round((rating.eloHigh - rating.eloLow) / 2);
  const elo = Math.round(rating.elo);
  return `${elo > 0 ? "+" : elo < 0 ? "−" : ""}${Math.abs(elo)} ± ${half}`;
}

/** Renders a rating as a point on its interval. */
export function ratingBar(rating: Rating | undefined, { low, high }: Range): TemplateResult {
  const x = (elo: number) => ((Math.min(high, Math.max(low, elo)) - low) / (high - low)) * 200;
  const bar: SVGTemplateResult | undefined = rating && svg`<path d="M${x(rating.eloLow)} 12H${x(rating.eloHigh)}" class="interval"/>
    <path d="M${x(rating.elo)} 12h0.01" class="estimate"/>`;
  return html`<svg class="rating-bar" viewBox="0 0 200 24" preserveAspectRatio="none" role="img" aria-label=${ratingText(rating)}>
    <path d="M${x(0)} 2V22" class="zero"/>${bar}</svg>`;
}
