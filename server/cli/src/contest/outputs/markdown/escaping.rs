//! Escapes untrusted text for Markdown.

use bridgemaster_proto::escape::{Escaped, escape_lines};

/// Formats untrusted lines as preformatted text.
pub(super) fn preformatted(lines: &str) -> String {
    // Markdown is disabled within `pre`, and escaping three characters prevents HTML.
    let lines = escape_lines(lines)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!("<pre>\n{lines}\n</pre>")
}

/// Escapes text to one line. All characters except letters, digits and spaces become character
/// references.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in Escaped(text).to_string().chars() {
        match character {
            ' ' => escaped.push(' '),
            character if character.is_alphanumeric() => escaped.push(character),
            other => escaped.push_str(&format!("&#{};", u32::from(other))),
        }
    }
    escaped
}
