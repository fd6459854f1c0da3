//! Pages without a script, which show what whoever serves them says.

use crate::{
    SingleFile,
    single::{STYLE, STYLE_HASH_MARK, STYLE_MARK, element_hash},
};

/// Where title and content go.
const TITLE_MARK: &str = "PAGE_TITLE";
const CONTENT_MARK: &str = "<!--PAGE_CONTENT-->";

const TEMPLATE: &str = include_str!("dist/plain.html");

/// A page without a script, in the look of all others. `title` and `content` are HTML: text from
/// outside must be escaped in them.
pub fn plain_file(title: &str, content: &str) -> SingleFile {
    let style_hash = element_hash(TEMPLATE, STYLE_MARK, STYLE);
    // What may contain anything comes last.
    let html = TEMPLATE
        .replacen(STYLE_HASH_MARK, &style_hash, 1)
        .replacen(STYLE_MARK, STYLE, 1)
        .replacen(TITLE_MARK, title, 1)
        .replacen(CONTENT_MARK, content, 1);
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
        let (_, hash) = page
            .content_security_policy
            .split_once("style-src '")
            .expect("it");
        let (hash, _) = hash.split_once('\'').expect("its end");
        assert!(
            page.html.contains(hash),
            "the page itself allows the same style"
        );
    }

    #[test]
    fn the_template_has_each_mark_once() {
        for mark in [STYLE_MARK, STYLE_HASH_MARK, TITLE_MARK, CONTENT_MARK] {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
            assert!(!STYLE.contains(mark), "{mark}");
        }
    }
}
