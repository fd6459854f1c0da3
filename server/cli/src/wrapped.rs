//! Wraps lines to the width of the terminal.

use console::measure_text_width;

/// Indent of continuation lines, in columns.
const INDENT: usize = 2;

/// Wraps each line of a text to `width`. Without a width, the text is unchanged.
pub(super) fn fitted(text: &str, width: Option<u16>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.lines().flat_map(|line| wrapped(line, width.into()));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Wraps a line to `width`, at spaces where possible.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    // A narrow terminal has no columns to spare for the indent.
    let indent = if width > 4 * INDENT { INDENT } else { 0 };
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split_inclusive(' ') {
        let mut word = word;
        let fits = |current: &str, word: &str| {
            measure_text_width(current) + measure_text_width(word.trim_end()) <= width
        };
        if !fits(&current, word) && !current.trim().is_empty() {
            lines.push(current.trim_end().to_owned());
            current = " ".repeat(indent);
        }
        // A word that is longer than a line is broken at the line's end.
        while !fits(&current, word) {
            let free = width.saturating_sub(measure_text_width(&current)).max(1);
            let end = prefix_len(word, free);
            current.push_str(&word[..end]);
            lines.push(std::mem::replace(&mut current, " ".repeat(indent)));
            word = &word[end..];
        }
        current.push_str(word);
    }
    if !current.trim().is_empty() {
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// Returns the length, in bytes, of the longest prefix that fits `width`. The prefix has at least
/// one character.
fn prefix_len(text: &str, width: usize) -> usize {
    let mut column = 0;
    for (at, character) in text.char_indices() {
        column += width_of(character);
        if column > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the width of a character, in columns.
pub(super) fn width_of(character: char) -> usize {
    measure_text_width(character.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_at_spaces_and_a_long_word_anywhere() {
        assert_eq!(wrapped("one two three", 9), ["one two", "  three"]);
        assert_eq!(wrapped("0123456789", 4), ["0123", "4567", "89"]);
        assert_eq!(wrapped("", 4), [""; 0]);
    }
}
