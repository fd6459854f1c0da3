//! Texts that stand for a bot in logs, tables and replays.

/// Whether a character shows as itself in a log or a table: neither a control character nor one
/// that is invisible or turns the direction of the text.
pub fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_that_look_alike_cannot_differ_in_what_is_invisible() {
        for visible in "Zoë 橋 ' -".chars() {
            assert!(is_printable(visible), "{visible:?}");
        }
        let invisible = "\0\n\u{7f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200f}\u{202e}\u{2066}\u{feff}\
                         \u{fff9}\u{e0041}";
        for invisible in invisible.chars() {
            assert!(!is_printable(invisible), "{invisible:?}");
        }
    }
}
