//! Text from outside in XML.

use bridgemaster_proto::outside::Outside;

/// The text without the two characters that are printable by our rules and not part of XML 1.0.
pub(super) fn allowed(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// The text on one line, as content of an element or value of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let text = allowed(&Outside(text).to_string());
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
