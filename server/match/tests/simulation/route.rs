//! The servers that a bot tries: one after the other, or where a server redirects it, as in the
//! SDKs.

/// The route of a bot.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The number of servers that it knows.
    servers: usize,
    /// The last server that it tried.
    place: usize,
    at: usize,
    /// The previous server redirected it here, without success yet.
    was_sent: bool,
}

impl Default for Route {
    fn default() -> Self {
        Self::new(1, 0)
    }
}

impl Route {
    /// Creates a route over several servers, starting with one of them.
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

    /// Notes that the server has answered for itself.
    pub(crate) fn note_arrival(&mut self) {
        self.was_sent = false;
    }

    /// Follows a redirection. Returns whether the server is tried immediately.
    pub(crate) fn follow_redirect(&mut self, server: usize) -> bool {
        self.at = server;
        !std::mem::replace(&mut self.was_sent, true)
    }

    /// Continues with the next server after any other failure.
    pub(crate) fn try_next(&mut self) {
        self.was_sent = false;
        self.place = (self.place + 1) % self.servers;
        self.at = self.place;
    }
}
