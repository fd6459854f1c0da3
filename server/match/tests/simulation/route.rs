//! Which server a bot goes to: one after the other, and where a server sends it, as the SDKs do.

/// The way of a bot.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// How many servers it was told of.
    servers: usize,
    /// The last of them that it tried.
    place: usize,
    at: usize,
    /// The server before has sent it here, and nothing came of it yet.
    was_sent: bool,
}

impl Default for Route {
    fn default() -> Self {
        Self::new(1, 0)
    }
}

impl Route {
    /// Between so many servers, from one of them on.
    pub(crate) fn new(servers: usize, first: usize) -> Self {
        Self {
            servers,
            place: first,
            at: first,
            was_sent: false,
        }
    }

    pub(crate) fn server(&self) -> usize {
        self.at
    }

    /// The server has answered for itself.
    pub(crate) fn arrived(&mut self) {
        self.was_sent = false;
    }

    /// A server says where the match is. Whether that is tried at once.
    pub(crate) fn is_sent_to(&mut self, server: usize) -> bool {
        self.at = server;
        !std::mem::replace(&mut self.was_sent, true)
    }

    /// Goes to the next after any other failure.
    pub(crate) fn goes_on(&mut self) {
        self.was_sent = false;
        self.place = (self.place + 1) % self.servers;
        self.at = self.place;
    }
}
