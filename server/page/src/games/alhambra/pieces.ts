// The cards of the box: money and buildings.

import { svg, type SVGTemplateResult } from "lit-html";
import {
  type Building,
  type Buildings,
  Category,
  Currency,
  type Money,
} from "../../../gen/bridgemaster/games/alhambra/v1/components_pb.ts";
import type { Observation } from "../../../gen/bridgemaster/games/alhambra/v1/observation_pb.ts";

/** The currencies in the order of their slots. */
export const CURRENCIES = [Currency.BLUE, Currency.GREEN, Currency.ORANGE, Currency.YELLOW] as const;
/** The categories by rank. */
export const CATEGORIES = [
  Category.PAVILION, Category.SERAGLIO, Category.ARCADES, Category.CHAMBERS, Category.GARDEN, Category.TOWER,
] as const;

/** The name of a currency: "blue". */
export function currencyName(currency: Currency): string {
  return (Currency[currency] ?? "?").toLowerCase();
}

/** The name of a category: "pavilion". */
export function categoryName(category: Category): string {
  return (Category[category] ?? "?").toLowerCase();
}

/** The values of the cards of a currency. */
export function valuesOf(money: Money | undefined, currency: Currency): number[] {
  return money?.[currencyName(currency) as "blue" | "green" | "orange" | "yellow"] ?? [];
}

const LISTS = ["pavilions", "seraglios", "arcades", "chambers", "gardens", "towers"] as const;

/** The prices of the buildings of a category. */
export function pricesOf(buildings: Buildings | undefined, category: Category): number[] {
  const list = LISTS[category - Category.PAVILION];
  return (list && buildings?.[list]) ?? [];
}

/** Shapes that distinguish the currencies without colour, in a square from -6 to 6. */
const COINS: Record<Currency, string> = {
  [Currency.UNSPECIFIED]: "",
  [Currency.BLUE]: "M0-6A6 6 0 1 1-0.01-6ZM0-3A3 3 0 1 0 0.01-3Z",
  [Currency.GREEN]: "M0-7L7 0L0 7L-7 0ZM0-3L-3 0L0 3L3 0Z",
  [Currency.ORANGE]: "M0-7L7 5.5H-7ZM0-1.8L-2.4 2.8H2.4Z",
  [Currency.YELLOW]: "M-5.5-5.5H5.5V5.5H-5.5ZM-2.4-2.4V2.4H2.4V-2.4Z",
};

/** Renders the sign of a currency at a point. */
export function coin(currency: Currency, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<path d=${COINS[currency]} fill-rule="evenodd" transform="translate(${x} ${y}) scale(${scale})" class="a-coin"/>`;
}

/** Renders a money card of 60 by 88 with its upper left corner at a point. */
export function moneyCard(currency: Currency, value: number, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y}) scale(${scale})" class="a-${currencyName(currency)}">
    <title>${currencyName(currency)} ${value}</title>
    <rect x="1" y="1" width="58" height="86" rx="7" class="a-card"/>
    <rect x="6" y="6" width="48" height="76" rx="4" class="a-card-inner"/>
    ${coin(currency, 15, 16, 0.95)}${coin(currency, 45, 72, 0.95)}
    <text x="30" y="57" text-anchor="middle" font-size="36" font-weight="700" class="a-value">${value}</text></g>`;
}

/** Renders a small money card of 24 by 32, for hands. */
export function smallMoney(currency: Currency, value: number, x: number, y: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})" class="a-${currencyName(currency)}"><title>${currencyName(currency)} ${value}</title>
    <rect x="1" y="1" width="22" height="30" rx="4" class="a-card"/>${coin(currency, 12, 8, 0.62)}
    <text x="12" y="26.5" text-anchor="middle" font-size="15" font-weight="700" class="a-value">${value}</text></g>`;
}

/** Pictures of the categories, in a square from -12 to 12. */
const PICTURES: Record<Category, string> = {
  [Category.UNSPECIFIED]: "",
  // A pointed roof on four posts.
  [Category.PAVILION]: "M0-12C2-7 8-5 12-3V-1H-12V-3C-8-5-2-7 0-12ZM-11 0.5H-8.5V9H-11ZM-4 0.5H-2V9H-4ZM2 0.5H4V9H2ZM8.5 0.5H11V9H8.5ZM-12 9.5H12V12H-12Z",
  // A dome with a crescent, two wings.
  [Category.SERAGLIO]: "M1.5-12A2.5 2.5 0 1 0 1.5-8A2 2 0 1 1 1.5-12ZM-6-1C-6-5-3-7 0-8.5C3-7 6-5 6-1ZM-12 1H-8V0H8V1H12V12H3V8A3 3 0 0 0-3 8V12H-12ZM-10 4V7H-7.5V4ZM7.5 4V7H10V4Z",
  // Three arches in a row.
  [Category.ARCADES]: "M-12-9H12V-5H-12ZM-12-4H12V11H9.5V2A2.7 2.7 0 0 0 4-1V11H2.7V2A2.7 2.7 0 0 0-2.7 2V11H-4V-1A2.7 2.7 0 0 0-9.5 2V11H-12Z",
  // A door of a room, with panels.
  [Category.CHAMBERS]: "M-9 12V-4A9 9 0 0 1 9-4V12ZM-6 9.5H-1V3H-6ZM1 9.5H6V3H1ZM-6 0.5H-1V-8.5A6.5 6.5 0 0 0-6-4ZM1 0.5H6V-4A6.5 6.5 0 0 0 1-8.5Z",
  // Two trees and water.
  [Category.GARDEN]: "M-7-11C-4-8-3-4-3-1C-3 2-5 3-6 3V7H-8V3C-9 3-11 2-11-1C-11-4-10-8-7-11ZM5-8A5 5 0 0 1 10 1A4 4 0 0 1 6.5 3.5V7H4.5V3.5A4 4 0 0 1 0.5 0A5 5 0 0 1 5-8ZM-12 8.5Q-9 7-6 8.5T0 8.5T6 8.5T12 8.5V11.5H-12Z",
  // A tower with battlements.
  [Category.TOWER]: "M-7-12H-4.5V-9.5H-1.5V-12H1.5V-9.5H4.5V-12H7V-5H5V12H2.5V7A2.5 2.5 0 0 0-2.5 7V12H-5V-5H-7ZM-1.2-2V2H1.2V-2Z",
};

/** Renders the picture of a category at a point. */
export function categoryPicture(category: Category, x: number, y: number, scale = 1): SVGTemplateResult {
  return svg`<path d=${PICTURES[category]} fill-rule="evenodd" transform="translate(${x} ${y}) scale(${scale})" class="a-picture"/>`;
}

/** Renders a building of 76 by 96 with its upper left corner at a point. */
export function buildingCard({ category, price }: Building, x: number, y: number): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})" class="a-${categoryName(category)}"><title>${categoryName(category)}, price ${price}</title>
    <rect x="1" y="1" width="74" height="94" rx="8" class="a-building"/>
    <path d="M8 70V34A30 26 0 0 1 68 34V70Z" class="a-window"/>
    ${categoryPicture(category, 38, 46, 1.75)}
    <circle cx="17" cy="17" r="13" class="a-price"/><text x="17" y="23" text-anchor="middle" font-size="17" font-weight="700" class="a-price-text">${price}</text>
    <text x="38" y="87" text-anchor="middle" font-size=${categoryName(category).length > 7 ? 11.5 : 12.5} font-weight="600" class="a-name">${categoryName(category)}</text></g>`;
}

/** Returns the building in a slot of the yard. */
export function buildingIn({ yard }: Observation, slot: Currency): Building | undefined {
  return [yard?.blue, yard?.green, yard?.orange, yard?.yellow][CURRENCIES.findIndex((currency) => currency === slot)];
}
