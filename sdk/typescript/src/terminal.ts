// Escapes text from outside, so that it cannot control the terminal.

/** Returns text on one line; characters that are not printable are escaped, as in `\x1b`. */
export function escapeText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    if (char === "\n") return "\\n";
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
  });
}

/** Returns whether all characters of a text are printable. */
export function isPrintable(text: string): boolean {
  return escapeText(text) === text;
}
