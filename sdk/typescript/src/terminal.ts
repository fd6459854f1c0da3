// What may go to a terminal: text from outside must not take it over.

/** Gives text on one line; what is not printable is escaped, as in `\x1b` and `\n`. */
export function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    if (char === "\n") return "\\n";
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
  });
}

/** Whether text has no character that a terminal would not print. */
export function isPrintable(text: string): boolean {
  return shown(text) === text;
}
