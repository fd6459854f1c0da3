// A disclosure whose content is rendered only while it is open.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";

/** Renders a summary with content that is shown once it is opened. */
export function folded(name: string, summary: string, content: () => TemplateResult): TemplateResult {
  const draw = (element: Element | undefined) => {
    if (!(element instanceof HTMLDetailsElement)) return;
    const below = element.querySelector("div");
    const show = () => below && render(element.open ? content() : nothing, below);
    element.ontoggle = show;
    // Update content that is already open.
    if (element.open) show();
  };
  return html`<details class=${name} ${ref(draw)}><summary>${summary}</summary><div></div></details>`;
}
