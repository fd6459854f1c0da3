// The entry point: selects the page by its address, and renders it.

// Must be the first import, since it sends the first request.
import "./source/early.ts";
import { html, render, type TemplateResult } from "lit-html";
import { HOME, readViewState, ROOT, routeOf, type Route } from "./address.ts";
import { BotPage } from "./ladder/bot.ts";
import { LadderList } from "./ladder/list.ts";
import { StandingsPage } from "./ladder/standings.ts";
import { ListPage } from "./lists/page.ts";
import { onKey } from "./match/keys.ts";
import { MatchPage } from "./match/page.ts";
import { MatchRecord } from "./match/record.ts";
import { markCurrent } from "./match/transcript.ts";
import { matchView } from "./match/view.ts";
import { PlayPage } from "./play/page.ts";
import { storeSeat, storedSeat, takeTicketFromAddress } from "./play/ticket.ts";
import { onPlayKey, playView, seatForm } from "./play/view.ts";
import { shell, failurePage, waiting } from "./shell.ts";
import { fromBase64, readPositions } from "./source/delimited.ts";
import { onReplayFile } from "./source/dropped.ts";
import { follow } from "./source/following.ts";
import { failureOf } from "./source/refusal.ts";
import { openReplay } from "./source/server.ts";
import { plain } from "./text.ts";

const root = document.getElementById("page") ?? document.body;

/** Renders the current content. */
let content: () => TemplateResult = () => waiting("…");
let current: "matches" | "ladders" | "play" | "" = "";
let page: MatchPage | undefined;
let played: PlayPage | undefined;
let isDue = false;

/** Schedules a render for the next frame. */
function changed(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    render(isSingleFile ? content() : shell(content(), current), root);
    if (page) markCurrent(root, page.index);
  });
}

function show(view: () => TemplateResult): void {
  content = view;
  changed();
}

/** Shows a match, and closes the page of the previous one. */
function showMatch(record: MatchRecord, mark: "?" | "#"): MatchPage {
  page?.close();
  const opened = new MatchPage(record, mark, changed);
  page = opened;
  document.title = `${record.game?.name ?? "Match"} · Bridgemaster`;
  show(() => matchView(opened));
  return opened;
}

function positionsOf(bytes: Uint8Array): MatchRecord {
  return recordOf(readPositions(bytes));
}

function recordOf(messages: ReturnType<typeof readPositions>): MatchRecord {
  const record = new MatchRecord("all");
  for (const message of messages) record.add(message);
  return record;
}

const embedded = document.getElementById("positions");
const isSingleFile = embedded !== null;

async function open(file: File): Promise<void> {
  show(() => waiting(`Verifying ${plain(file.name)}…`));
  try {
    const record = recordOf(await openReplay(file));
    history.pushState(null, "", `${ROOT}/replay`);
    current = "";
    showMatch(record, "?");
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    show(() => failurePage({ text, needsKey: false, isUnsupported: false, isTemporary: false }, "This file cannot be opened"));
  }
}

async function followMatch(matchId: string): Promise<void> {
  let shown: MatchPage | undefined;
  try {
    await follow(matchId, { ...readViewState(location.search), ownSeats: true }, {
      opened: (record) => (shown = showMatch(record, "?")),
      grew: () => shown?.grew(),
      notice: (text) => (shown ? shown.notify(text) : show(() => waiting(text))),
    });
  } catch (error) {
    const failure = failureOf(error);
    // Keep the loaded part of the match, unless a key is required.
    if (shown && shown.record.positions.length > 0 && !failure.needsKey) return shown.notify(failure.text);
    page?.close();
    page = undefined;
    show(() => failurePage(failure, "This match cannot be shown"));
  }
}

/** Shows the seat of this tab, or the form for one. */
function play(): void {
  current = "play";
  const stored = storedSeat();
  if (!stored?.name) {
    return show(() => seatForm(stored, (seat) => {
      storeSeat(seat);
      play();
    }));
  }
  const seat = new PlayPage(stored, changed);
  played?.close();
  played = seat;
  document.title = "Play · Bridgemaster";
  show(() => playView(seat));
}

function go(route: Route): void {
  switch (route.page) {
    case "matches": {
      current = "matches";
      const list = new ListPage(route.query, changed);
      return show(() => list.view());
    }
    case "match":
      void followMatch(route.matchId);
      return show(() => waiting("Loading the match…"));
    case "play":
      takeTicketFromAddress();
      return play();
    case "replay":
      return show(() => html`<main class="plain"><div class="panel empty"><h1>Open a replay</h1>
        <p>Drop a replay file on this page, or choose one above. The server verifies it and shows the match.</p></div></main>`);
    case "ladders": {
      current = "ladders";
      const list = new LadderList(changed);
      return show(() => list.view());
    }
    case "ladder": {
      current = "ladders";
      const standings = new StandingsPage(route.ladderId, changed);
      return show(() => standings.view());
    }
    case "ladder-bot": {
      current = "ladders";
      const bot = new BotPage(route.ladderId, route.botName, changed);
      return show(() => bot.view());
    }
    case "unknown":
      return show(() => html`<main class="plain"><div class="panel empty"><h1>Page not found</h1><p><a href=${HOME}>All matches</a></p></div></main>`);
  }
}

document.addEventListener("keydown", (event) => {
  if (played) onPlayKey(played, event);
  else if (page) onKey(page, event);
});
if (embedded) {
  showMatch(positionsOf(fromBase64(embedded.textContent ?? "")), "#");
  window.addEventListener("hashchange", () => {
    const at = readViewState(location.hash).at;
    if (page && at !== undefined && page.record.positions[page.index]?.number !== at) page.goTo(page.record.indexOf(at));
  });
} else {
  onReplayFile((file) => void open(file));
  window.addEventListener("popstate", () => location.reload());
  go(routeOf(location.pathname, location.search));
}
