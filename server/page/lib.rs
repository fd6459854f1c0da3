//! The files of the web page, embedded into the program. The committed bundle in `dist` is built
//! from the sources in this folder. Building the program therefore needs only a Rust toolchain.

#![forbid(unsafe_code)]

mod plain;
mod single;

use std::{borrow::Cow, sync::LazyLock};

use sha2::{Digest as _, Sha256};

pub use plain::plain_file;
pub use single::{SingleFile, single_file};

/// Value of the `content-security-policy` header, which allows only scripts, styles and requests of
/// the page's own server.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// A file of the page.
#[derive(Clone, Debug)]
pub struct PageFile {
    /// Value of the `content-type` header.
    pub content_type: &'static str,
    /// The content of the file.
    pub bytes: Cow<'static, [u8]>,
    /// Value of the `etag` header, with its quotes.
    pub etag: String,
}

const INDEX: &str = include_str!("dist/index.html");

/// The maximum depth of a path. No view has a deeper one.
const MAX_DEPTH: usize = 8;

/// Returns the file at a URL path. Paths without a file are views of the main page, which selects
/// its view by the URL.
pub fn file(path: &str) -> PageFile {
    match path {
        "/page.js" => SCRIPT.clone(),
        "/page.css" => STYLE.clone(),
        _ => PageFile::new("text/html; charset=utf-8", index(path).into_bytes().into()),
    }
}

/// Returns the main page for a view at this path. It refers to the other files by addresses
/// relative to the path, so that it also works if a proxy serves it below a path of its own.
fn index(path: &str) -> String {
    let depth = path.matches('/').count().saturating_sub(1).min(MAX_DEPTH);
    INDEX.replace("\"/page.", &format!("\"{}page.", "../".repeat(depth)))
}

static SCRIPT: LazyLock<PageFile> = LazyLock::new(|| {
    let bytes: &[u8] = include_bytes!("dist/page.js");
    PageFile::new("text/javascript; charset=utf-8", bytes.into())
});

static STYLE: LazyLock<PageFile> = LazyLock::new(|| {
    let bytes: &[u8] = include_bytes!("dist/page.css");
    PageFile::new("text/css; charset=utf-8", bytes.into())
});

impl PageFile {
    fn new(content_type: &'static str, bytes: Cow<'static, [u8]>) -> Self {
        let hash = Sha256::digest(&bytes);
        let etag = format!("\"{}\"", hex::encode(&hash[..16]));
        Self { content_type, bytes, etag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_not_a_file_is_a_route_of_the_page() {
        for path in ["/", "/m/0123456789abcdef", "/replay", "/page.js.map", ""] {
            assert!(file(path).content_type.starts_with("text/html"), "{path}");
        }
        assert_eq!(file("/page.js").content_type, "text/javascript; charset=utf-8");
        assert_eq!(file("/page.css").content_type, "text/css; charset=utf-8");
        assert_ne!(file("/page.js").etag, file("/page.css").etag);
    }

    #[test]
    fn the_page_refers_to_its_files_relative_to_its_own_address() {
        for (path, root) in [("/", ""), ("/play", ""), ("/m/1", "../"), ("/ladder/a/b", "../../")] {
            let html = index(path);
            for reference in [format!("src=\"{root}page.js\""), format!("href=\"{root}page.css\"")]
            {
                assert!(html.contains(&reference), "{path}: {html}");
            }
        }
    }

    #[test]
    fn the_page_refers_to_no_external_address() {
        for path in ["/", "/page.js", "/page.css"] {
            let bytes = file(path).bytes;
            let text = String::from_utf8_lossy(&bytes);
            for scheme in ["https://", "http://"] {
                let addresses = text.match_indices(scheme).map(|(at, _)| &text[at..]);
                for address in addresses {
                    let address: String = address.chars().take(40).collect();
                    // An XML namespace, which browsers do not load.
                    assert!(address.starts_with("http://www.w3.org/"), "{path}: {address}");
                }
            }
        }
    }
}
