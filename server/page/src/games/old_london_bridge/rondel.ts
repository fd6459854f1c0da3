// The rondel: six spaces around a centre, and the stack of buildings that each of them faces.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { Kind } from "../../../gen/bridgemaster/games/old_london_bridge/v1/components_pb.ts";
import type { StackView } from "../../../gen/bridgemaster/games/old_london_bridge/v1/observation_pb.ts";
import { pawn } from "../../drawing/seat.ts";
import { pickable } from "../../play/picking.ts";
import type { Scene } from "../game.ts";
import { kindName } from "./notation.ts";
import { BUILDING, building, kindPicture } from "./pieces.ts";

const SPACES = 6;
/** Incomes of the built-in edition, for a match without a known edition. */
const INCOMES = [0, 1, 2, 3, 2, 1];
const STACK_SCALE = 1.25;

/** Returns a point at a distance from the centre, in the direction of a space; X is at the top. */
function spoke(space: number, radius: number): [number, number] {
  const angle = ((space * 60 - 90) * Math.PI) / 180;
  return [Math.cos(angle) * radius, Math.sin(angle) * radius];
}

function stack(view: StackView, x: number, y: number, isNew: boolean): SVGTemplateResult {
  const below = view.unseenNumbers.length + view.unseenCoats.length;
  const [width, height] = [BUILDING.width * STACK_SCALE, BUILDING.height * STACK_SCALE];
  const [left, top] = [x - width / 2, y - height / 2 - 4];
  const count = view.top ? below + 1 : 0;
  return svg`<g><title>${kindName(view.kind)}: ${count} left</title>
    ${[3, 2, 1].filter((sheet) => below >= sheet * 3 - 2).map(
      (sheet) => svg`<rect x=${left + 2 + sheet * 2.5} y=${top + 17 + sheet * 2.5} width=${width - 3} height=${height - 17} class="l-below"/>`,
    )}
    ${view.top
      ? building(view.top, left, top, STACK_SCALE)
      : svg`<rect x=${left} y=${top + 8} width=${width} height=${height - 8} rx="6" class="vacant"/>${kindPicture(view.kind, x, y, 1.3)}`}
    ${isNew ? svg`<rect x=${left - 3} y=${top - 3} width=${width + 6} height=${height + 7} rx="8" class="new"/>` : undefined}
    <text x=${x} y=${y + height / 2 + 16} text-anchor="middle" font-size=${kindName(view.kind).length > 10 ? 11 : 13} class="ink-soft">${kindName(view.kind)} ×${count}</text></g>`;
}

/** Renders the rondel, the stacks around it, and the pawns on it. */
export function rondel({ observation, config, events, picking }: Scene<"oldLondonBridge">): TemplateResult {
  const incomes = config?.edition?.rondelIncomes ?? INCOMES;
  const moved = new Set(events.flatMap(({ event }) => (event.case === "placed" ? [event.value.seat] : [])));
  const revealed = events.flatMap(({ event }) => (event.case === "stackRevealed" ? [event.value.stack] : []));
  const onSpace = (space: number | "centre") =>
    observation.seats.flatMap(({ pawn: at }, seat) =>
      (space === "centre" ? at?.place.case === "centre" : at?.place.case === "outer" && at.place.value === space) ? [seat] : [],
    );
  const pawns = (seats: number[], x: number, y: number) =>
    seats.map((seat, index) => svg`${
      moved.has(seat) ? svg`<circle cx=${x + (index - (seats.length - 1) / 2) * 24} cy=${y - 10} r="20" class="new"/>` : undefined
    }${pawn(seat, x + (index - (seats.length - 1) / 2) * 24, y, 1.25)}`);
  return html`<svg class="l-rondel" viewBox="-240 -258 480 510" role="img"
      aria-label="the rondel with six stacks of buildings">
    <circle r="124" class="l-rim"/><circle r="118" class="l-wheel"/>
    ${Array.from({ length: SPACES }, (_, space) => {
      const [x1, y1] = spoke(space + 0.5, 42);
      const [x2, y2] = spoke(space + 0.5, 118);
      const [x, y] = spoke(space, 101);
      const income = incomes[space] ?? 0;
      return svg`<path d="M${x1} ${y1}L${x2} ${y2}" class="l-spoke"/>
        <text x=${x} y=${y + 7} text-anchor="middle" font-size=${space === 0 ? 28 : 20} font-weight="700" class=${space === 0 ? "l-x" : "l-income"}
          >${space === 0 ? "✕" : `£${income}`}</text>`;
    })}
    <circle r="42" class="l-centre"/><text y="-19" text-anchor="middle" font-size="15" font-weight="700" class="l-income">−£2</text>
    ${observation.stacks.map((view, index) => {
      const space = (((index - observation.orientation) % SPACES) + SPACES) % SPACES;
      const [x, y] = spoke(space, space === 0 ? 200 : space === 3 ? 182 : 192);
      const [width, height] = [BUILDING.width * STACK_SCALE, BUILDING.height * STACK_SCALE];
      return svg`${stack(view, x, y, revealed.includes(view.kind) && view.kind !== Kind.UNSPECIFIED)}
        ${pickable(picking, `stack:${view.kind}`, svg`<rect x=${x - width / 2 - 5} y=${y - height / 2 - 9} width=${width + 10} height=${height + 10} rx="9"/>`)}`;
    })}
    ${Array.from({ length: SPACES }, (_, space) => {
      const [x, y] = spoke(space, 63);
      return pawns(onSpace(space), x, y + 12);
    })}
    ${pawns(onSpace("centre"), 0, 23)}
  </svg>`;
}
