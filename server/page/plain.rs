//! Static pages without a script, in the style of the web page.

use crate::{
    SingleFile,
    single::{STYLE, STYLE_HASH_PLACEHOLDER, STYLE_PLACEHOLDER, element_hash},
};

/// Placeholders of title and content.
const TITLE_PLACEHOLDER: &str = "PAGE_TITLE";
const CONTENT_PLACEHOLDER: &str = "<!--PAGE_CONTENT-->";

const TEMPLATE: &str = include_str!("dist/plain.html");

/// A page without a script, in the style of all other pages. `title` and `content` are HTML, so the
/// caller must escape untrusted text.
pub fn plain_file(title: &str, content: &str) -> SingleFile {
    let style_hash = element_hash(TEMPLATE, STYLE_PLACEHOLDER, STYLE);
    // Replace parts with arbitrary content last, because that content may contain text that looks
    // like a placeholder.
    let html = TEMPLATE
        .replacen(STYLE_HASH_PLACEHOLDER, &style_hash, 1)
        .replacen(STYLE_PLACEHOLDER, STYLE, 1)
        .replacen(TITLE_PLACEHOLDER, title, 1)
        .replacen(CONTENT_PLACEHOLDER, content, 1);
    SingleFile {
        html,
        content_security_policy: format!(
            "default-src 'none'; style-src 'sha256-{style_hash}'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_title_and_content_and_allows_no_script() {
        let page = plain_file("a title", "<p>content</p>");
        for part in ["<title>a title", "<p>content</p>", STYLE] {
            assert_eq!(page.html.matches(part).count(), 1, "{part:.30}");
        }
        assert!(!page.html.contains("<script"));
        assert!(!page.content_security_policy.contains("script-src"));
        let (_, hash) = page.content_security_policy.split_once("style-src '").expect("it");
        let (hash, _) = hash.split_once('\'').expect("its end");
        assert!(page.html.contains(hash), "the page itself allows the same style");
    }

    #[test]
    fn the_template_has_each_placeholder_once() {
        for placeholder in
            [STYLE_PLACEHOLDER, STYLE_HASH_PLACEHOLDER, TITLE_PLACEHOLDER, CONTENT_PLACEHOLDER]
        {
            assert_eq!(TEMPLATE.matches(placeholder).count(), 1, "{placeholder}");
            assert!(!STYLE.contains(placeholder), "{placeholder}");
        }
    }
}
