//! Links that give browsers access to the page of a private server.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use subtle::ConstantTimeEq as _;
use tokio::sync::Notify;

use crate::random::system_bytes;

/// The length of a secret: 128 random bits cannot be guessed.
const SECRET_BYTES: usize = 16;

/// The valid links, and the cookie that they set. Clones share them.
#[derive(Clone, Debug)]
pub struct PageLinks(Arc<Links>);

#[derive(Debug)]
struct Links {
    /// The cookie as `NAME=SECRET`. The name is random too, because browsers send the cookies of
    /// all servers on a machine to each of them.
    cookie: String,
    by_secret: Mutex<BTreeMap<String, Link>>,
    used: Notify,
}

#[derive(Clone, Debug)]
struct Link {
    target: String,
    is_one_time: bool,
}

/// The target of a link, and the cookie that the link sets.
pub struct OpenedLink {
    /// The path that the browser is redirected to.
    pub target: String,
    /// The cookie, as `NAME=SECRET`.
    pub cookie: String,
}

/// A link that is valid for one use, and only until this value is dropped. The limit matters
/// because other processes can read the link from a command line.
#[derive(Debug)]
pub struct OneTimePageLink {
    links: PageLinks,
    secret: String,
}

impl PageLinks {
    pub(super) fn generate() -> Self {
        let name = u32::from_le_bytes(system_bytes());
        Self(Arc::new(Links {
            cookie: format!("bridgemaster-{name:08x}={}", generate_secret()),
            by_secret: Mutex::default(),
            used: Notify::new(),
        }))
    }

    /// Returns the path of a link to this path on the page, to be shown in the terminal. Opening
    /// the link gives access to everything that the organiser may see.
    #[must_use]
    pub fn link(&self, target: &str) -> String {
        link_path(&self.add_link(target, false))
    }

    /// Creates a one-time link for a command line that bots might read.
    #[must_use]
    pub fn one_time_link(&self, target: &str) -> OneTimePageLink {
        OneTimePageLink { links: self.clone(), secret: self.add_link(target, true) }
    }

    fn add_link(&self, target: &str, is_one_time: bool) -> String {
        let secret = generate_secret();
        let link = Link { target: target.to_owned(), is_one_time };
        self.0.by_secret.lock().insert(secret.clone(), link);
        secret
    }

    /// Uses a link. Returns `None` if it is invalid.
    pub fn open(&self, secret: &str) -> Option<OpenedLink> {
        let mut links = self.0.by_secret.lock();
        let link = links.get(secret)?.clone();
        if link.is_one_time {
            links.remove(secret);
            self.0.used.notify_waiters();
        }
        Some(OpenedLink { target: link.target, cookie: self.0.cookie.clone() })
    }

    /// Returns whether a cookie equals the cookie that the links set. The comparison takes constant
    /// time.
    pub fn is_valid_cookie(&self, cookie: &str) -> bool {
        self.0.cookie.as_bytes().ct_eq(cookie.as_bytes()).into()
    }
}

impl OneTimePageLink {
    /// The link's path on the page.
    #[must_use]
    pub fn path(&self) -> String {
        link_path(&self.secret)
    }

    /// Completes once the link was used.
    pub async fn used(&self) {
        let links = &self.links.0;
        loop {
            let used = links.used.notified();
            tokio::pin!(used);
            used.as_mut().enable();
            if !links.by_secret.lock().contains_key(&self.secret) {
                return;
            }
            used.await;
        }
    }
}

impl Drop for OneTimePageLink {
    fn drop(&mut self) {
        self.links.0.by_secret.lock().remove(&self.secret);
    }
}

fn link_path(secret: &str) -> String {
    format!("/enter/{secret}")
}

fn generate_secret() -> String {
    hex::encode(system_bytes::<SECRET_BYTES>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_time_links_are_valid_once_and_others_until_the_end() {
        let links = PageLinks::generate();
        let enter = |path: &str| links.open(path.strip_prefix("/enter/")?);
        let printed = links.link("/m/1");
        for _ in 0..2 {
            assert_eq!(enter(&printed).unwrap().target, "/m/1");
        }
        let once = links.one_time_link("/m/1");
        let entry = enter(&once.path()).unwrap();
        assert!(links.is_valid_cookie(&entry.cookie) && !links.is_valid_cookie("a=b"));
        once.used().await;
        assert!(enter(&once.path()).is_none());
        let unused = links.one_time_link("/m/1");
        let path = unused.path();
        drop(unused);
        assert!(enter(&path).is_none());
    }
}
