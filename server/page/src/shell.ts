// What every page has: the head with its links, and how trouble is told.

import { html, type TemplateResult } from "lit-html";
import { keepKey } from "./source/key.ts";
import type { Trouble } from "./source/refusal.ts";
import { plain } from "./text.ts";

/** A page with the head of all pages. */
export function shell(content: TemplateResult, current: "matches" | "ladders" | "play" | ""): TemplateResult {
  const link = (href: string, text: string, name: string) =>
    html`<a href=${href} aria-current=${current === name ? "page" : "false"}>${text}</a>`;
  return html`<header class="top"><a class="brand" href="/"><svg viewBox="0 0 32 32" aria-hidden="true"><path
      d="M1 10H31V14H28V26H25V22A4.5 4.5 0 0 0 16.8 22V26H15.2V22A4.5 4.5 0 0 0 7 22V26H4V14H1Z" fill="currentColor"/></svg>Bridgemaster</a>
    <nav aria-label="pages">${link("/", "Matches", "matches")}${link("/ladder", "Ladders", "ladders")}${link("/play", "Play", "play")}</nav>
    <label class="open button">Open a replay<input type="file" class="unseen" data-open-replay></label></header>${content}`;
}

/** Trouble, for people, with a way out where there is one. */
export function troubled(trouble: Trouble, what: string, way: TemplateResult | undefined = undefined): TemplateResult {
  return html`<main class="plain"><div class="panel trouble" role="alert"><h1>${what}</h1><p>${plain(trouble.text)}</p>${
    trouble.needsKey ? keyForm() : undefined}${way}<p><a href="/">All matches</a></p></div></main>`;
}

/** Asks for an API key. It is kept for this tab, and never in the address. */
function keyForm(): TemplateResult {
  return html`<form class="key-form" @submit=${(event: Event) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem("key");
    if (field instanceof HTMLInputElement) keepKey(field.value.trim());
    location.reload();
  }}><label>API key <input name="key" type="password" autocomplete="off" required></label><button type="submit">Use it in this tab</button></form>`;
}

/** Something is on its way. */
export function waiting(what: string): TemplateResult {
  return html`<main class="plain"><p class="panel quiet" role="status">${what}</p></main>`;
}
