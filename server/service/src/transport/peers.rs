//! Who connects to a listener.

/// Who connects to a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peers {
    /// Bots and programs, which speak HTTP/2.
    Programs,
    /// Browsers, which speak HTTP/1.1 too.
    Browsers,
}
