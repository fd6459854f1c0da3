// The charts of time and points by decision, below the board.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { seatBadge, seatClass } from "../drawing/seat.ts";
import type { MatchPage } from "./page.ts";
import { type Think, timeText } from "./timeline.ts";

/** Heights of the time strip of one seat, and of the chart of points. */
const STRIP = 40;
const POINTS = 120;

/** Returns a height by the square root, so that short times are visible next to long ones. */
function height(ms: number, longest: number): number {
  return longest <= 0 ? 0 : Math.sqrt(ms / longest) * (STRIP - 6);
}

/** Returns one path for all bars of a kind. */
function bars(thinks: (Think | undefined)[], seat: number, span: (think: Think) => readonly [number, number]): string {
  let path = "";
  thinks.forEach((think, index) => {
    if (think?.seat !== seat) return;
    const [from, to] = span(think);
    if (to > from) path += `M${index} ${(STRIP - from).toFixed(1)}V${(STRIP - to).toFixed(1)}`;
  });
  return path;
}

function strip(page: MatchPage, seat: number, longest: number): SVGTemplateResult {
  // Before all positions are loaded, there is only one.
  const thinks = page.record.isFromBeginning ? page.timeline.thinks : [];
  const own = (think: Think) => height(think.thinkingMs - think.lagMs, longest);
  const thinking = (think: Think) => height(think.thinkingMs, longest);
  const all = (think: Think) => height(think.thinkingMs + think.creditMs, longest);
  const bank = page.record.positions.map(({ bankLeftMs }) => bankLeftMs[seat] ?? 0);
  const most = Math.max(1, ...bank);
  const line = bank.map((ms, index) => `${index === 0 ? "M" : "L"}${index} ${(STRIP - 2 - (ms / most) * (STRIP - 6)).toFixed(1)}`);
  return svg`<g class=${seatClass(seat)}>
    <path d="M0 ${STRIP}H${Math.max(1, page.last)}" class="axis"/>
    <path d=${bars(thinks, seat, (think) => [0, own(think)])} class="think"/>
    <path d=${bars(thinks, seat, (think) => [own(think), thinking(think)])} class="think-lag"/>
    <path d=${bars(thinks, seat, (think) => [thinking(think), all(think)])} class="think-credit"/>
    <path d=${bars(thinks, seat, (think) => (think.isLate ? [0, STRIP] : [0, 0]))} class="think-late"/>
    <path d=${bars(thinks, seat, (think) => (think.isSubstituted ? [0, STRIP / 3] : [0, 0]))} class="think-house"/>
    <path d=${line.join("")} class="bank"/></g>`;
}

function points(page: MatchPage): SVGTemplateResult[] {
  const all = page.timeline.points;
  const values = all.flat();
  const [least, most] = [Math.min(0, ...values), Math.max(1, ...values)];
  const y = (value: number) => (POINTS - 4 - ((value - least) / (most - least)) * (POINTS - 10)).toFixed(1);
  return Array.from({ length: page.record.seats }, (_, seat) => {
    const path = all.map((now, index) => `${index === 0 ? "M" : "H"}${index}${index === 0 ? " " : "V"}${y(now[seat] ?? 0)}`);
    return svg`<path d=${path.join("")} class="score-line ${seatClass(seat)} dash-${seat}"/>`;
  });
}

/** Returns a handler that goes to the position of a click on a chart. */
function jump(page: MatchPage) {
  return (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    page.goTo(((event.clientX - box.left) / box.width) * page.last);
  };
}

function cursor(page: MatchPage, high: number): SVGTemplateResult {
  return svg`<path d="M${page.index} 0V${high}" class="cursor"/>`;
}

export function charts(page: MatchPage): TemplateResult {
  const { record, last } = page;
  const width = Math.max(1, last);
  const seats = Array.from({ length: record.seats }, (_, seat) => seat);
  const { thinks } = page.timeline;
  const longest = Math.max(0, ...thinks.map((think) => (think ? think.thinkingMs + think.creditMs : 0)));
  const now = page.timeline.points[page.index] ?? [];
  const key = [record.version, record.seats];
  return html`<section class="panel charts" aria-label="charts">
    <h2>Thinking time <small>bars: thinking <i class="key think-key"></i>, server’s lag <i class="key lag-key"></i>, credited <i class="key credit-key"></i>;
      late <i class="key late-key"></i>, by the house <i class="key house-key"></i>; line: bank left. Longest ${timeText(longest)}</small></h2>
    ${seats.map((seat) => html`<div class="strip">${seatBadge(seat)}<svg viewBox="0 0 ${width} ${STRIP}" preserveAspectRatio="none" role="img"
        aria-label="time of seat ${seat}" @click=${jump(page)}>${guard(key, () => strip(page, seat, longest))}${cursor(page, STRIP)}</svg>
        <span class="now">${timeText(record.positions[page.index]?.bankLeftMs[seat] ?? 0)}</span></div>`)}
    <h2>${record.game?.pointsName ?? "points"} by decision</h2>
    <div class="strip"><span class="badge"></span><svg class="score" viewBox="0 0 ${width} ${POINTS}" preserveAspectRatio="none" role="img" aria-label="points by decision"
      @click=${jump(page)}>${guard(key, () => points(page))}${cursor(page, POINTS)}</svg>
      <ul class="now">${seats.map((seat) => html`<li>${seatBadge(seat)}${now[seat] ?? 0}</li>`)}</ul></div></section>`;
}
