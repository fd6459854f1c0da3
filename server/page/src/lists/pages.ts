// A list of the server that is loaded page by page, on demand.

import { html, type TemplateResult } from "lit-html";
import { failureOf } from "../source/refusal.ts";
import { plain } from "../text.ts";

/** One page, and the token of the next one; empty for the last page. */
export interface ListPart<T> {
  items: T[];
  nextPageToken: string;
}

/** The pages that were loaded. */
export class Pages<T> {
  readonly items: T[] = [];
  #next: string | undefined = "";
  #isLoading = false;
  #failure = "";

  /** `load` returns the page of a token; the token of the first page is empty. */
  constructor(private readonly load: (pageToken: string) => Promise<ListPart<T>>, private readonly changed: () => void) {}

  /** Loads the next page. */
  async read(): Promise<void> {
    if (this.#next === undefined) return;
    const { items, nextPageToken } = await this.load(this.#next);
    this.items.push(...items);
    this.#next = nextPageToken || undefined;
  }

  /** Loads the next page when the button is pressed, and shows an error. */
  async #more(): Promise<void> {
    if (this.#isLoading) return;
    [this.#isLoading, this.#failure] = [true, ""];
    this.changed();
    try {
      await this.read();
    } catch (error) {
      this.#failure = failureOf(error).text;
    }
    this.#isLoading = false;
    this.changed();
  }

  /** Renders the button for the next page, if there is one. */
  more(label: string): TemplateResult | undefined {
    if (this.#next === undefined) return undefined;
    return html`<p><button type="button" ?disabled=${this.#isLoading} @click=${() => void this.#more()}>${label}</button>${
      this.#failure ? html` <span class="notice" role="alert">${plain(this.#failure)}</span>` : undefined}</p>`;
  }
}
