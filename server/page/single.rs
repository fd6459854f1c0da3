//! A self-contained HTML file with the page and one match, which works without a server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

/// Placeholders of the styles, the script, their hashes in the policy, and the positions.
pub(crate) const STYLE_PLACEHOLDER: &str = "/*PAGE_CSS*/";
const SCRIPT_PLACEHOLDER: &str = "/*PAGE_JS*/";
pub(crate) const STYLE_HASH_PLACEHOLDER: &str = "STYLE_SHA256";
const SCRIPT_HASH_PLACEHOLDER: &str = "SCRIPT_SHA256";
const POSITIONS_PLACEHOLDER: &str = "POSITIONS_BASE64";

/// The element before which a link to another page is inserted.
const ROOT_PLACEHOLDER: &str = "<div id=\"page\">";

const TEMPLATE: &str = include_str!("dist/single.html");
const SCRIPT: &str = include_str!("dist/page.js");
pub(crate) const STYLE: &str = include_str!("dist/page.css");

/// An HTML page that contains its styles and script.
#[derive(Clone, Debug)]
pub struct SingleFile {
    /// The content of the file.
    pub html: String,
    /// The policy header for serving the file: the policy of the file plus directives that work
    /// only in a header.
    pub content_security_policy: String,
}

/// Builds the page of one match. `positions` contains the length-delimited messages of a stream of
/// positions.
pub fn single_file(positions: &[u8]) -> SingleFile {
    let script_hash = element_hash(TEMPLATE, SCRIPT_PLACEHOLDER, SCRIPT);
    let style_hash = element_hash(TEMPLATE, STYLE_PLACEHOLDER, STYLE);
    // Replace long parts with arbitrary content last, because that content may contain text that
    // looks like a placeholder.
    let html = TEMPLATE
        .replacen(SCRIPT_HASH_PLACEHOLDER, &script_hash, 1)
        .replacen(STYLE_HASH_PLACEHOLDER, &style_hash, 1)
        .replacen(POSITIONS_PLACEHOLDER, &STANDARD.encode(positions), 1)
        .replacen(STYLE_PLACEHOLDER, STYLE, 1)
        .replacen(SCRIPT_PLACEHOLDER, SCRIPT, 1);
    SingleFile {
        html,
        content_security_policy: format!(
            "default-src 'none'; script-src 'sha256-{script_hash}'; \
             style-src 'sha256-{style_hash}'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'"
        ),
    }
}

impl SingleFile {
    /// Adds a link to the page at `path`. Neither `path` nor `text` may contain characters that
    /// need escaping.
    #[must_use]
    pub fn with_back_link(mut self, path: &str, text: &str) -> Self {
        let link = format!(
            "<nav class=\"way-back\"><a href=\"{path}\">{text}</a></nav>\n{ROOT_PLACEHOLDER}"
        );
        self.html = self.html.replacen(ROOT_PLACEHOLDER, &link, 1);
        self
    }
}

/// Computes the CSP hash of the template element that contains `placeholder`, after `content` has
/// replaced the placeholder.
pub(crate) fn element_hash(template: &str, placeholder: &str, content: &str) -> String {
    let (before, after) = template.split_once(placeholder).unwrap_or((template, ""));
    let before = before.rsplit_once('>').map_or(before, |(_, text)| text);
    let after = after.split_once("</").map_or(after, |(text, _)| text);
    let mut hash = Sha256::new();
    for part in [before, content, after] {
        hash.update(part.as_bytes());
    }
    STANDARD.encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of the first element with this name.
    fn element<'a>(html: &'a str, name: &str) -> &'a str {
        let (_, after) = html.split_once(&format!("<{name}>")).expect("the element");
        let (text, _) = after.split_once(&format!("</{name}>")).expect("its end");
        text
    }

    #[test]
    fn the_file_allows_only_its_own_script_and_style_and_contains_the_positions() {
        let SingleFile { html, content_security_policy } = single_file(b"positions");
        for (name, directive) in [("script", "script-src"), ("style", "style-src")] {
            let text = element(&html, name);
            assert!(text.contains(if name == "script" { SCRIPT } else { STYLE }));
            let hash = STANDARD.encode(Sha256::digest(text));
            let allowed = format!("{directive} 'sha256-{hash}'");
            assert!(html.contains(&allowed), "{name}");
            assert!(content_security_policy.contains(&allowed), "{name}");
        }
        assert!(html.contains(&STANDARD.encode(b"positions")));
        let head = &html[..html.find("<script>").expect("the script")];
        for placeholder in [
            SCRIPT_HASH_PLACEHOLDER,
            STYLE_HASH_PLACEHOLDER,
            POSITIONS_PLACEHOLDER,
            STYLE_PLACEHOLDER,
        ] {
            assert!(!head.contains(placeholder), "{placeholder}");
        }
    }

    #[test]
    fn a_back_link_leads_to_the_given_address() {
        let html = single_file(b"").with_back_link("/", "All").html;
        assert_eq!(html.matches("<a href=\"/\">All</a>").count(), 1);
    }

    #[test]
    fn the_template_has_each_placeholder_once() {
        for placeholder in [
            ROOT_PLACEHOLDER,
            STYLE_PLACEHOLDER,
            SCRIPT_PLACEHOLDER,
            STYLE_HASH_PLACEHOLDER,
            SCRIPT_HASH_PLACEHOLDER,
            POSITIONS_PLACEHOLDER,
        ] {
            assert_eq!(TEMPLATE.matches(placeholder).count(), 1, "{placeholder}");
        }
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
