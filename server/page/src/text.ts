// Text from outside, made harmless to look at.

/** Longest text of a name, a label or a note that is shown. */
const MAX_CHARACTERS = 400;

/**
 * What would not show or would change how other text shows: controls, characters that have no
 * width, marks of the writing direction, lone surrogates, private use and what is no character.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** The text on one line, every character that does not show as its number: `\u{202e}`. */
export function plain(text: string): string {
  const characters = Array.from(text);
  const cut = characters.length > MAX_CHARACTERS;
  return (
    characters.slice(0, MAX_CHARACTERS).join("")
      .replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`) + (cut ? "…" : "")
  );
}
