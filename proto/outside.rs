//! Text from outside, as it may be shown: names, details and identifiers that somebody else wrote
//! must not move a cursor, colour a line, turn its direction or hide in it.

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
    io,
};

/// Whether a character shows as itself in a log or a table: neither a control character nor one
/// that is invisible or turns the direction of the text. Invisible are the characters with the
/// Unicode property Default_Ignorable_Code_Point, the separators of lines and paragraphs, and the
/// marks of annotations.
pub fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Shows a text from outside on one line: what is not printable, line breaks among it, as an
/// escape such as `\n` or `\u{1b}`.
///
/// ```
/// # use bridgemaster_proto::outside::Outside;
/// assert_eq!(Outside("Zoë\u{1b}[31m\n").to_string(), "Zoë\\u{1b}[31m\\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Outside<T>(pub T);

impl<T: Display> Display for Outside<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { into: f, kept: "" }, "{}", self.0)
    }
}

/// A text of several lines: what is not printable is escaped, but for line breaks and tabs.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    const KEPT: &str = "\n\t";
    if text.chars().all(|c| is_printable(c) || KEPT.contains(c)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    // Writing to a String does not fail.
    let _ = Escaping {
        into: &mut escaped,
        kept: KEPT,
    }
    .write_str(text);
    Cow::Owned(escaped)
}

/// JSON text with what is not printable in its strings as JSON's own escapes: the same value.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_as_it_is = |c: char| is_printable(c) || c == '\n';
    if json.chars().all(is_as_it_is) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::new();
    for character in json.chars() {
        if is_as_it_is(character) {
            escaped.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a String does not fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    Cow::Owned(escaped)
}

/// Escapes lines, but for the sequences by which a log colours its own words. A log's formatter
/// escapes those that are in its fields.
fn escape_but_colours(text: &str) -> Cow<'_, str> {
    const COLOUR: &str = "\x1b[";
    let mut parts = text.split(COLOUR);
    let mut escaped = escape_lines(parts.next().unwrap_or_default());
    for part in parts {
        let is_of_colour = |c: char| c.is_ascii_digit() || c == ';';
        let is_colour = part.trim_start_matches(is_of_colour).starts_with('m');
        let escaped = escaped.to_mut();
        escaped.push_str(if is_colour { COLOUR } else { "\\u{1b}[" });
        escaped.push_str(&escape_lines(part));
    }
    escaped
}

/// What a log is written to, one event at a time: nothing that is not printable gets through but
/// line breaks, tabs and colours.
#[derive(Debug)]
pub struct EscapedLog<W> {
    into: W,
    escape: fn(&str) -> Cow<'_, str>,
}

impl<W> EscapedLog<W> {
    /// For a log of lines.
    pub fn text(into: W) -> Self {
        Self {
            into,
            escape: escape_but_colours,
        }
    }

    /// For a log of JSON objects.
    pub fn json(into: W) -> Self {
        Self {
            into,
            escape: escape_json,
        }
    }
}

impl<W: io::Write> io::Write for EscapedLog<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.into.write_all((self.escape)(&text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}

/// Escapes what is written through it.
struct Escaping<'a, W> {
    into: W,
    /// Characters that stay although they are not printable.
    kept: &'a str,
}

impl<W: Write> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| {
            if is_printable(c) || self.kept.contains(c) {
                self.into.write_char(c)
            } else {
                write!(self.into, "{}", c.escape_default())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "a\u{1b}]0;owned\u{7}\r\n\u{9b}2J\u{202e}\u{200b}\u{feff}\u{e0041}\u{2028}b";

    #[test]
    fn two_names_that_look_alike_cannot_differ_in_what_is_invisible() {
        for visible in "Zoë 橋 ' -".chars() {
            assert!(is_printable(visible), "{visible:?}");
        }
        let invisible = "\0\n\u{7f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200f}\u{202e}\u{2066}\u{feff}\
                         \u{fff9}\u{e0041}\u{3164}\u{fe0f}";
        for invisible in invisible.chars() {
            assert!(!is_printable(invisible), "{invisible:?}");
        }
    }

    #[test]
    fn what_is_not_printable_is_seen_and_does_nothing() {
        assert_eq!(
            Outside(HOSTILE).to_string(),
            "a\\u{1b}]0;owned\\u{7}\\r\\n\\u{9b}2J\\u{202e}\\u{200b}\\u{feff}\\u{e0041}\\u{2028}b"
        );
        assert_eq!(
            escape_lines(HOSTILE).replace("\\r\n", "\\r\\n"),
            Outside(HOSTILE).to_string()
        );
        assert_eq!(escape_lines("| \tTower\n橋"), "| \tTower\n橋");
    }

    #[test]
    fn a_log_keeps_its_colours_and_nothing_else() {
        let event = "\x1b[31mERROR\x1b[0m a\x1b[2Jb\x1b]0;c\u{7}\u{202e}\n";
        let mut log = Vec::new();
        io::Write::write_all(&mut EscapedLog::text(&mut log), event.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(log).unwrap(),
            "\x1b[31mERROR\x1b[0m a\\u{1b}[2Jb\\u{1b}]0;c\\u{7}\\u{202e}\n"
        );
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let json = "{\n  \"name\": \"橋\u{202e}\u{7f}\u{9b}\u{e0041}\"\n}";
        let escaped = escape_json(json);
        assert_eq!(
            escaped,
            "{\n  \"name\": \"橋\\u202e\\u007f\\u009b\\udb40\\udc41\"\n}"
        );
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
        assert!(value(json).is_some());
        assert_eq!(value(&escaped), value(json));
    }
}
