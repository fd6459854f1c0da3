//! Texts that stand for a bot in logs, tables and replays.

/// Whether a character shows as itself in a log or a table: neither a control character nor one
/// that is invisible or turns the direction of the text.
pub fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}
