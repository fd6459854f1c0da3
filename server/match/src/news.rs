//! What spectators are told.

use std::fmt;

use bridgemaster_proto::v1::WatchMatchResponse;

/// What changed of what everybody may know of a match. It has the facts, and whoever tells them makes
/// the message, since the match has bots to serve meanwhile.
pub struct News(Box<dyn Fn() -> WatchMatchResponse + Send + Sync>);

impl News {
    /// The news of which `message` makes the message.
    pub fn new(message: impl Fn() -> WatchMatchResponse + Send + Sync + 'static) -> Self {
        Self(Box::new(message))
    }

    /// The message. Each call makes it anew.
    pub fn to_message(&self) -> WatchMatchResponse {
        (self.0)()
    }
}

impl fmt::Debug for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("News").field(&self.to_message()).finish()
    }
}
