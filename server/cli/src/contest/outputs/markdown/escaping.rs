//! Text from outside within Markdown.

use bridgemaster_proto::outside::{Outside, escape_lines};

/// Lines from outside, as they are.
pub(super) fn preformatted(lines: &str) -> String {
    // Within `pre` nothing is Markdown, and no HTML without these three characters.
    let lines = escape_lines(lines)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!("<pre>\n{lines}\n</pre>")
}

/// A text from outside, on one line and as nothing but text: letters, digits and spaces as they
/// are, everything else as a reference to the character.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in Outside(text).to_string().chars() {
        match character {
            ' ' => escaped.push(' '),
            character if character.is_alphanumeric() => escaped.push(character),
            other => escaped.push_str(&format!("&#{};", u32::from(other))),
        }
    }
    escaped
}
