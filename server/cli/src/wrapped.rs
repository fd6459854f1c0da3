//! Lines that fit into a terminal.

use console::measure_text_width;

/// Columns of the second and each further line of one that takes several.
const INDENT: usize = 2;

/// Text of which each line fits into a terminal of this width, if there is one.
pub(super) fn fitted(text: &str, width: Option<u16>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.lines().flat_map(|line| wrapped(line, width.into()));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A line as lines that fit into `width`, broken at spaces where there are some.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    // A narrow terminal has no columns to spare.
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
        // A word that is longer than a line is broken anywhere.
        while !fits(&current, word) {
            let room = width.saturating_sub(measure_text_width(&current)).max(1);
            let end = end_of(word, room);
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

/// Where the part of a text ends that has `width` columns; at least one character.
fn end_of(text: &str, width: usize) -> usize {
    let mut column = 0;
    for (at, character) in text.char_indices() {
        column += width_of(character);
        if column > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// Columns that a character takes.
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
