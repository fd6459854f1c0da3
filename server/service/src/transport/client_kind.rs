//! The kind of clients that a listener serves: programs or browsers.

/// The kind of clients that a listener serves, which determines the protocols that TLS offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientKind {
    /// Bots and other gRPC clients, which use HTTP/2.
    Programs,
    /// Browsers, which use HTTP/1.1 too.
    Browsers,
}
