//! Escapes untrusted text for output. Names, details and identifiers from other parties must not
//! move the cursor, colour a line, change the text direction or hide characters.

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
    io,
};

/// Returns `true` if a character can be printed in a log or a table: it is not a control character,
/// not invisible, and does not change the text direction. Invisible characters are those with the
/// Unicode property Default_Ignorable_Code_Point, line and paragraph separators, and annotation
/// marks.
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

/// Formats untrusted text on one line: every non-printable character, including each line break,
/// becomes an escape such as `\n` or `\u{1b}`.
///
/// ```
/// # use bridgemaster_proto::escape::Escaped;
/// assert_eq!(Escaped("Zoë\u{1b}[31m\n").to_string(), "Zoë\\u{1b}[31m\\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<T>(pub T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { into: f, allowed: "" }, "{}", self.0)
    }
}

/// Escapes the non-printable characters of a multi-line text, except line breaks and tabs.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    const ALLOWED: &str = "\n\t";
    if text.chars().all(|c| is_printable(c) || ALLOWED.contains(c)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    // Writing to a String does not fail.
    let _ = Escaping { into: &mut escaped, allowed: ALLOWED }.write_str(text);
    Cow::Owned(escaped)
}

/// Replaces the non-printable characters in JSON text with JSON escapes. The JSON value stays the
/// same.
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

/// Escapes lines, but preserves the sequences that a log formatter uses to colour its own text. The
/// formatter escapes such sequences in log fields.
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

/// A writer for logs, one event per write. Escapes every non-printable character except line
/// breaks, tabs and colours.
#[derive(Debug)]
pub struct EscapedLog<W> {
    into: W,
    escape: fn(&str) -> Cow<'_, str>,
}

impl<W> EscapedLog<W> {
    /// Creates a writer for a log of text lines.
    pub fn text(into: W) -> Self {
        Self { into, escape: escape_but_colours }
    }

    /// Creates a writer for a log of JSON objects.
    pub fn json(into: W) -> Self {
        Self { into, escape: escape_json }
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

/// Escapes all bytes before they are written to the inner writer.
struct Escaping<'a, W> {
    into: W,
    /// Non-printable characters that are not escaped.
    allowed: &'a str,
}

impl<W: Write> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| {
            if is_printable(c) || self.allowed.contains(c) {
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
    fn names_cannot_differ_only_in_invisible_characters() {
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
            Escaped(HOSTILE).to_string(),
            "a\\u{1b}]0;owned\\u{7}\\r\\n\\u{9b}2J\\u{202e}\\u{200b}\\u{feff}\\u{e0041}\\u{2028}b"
        );
        assert_eq!(escape_lines(HOSTILE).replace("\\r\n", "\\r\\n"), Escaped(HOSTILE).to_string());
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
        assert_eq!(escaped, "{\n  \"name\": \"橋\\u202e\\u007f\\u009b\\udb40\\udc41\"\n}");
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
        assert!(value(json).is_some());
        assert_eq!(value(&escaped), value(json));
    }
}
