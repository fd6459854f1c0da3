// Escapes untrusted text for display.

/** Maximum length of a displayed name, label or note, in characters. */
const MAX_CHARACTERS = 400;

/**
 * Characters that are invisible or change how other text is displayed: controls, zero-width
 * characters, marks of the writing direction, lone surrogates, private-use and unassigned code
 * points.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Returns the text on one line, with invisible characters as their numbers: `\u{202e}`. */
export function plain(text: string): string {
  const characters = Array.from(text);
  const cut = characters.length > MAX_CHARACTERS;
  return (
    characters.slice(0, MAX_CHARACTERS).join("")
      .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`) + (cut ? "…" : "")
  );
}
