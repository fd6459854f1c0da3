// Replay files that are dropped on the page or selected.

/** Calls `opened` for each file. */
export function onReplayFile(opened: (file: File) => void): void {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    opened(file);
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement) || !field.matches("[data-open-replay]")) return;
    const file = field.files?.[0];
    field.value = "";
    if (file) opened(file);
  });
}
