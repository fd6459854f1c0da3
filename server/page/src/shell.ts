// The frame of every page, and its error messages.

import { html, type TemplateResult } from "lit-html";
import { HOME, ROOT } from "./address.ts";
import { storeKey } from "./source/key.ts";
import type { Failure } from "./source/refusal.ts";
import { plain } from "./text.ts";

/** Renders a page with the common header. */
export function shell(content: TemplateResult, current: "matches" | "ladders" | "play" | ""): TemplateResult {
  const link = (href: string, text: string, name: string) =>
    html`<a href=${href} aria-current=${current === name ? "page" : "false"}>${text}</a>`;
  return html`<header class="top"><a class="brand" href=${HOME}><svg viewBox="0 0 32 32" aria-hidden="true"><path
      d="M1 10H31V14H28V26H25V22A4.5 4.5 0 0 0 16.8 22V26H15.2V22A4.5 4.5 0 0 0 7 22V26H4V14H1Z" fill="currentColor"/></svg>Bridgemaster</a>
    <nav aria-label="pages">${link(HOME, "Matches", "matches")}${link(`${ROOT}/ladder`, "Ladders", "ladders")}${link(`${ROOT}/play`, "Play", "play")}</nav>
    <label class="open button">Open a replay<input type="file" class="unseen" data-open-replay></label></header>${content}`;
}

/** Renders an error, with a way out if there is one. */
export function failurePage(failure: Failure, what: string, way: TemplateResult | undefined = undefined): TemplateResult {
  return html`<main class="plain"><div class="panel failure" role="alert"><h1>${what}</h1><p>${plain(failure.text)}</p>${
    failure.needsKey ? keyForm() : undefined}${way}<p><a href=${HOME}>All matches</a></p></div></main>`;
}

/** Renders the form for an API key, which is stored for this tab and never in the address. */
function keyForm(): TemplateResult {
  return html`<form class="key-form" @submit=${(event: Event) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem("key");
    if (field instanceof HTMLInputElement) storeKey(field.value.trim());
    location.reload();
  }}><label>API key <input name="key" type="password" autocomplete="off" required></label><button type="submit">Use it in this tab</button></form>`;
}

/** Renders a message while something is loading. */
export function waiting(what: string): TemplateResult {
  return html`<main class="plain"><p class="panel quiet" role="status">${what}</p></main>`;
}
