//! The files of the web page, embedded into the program. The committed bundle in `dist` is built
//! from the sources in this folder. Building the program therefore needs only a Rust toolchain.

#![forbid(unsafe_code)]

mod plain;
mod single;

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

pub use plain::plain_file;
pub use single::{SingleFile, single_file};

/// Value of the `content-security-policy` header, which allows only scripts, styles and requests of
/// the page's own server.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// An embedded file of the page.
#[derive(Debug)]
pub struct PageFile {
    /// URL path, such as `/page.js`.
    pub path: &'static str,
    /// Value of the `content-type` header.
    pub content_type: &'static str,
    /// The content of the file.
    pub bytes: &'static [u8],
    /// Value of the `etag` header, with its quotes.
    pub etag: String,
}

/// The main page, which selects its view by the URL.
pub fn index() -> &'static PageFile {
    &FILES[0]
}

/// Returns the file at a URL path. Paths without a file are views of the main page.
pub fn file(path: &str) -> &'static PageFile {
    let file = FILES.iter().find(|file| file.path == path);
    file.unwrap_or_else(|| index())
}

static FILES: LazyLock<[PageFile; 3]> = LazyLock::new(|| {
    [
        page_file("/", "text/html; charset=utf-8", include_bytes!("dist/index.html")),
        page_file("/page.js", "text/javascript; charset=utf-8", include_bytes!("dist/page.js")),
        page_file("/page.css", "text/css; charset=utf-8", include_bytes!("dist/page.css")),
    ]
});

fn page_file(path: &'static str, content_type: &'static str, bytes: &'static [u8]) -> PageFile {
    let hash = Sha256::digest(bytes);
    let etag = format!("\"{}\"", hex::encode(&hash[..16]));
    PageFile { path, content_type, bytes, etag }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_not_a_file_is_a_route_of_the_page() {
        for path in ["/", "/m/0123456789abcdef", "/replay", "/page.js.map", ""] {
            assert_eq!(file(path).path, "/", "{path}");
        }
        assert_eq!(file("/page.js").content_type, "text/javascript; charset=utf-8");
        assert_eq!(file("/page.css").content_type, "text/css; charset=utf-8");
        assert_ne!(file("/page.js").etag, file("/page.css").etag);
    }

    #[test]
    fn the_page_refers_to_no_external_address() {
        for file in FILES.iter() {
            let text = String::from_utf8_lossy(file.bytes);
            for scheme in ["https://", "http://"] {
                let addresses = text.match_indices(scheme).map(|(at, _)| &text[at..]);
                for address in addresses {
                    let address: String = address.chars().take(40).collect();
                    // An XML namespace, which browsers do not load.
                    assert!(address.starts_with("http://www.w3.org/"), "{}: {address}", file.path);
                }
            }
        }
    }
}
