//! One file that has the page and a match in it, and works without a server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

/// Where styles and script go, what their hashes are in the policy, and where the positions go.
pub(crate) const STYLE_MARK: &str = "/*PAGE_CSS*/";
const SCRIPT_MARK: &str = "/*PAGE_JS*/";
pub(crate) const STYLE_HASH_MARK: &str = "STYLE_SHA256";
const SCRIPT_HASH_MARK: &str = "SCRIPT_SHA256";
const POSITIONS_MARK: &str = "POSITIONS_BASE64";

/// Where a link goes to the page that the file is shown beside.
const ROOT_MARK: &str = "<div id=\"page\">";

const TEMPLATE: &str = include_str!("dist/single.html");
const SCRIPT: &str = include_str!("dist/page.js");
pub(crate) const STYLE: &str = include_str!("dist/page.css");

/// A page and a match in one file.
#[derive(Clone, Debug)]
pub struct SingleFile {
    /// The file.
    pub html: String,
    /// The policy that a server gives with it: as the file itself has it, for servers alone may
    /// forbid frames.
    pub content_security_policy: String,
}

/// The page with a match in it: `positions` are the messages of a stream of positions, each with its
/// length before it.
pub fn single_file(positions: &[u8]) -> SingleFile {
    let script_hash = element_hash(TEMPLATE, SCRIPT_MARK, SCRIPT);
    let style_hash = element_hash(TEMPLATE, STYLE_MARK, STYLE);
    // What is long, and may contain anything, comes last.
    let html = TEMPLATE
        .replacen(SCRIPT_HASH_MARK, &script_hash, 1)
        .replacen(STYLE_HASH_MARK, &style_hash, 1)
        .replacen(POSITIONS_MARK, &STANDARD.encode(positions), 1)
        .replacen(STYLE_MARK, STYLE, 1)
        .replacen(SCRIPT_MARK, SCRIPT, 1);
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
    /// The same below a link to the page at this path, with this text; both must need no escape.
    #[must_use]
    pub fn with_way_back(mut self, path: &str, text: &str) -> Self {
        let link =
            format!("<nav class=\"way-back\"><a href=\"{path}\">{text}</a></nav>\n{ROOT_MARK}");
        self.html = self.html.replacen(ROOT_MARK, &link, 1);
        self
    }
}

/// The hash of the text of a template's element that has this mark, with `content` in its place:
/// what a policy allows it by.
pub(crate) fn element_hash(template: &str, mark: &str, content: &str) -> String {
    let (before, after) = template.split_once(mark).unwrap_or((template, ""));
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

    /// The text of the first element of this name.
    fn element<'a>(html: &'a str, name: &str) -> &'a str {
        let (_, after) = html.split_once(&format!("<{name}>")).expect("the element");
        let (text, _) = after.split_once(&format!("</{name}>")).expect("its end");
        text
    }

    #[test]
    fn the_file_allows_its_own_script_and_style_alone_and_has_the_positions() {
        let SingleFile {
            html,
            content_security_policy,
        } = single_file(b"positions");
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
        for mark in [
            SCRIPT_HASH_MARK,
            STYLE_HASH_MARK,
            POSITIONS_MARK,
            STYLE_MARK,
        ] {
            assert!(!head.contains(mark), "{mark}");
        }
    }

    #[test]
    fn a_link_leads_back_to_where_the_file_is_shown() {
        let html = single_file(b"").with_way_back("/", "All").html;
        assert_eq!(html.matches("<a href=\"/\">All</a>").count(), 1);
    }

    #[test]
    fn the_template_has_each_mark_once() {
        for mark in [
            ROOT_MARK,
            STYLE_MARK,
            SCRIPT_MARK,
            STYLE_HASH_MARK,
            SCRIPT_HASH_MARK,
            POSITIONS_MARK,
        ] {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
        }
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
