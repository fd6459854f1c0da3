// A list of the server that is read page by page, as far as somebody wants to see it.

import { html, type TemplateResult } from "lit-html";
import { troubleOf } from "../source/refusal.ts";
import { plain } from "../text.ts";

/** One page, and the token of the next one; empty when this was the last. */
export interface ListPart<T> {
  items: T[];
  nextPageToken: string;
}

/** The pages that were read. */
export class Pages<T> {
  readonly items: T[] = [];
  #next: string | undefined = "";
  #isAsked = false;
  #trouble = "";

  /** `ask` gives the page of a token; the token of the first is empty. */
  constructor(private readonly ask: (pageToken: string) => Promise<ListPart<T>>, private readonly changed: () => void) {}

  /** Reads the next page. */
  async read(): Promise<void> {
    if (this.#next === undefined) return;
    const { items, nextPageToken } = await this.ask(this.#next);
    this.items.push(...items);
    this.#next = nextPageToken || undefined;
  }

  /** Reads the next page for somebody who asks for it, and tells what goes wrong. */
  async #more(): Promise<void> {
    if (this.#isAsked) return;
    [this.#isAsked, this.#trouble] = [true, ""];
    this.changed();
    try {
      await this.read();
    } catch (error) {
      this.#trouble = troubleOf(error).text;
    }
    this.#isAsked = false;
    this.changed();
  }

  /** The button for the next page, if there is one. */
  more(label: string): TemplateResult | undefined {
    if (this.#next === undefined) return undefined;
    return html`<p><button type="button" ?disabled=${this.#isAsked} @click=${() => void this.#more()}>${label}</button>${
      this.#trouble ? html` <span class="notice" role="alert">${plain(this.#trouble)}</span>` : undefined}</p>`;
  }
}
