//! The page for people, as files that are part of the program. Their sources are beside this file;
//! the bundle in `dist` is made from them and committed, so that a Rust toolchain alone builds the
//! program.

#![forbid(unsafe_code)]

mod plain;
mod single;

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

pub use plain::plain_file;
pub use single::{SingleFile, single_file};

/// What a browser may do with the page: take scripts and styles from the server that it came from,
/// call that server, and nothing else.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// A file of the page.
#[derive(Debug)]
pub struct PageFile {
    /// Its address, such as `/page.js`.
    pub path: &'static str,
    /// Its type, as HTTP names it.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
    /// Names these bytes, as the header `etag` has it: with its quotes.
    pub etag: String,
}

/// The page itself, which reads from its address what to show.
pub fn index() -> &'static PageFile {
    &FILES[0]
}

/// The file of this address; every other address is one of the page itself.
pub fn file(path: &str) -> &'static PageFile {
    let file = FILES.iter().find(|file| file.path == path);
    file.unwrap_or_else(|| index())
}

static FILES: LazyLock<[PageFile; 3]> = LazyLock::new(|| {
    [
        page_file(
            "/",
            "text/html; charset=utf-8",
            include_bytes!("dist/index.html"),
        ),
        page_file(
            "/page.js",
            "text/javascript; charset=utf-8",
            include_bytes!("dist/page.js"),
        ),
        page_file(
            "/page.css",
            "text/css; charset=utf-8",
            include_bytes!("dist/page.css"),
        ),
    ]
});

fn page_file(path: &'static str, content_type: &'static str, bytes: &'static [u8]) -> PageFile {
    let hash = Sha256::digest(bytes);
    let etag = format!("\"{}\"", hex::encode(&hash[..16]));
    PageFile {
        path,
        content_type,
        bytes,
        etag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_no_file_is_one_of_the_page_itself() {
        for path in ["/", "/m/0123456789abcdef", "/replay", "/page.js.map", ""] {
            assert_eq!(file(path).path, "/", "{path}");
        }
        assert_eq!(
            file("/page.js").content_type,
            "text/javascript; charset=utf-8"
        );
        assert_eq!(file("/page.css").content_type, "text/css; charset=utf-8");
        assert_ne!(file("/page.js").etag, file("/page.css").etag);
    }

    #[test]
    fn the_page_names_no_address_outside() {
        for file in FILES.iter() {
            let text = String::from_utf8_lossy(file.bytes);
            for scheme in ["https://", "http://"] {
                let addresses = text.match_indices(scheme).map(|(at, _)| &text[at..]);
                for address in addresses {
                    let address: String = address.chars().take(40).collect();
                    // A name and no address: browsers load nothing from it.
                    assert!(
                        address.starts_with("http://www.w3.org/"),
                        "{}: {address}",
                        file.path
                    );
                }
            }
        }
    }
}
