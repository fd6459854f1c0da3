// Something that is folded away, and drawn only while it is open: what nobody looks at costs nothing.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";

/** A summary, and what shows below it once it is opened. */
export function folded(name: string, summary: string, content: () => TemplateResult): TemplateResult {
  const draw = (element: Element | undefined) => {
    if (!(element instanceof HTMLDetailsElement)) return;
    const below = element.querySelector("div");
    const show = () => below && render(element.open ? content() : nothing, below);
    element.ontoggle = show;
    // What is open shows what there is now.
    if (element.open) show();
  };
  return html`<details class=${name} ${ref(draw)}><summary>${summary}</summary><div></div></details>`;
}
