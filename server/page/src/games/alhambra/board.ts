// The table of Alhambra: the yard, the open money, the piles, and the buildings and hands of the
// seats.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import {
  type Building,
  type Buildings,
  Currency,
  type Points,
} from "../../../gen/bridgemaster/games/alhambra/v1/components_pb.ts";
import type { Observation, PlaceRange } from "../../../gen/bridgemaster/games/alhambra/v1/observation_pb.ts";
import { seatBadge } from "../../drawing/seat.ts";
import { plain } from "../../text.ts";
import { pickable } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import {
  buildingCard, CATEGORIES, categoryName, categoryPicture, coin, CURRENCIES, currencyName, moneyCard, pricesOf,
  smallMoney, valuesOf,
} from "./pieces.ts";

const SLOT = 100;
const MONEY = 70;

function yard({ observation, events, picking }: Scene<"alhambra">): TemplateResult {
  const slots: (Building | undefined)[] = [
    observation.yard?.blue, observation.yard?.green, observation.yard?.orange, observation.yard?.yellow,
  ];
  const laid = new Set(events.flatMap(({ event }) => (event.case === "buildingLaid" ? [event.value.slot] : [])));
  const bought = new Map(events.flatMap(({ event }) =>
    event.case === "bought" ? [[event.value.purchase?.slot, event.value.seat] as const] : []));
  return html`<figure class="a-yard"><figcaption>Yard</figcaption><svg viewBox="0 0 ${4 * SLOT} 146" role="img"
    aria-label="yard: ${slots.map((card, index) => `${currencyName(CURRENCIES[index] ?? 0)}: ${card ? `${categoryName(card.category)} for ${card.price}` : "empty"}`).join("; ")}">
    ${CURRENCIES.map((currency, index) => {
      const card = slots[index];
      const buyer = bought.get(currency);
      return svg`<g class="a-${currencyName(currency)}">
        <rect x=${index * SLOT + 3} y="2" width=${SLOT - 6} height="142" rx="10" class="a-slot"/>
        <text x=${index * SLOT + 38} y="136" font-size="14" class="a-slot-name">${currencyName(currency)}</text>
        ${coin(currency, index * SLOT + 23, 131, 1.1)}</g>
        ${card ? buildingCard(card, index * SLOT + 12, 12)
          : svg`<rect x=${index * SLOT + 14} y="14" width="72" height="92" rx="8" class="vacant"/>${
            buyer === undefined ? undefined : svg`<text x=${index * SLOT + 50} y="65" text-anchor="middle" font-size="13" class="ink-soft">to seat ${buyer}</text>`}`}
        ${laid.has(currency) ? svg`<rect x=${index * SLOT + 9} y="9" width="82" height="102" rx="11" class="new"/>` : undefined}
        ${pickable(picking, `buy:${currency}`, svg`<rect x=${index * SLOT + 6} y="5" width=${SLOT - 12} height="136" rx="10"/>`)}`;
    })}</svg></figure>`;
}

function row({ observation, events, picking }: Scene<"alhambra">): TemplateResult {
  const opened = events.flatMap(({ event }) => (event.case === "moneyOpened" && event.value.card ? [event.value.card] : []));
  return html`<figure class="a-row"><figcaption>Open money</figcaption><svg viewBox="0 0 ${4 * MONEY} 146" role="img"
    aria-label="open money: ${observation.row.map((card) => `${currencyName(card.currency)} ${card.value}`).join(", ") || "none"}">
    ${Array.from({ length: 4 }, (_, index) => {
      const card = observation.row[index];
      if (!card) return svg`<rect x=${index * MONEY + 6} y="26" width="58" height="86" rx="7" class="vacant"/>`;
      const place = opened.findIndex((other) => other.currency === card.currency && other.value === card.value);
      if (place >= 0) opened.splice(place, 1);
      return svg`${moneyCard(card.currency, card.value, index * MONEY + 5, 25)}${
        place >= 0 ? svg`<rect x=${index * MONEY + 2} y="22" width="66" height="94" rx="10" class="new"/>` : undefined}
        ${pickable(picking, `money:${card.currency}:${card.value}`, svg`<rect x=${index * MONEY + 3} y="23" width="64" height="92" rx="9"/>`)}`;
    })}</svg></figure>`;
}

function scoringCard(name: string, range: PlaceRange | undefined): TemplateResult {
  if (!range) return html`<span class="a-scoring past" title="scoring ${name} is over"><b>${name}</b> scored</span>`;
  const where = range.first === range.last ? `under ${range.first}` : `under ${range.first} to ${range.last}`;
  return html`<span class="a-scoring" title="number of money cards above scoring card ${name}"><b>${name}</b> ${where}</span>`;
}

function piles({ observation }: Scene<"alhambra">): TemplateResult {
  const money = CURRENCIES.reduce((sum, currency) => sum + valuesOf(observation.unseenMoney, currency).length, 0);
  const discard = CURRENCIES.reduce((sum, currency) => sum + valuesOf(observation.discard, currency).length, 0);
  const buildings = CATEGORIES.reduce((sum, category) => sum + pricesOf(observation.unseenBuildings, category).length, 0);
  return html`<div class="a-piles"><span><b>${money}</b> money cards left</span><span><b>${discard}</b> discarded</span>
    <span><b>${buildings}</b> buildings left</span>
    ${observation.scoringCardA || observation.scoringCardB ? [scoringCard("A", observation.scoringCardA), scoringCard("B", observation.scoringCardB)]
      : html`<span class="a-scoring past"><b>A</b> and <b>B</b> scored</span>`}</div>`;
}

/** Returns the highest number of buildings of one owner, by category. */
function leaders(owners: (Buildings | undefined)[]): number[] {
  return CATEGORIES.map((category) => Math.max(...owners.map((owner) => pricesOf(owner, category).length)));
}

const sum = (points: number[] | undefined) => (points ?? []).reduce((total, each) => total + each, 0);

function holdings(buildings: Buildings | undefined, most: number[], gained: Building[]): TemplateResult {
  return html`<ul class="a-holdings">${CATEGORIES.map((category, index) => {
    const prices = pricesOf(buildings, category);
    const leads = prices.length > 0 && prices.length === most[index];
    const isNew = gained.some((building) => building.category === category);
    return html`<li class="a-${categoryName(category)} ${leads ? "leads" : ""} ${isNew ? "gained" : ""}" title="${categoryName(category)}: ${prices.join(", ") || "none"}${leads ? "; the most" : ""}">
      <svg viewBox="0 0 52 44" role="img" aria-label="${prices.length} ${categoryName(category)}${leads ? ", the most" : ""}">
        <rect x="1" y="1" width="50" height="42" rx="6" class=${prices.length === 0 ? "a-building a-none" : "a-building"}/>
        ${categoryPicture(category, 18, 23, 1.05)}
        <text x="41" y="30" text-anchor="middle" font-size="20" font-weight="700" class="a-name">${prices.length}</text>
        ${leads ? svg`<path d="M33 4L36 8L41 3L46 8L49 4V12H33Z" class="a-crown"/>` : undefined}</svg>
      <span>${prices.length === 0 ? "–" : prices.join(" ")}</span></li>`;
  })}</ul>`;
}

function scores(points: Points | undefined): TemplateResult {
  const parts = [["A", sum(points?.a)], ["B", sum(points?.b)], ["C", sum(points?.c)]] as const;
  return html`<span class="a-points" title="points of the scorings A, B and C"><b>${parts.reduce((total, [, each]) => total + each, 0)}</b> points
    <small>${parts.map(([name, each]) => html`<span>${name} ${each}</span>`)}</small></span>`;
}

function hand(view: Observation["seats"][number], taken: { currency: Currency; value: number }[]): TemplateResult {
  const cards = CURRENCIES.map((currency) => valuesOf(view.hand, currency));
  const count = cards.reduce((total, values) => total + values.length, 0);
  if (count === 0) return html`<p class="a-hand quiet">no money</p>`;
  const waiting = [...taken];
  const drawn = (currency: Currency, values: number[]): SVGTemplateResult[] => values.map((value, index) => {
    const place = waiting.findIndex((card) => card.currency === currency && card.value === value);
    if (place >= 0) waiting.splice(place, 1);
    return svg`${smallMoney(currency, value, index * 25 + 2, 2)}${
      place >= 0 ? svg`<rect x=${index * 25 + 1} y="1" width="26" height="34" rx="6" class="new"/>` : undefined}`;
  });
  return html`<div class="a-hand">${CURRENCIES.map((currency, index) => {
    const values = cards[index] ?? [];
    if (values.length === 0) return undefined;
    const total = values.reduce((all, value) => all + value, 0);
    return html`<span class="a-purse"><svg viewBox="0 0 ${values.length * 25 + 4} 36" width=${values.length * 25 + 4} height="36" role="img"
      aria-label="${currencyName(currency)}: ${values.join(", ")}">${drawn(currency, values)}</svg><small title="${currencyName(currency)} in all">${total}</small></span>`;
  })}</div>`;
}

function seat(scene: Scene<"alhambra">, number: number, most: number[]): TemplateResult {
  const view = scene.observation.seats[number];
  const gained = scene.events.flatMap(({ event }) => {
    if (event.case === "bought" && event.value.seat === number && !event.value.purchase?.give) return event.value.building ?? [];
    if (event.case === "buildingAllotted" && event.value.seat === number) return event.value.building ?? [];
    return [];
  });
  const taken = scene.events.flatMap(({ event }) => (event.case === "moneyTaken" && event.value.seat === number ? event.value.cards : []));
  return html`<section class="panel a-seat ${scene.toDecide.includes(number) ? "decides" : ""}">
    <header><h3>${seatBadge(number)} <bdi>${plain(scene.names[number] ?? "")}</bdi></h3>${scores(view?.points)}</header>
    ${holdings(view?.buildings, most, gained)}${view ? hand(view, taken) : undefined}</section>`;
}

function dummy(scene: Scene<"alhambra">, most: number[]): TemplateResult | undefined {
  const view = scene.observation.dummy;
  if (!view) return undefined;
  const gained = scene.events.flatMap(({ event }) => {
    if (event.case === "dummyDrew") return event.value.buildings;
    return event.case === "bought" && event.value.purchase?.give ? (event.value.building ?? []) : [];
  });
  return html`<section class="panel a-seat a-dummy"><header><h3>Dummy</h3>${scores(view.points)}</header>${holdings(view.buildings, most, gained)}</section>`;
}

function purchases({ turnPurchases }: Observation): TemplateResult | undefined {
  if (turnPurchases.length === 0) return undefined;
  return html`<p class="a-purchases">bought in this turn: ${turnPurchases.map(({ building, purchase }) =>
    html`<span>${building ? `${categoryName(building.category)} ${building.price}` : "?"}${purchase?.give ? " for the dummy" : ""}</span>`)}</p>`;
}

export function board(scene: Scene<"alhambra">): TemplateResult {
  const { observation } = scene;
  const most = leaders([...observation.seats.map((view) => view.buildings), observation.dummy?.buildings]);
  return html`<div class="board alhambra a-of-${observation.seats.length + (observation.dummy ? 1 : 0)}"><div class="panel a-market">${yard(scene)}${row(scene)}${piles(scene)}${purchases(observation)}</div>
    ${observation.seats.map((_, number) => seat(scene, number, most))}${dummy(scene, most)}</div>`;
}

/** Returns the status of the match, as one line. */
export function status({ phase, turnPurchases }: Observation): string {
  switch (phase.case) {
    case "turn":
      return turnPurchases.length === 0 ? `seat ${phase.value.seat} is on turn` : `seat ${phase.value.seat} paid exactly and continues`;
    case "shuffle":
      return "the discard pile is being shuffled";
    default:
      return "the match is over";
  }
}
