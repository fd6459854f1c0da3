//! Adapts the limits on connections to the process's limit on open files.

use tracing::warn;

use crate::limits::Limits;

/// Open files other than callers' connections: the data folder, replays, the metrics port and the
/// files of the program itself.
#[cfg(target_os = "linux")]
const OTHER_FILES: u64 = 100;

/// Open files per seat, not counting the seat's connection to the server: the process of the bot
/// and its output, or the other end of the connection if the bot runs in this process.
const FILES_PER_SEAT: usize = 16;

/// Connections of a private server besides its seats' connections: for the organiser, and for bots
/// that reconnect before their last connection is closed.
const OTHER_CONNECTIONS: usize = 64;

/// Connections per seat of a private server: one for the match, one that replaces it, and one each
/// for the rules and the queue.
const CONNECTIONS_PER_SEAT: usize = 4;

/// Connections to a private server's page: several windows of a browser.
const PAGE_CONNECTIONS: usize = 64;

/// If there are too few files, the page gets at most an eighth of all connections.
const PAGE_DIVISOR: usize = 8;

impl Limits {
    /// Returns the limits of a private server with this many concurrent seats. All its bots share
    /// the files of one process, and often one address. So the limit per bot is low: a bot that
    /// opens many connections must not prevent the next bot from starting.
    pub fn for_private_server(seats: usize, has_page: bool) -> Self {
        let connections =
            seats.saturating_mul(CONNECTIONS_PER_SEAT).saturating_add(OTHER_CONNECTIONS);
        let mut limits = Self {
            connections,
            connections_per_address: connections,
            page_connections: PAGE_CONNECTIONS,
            page_connections_per_address: PAGE_CONNECTIONS,
            ..Self::default()
        };
        limits.fit_open_files(has_page, seats.saturating_mul(FILES_PER_SEAT));
        limits
    }

    /// Raises the open-file limit of this process as far as necessary and possible. If the limit is
    /// still too low, lowers the limits on connections: a server without free files could not
    /// accept a connection, while a server at its connection limit evicts the oldest connection
    /// without a bot. The page gets at most an eighth of all connections, since bots come first.
    /// `other_files` are reserved for the rest of the program; connections get at least a quarter
    /// of all files.
    pub fn fit_open_files(&mut self, has_page: bool, other_files: usize) {
        let of_page = if has_page { self.page_connections } else { 0 };
        let Some(fitting) =
            fitting_connections(self.connections.saturating_add(of_page), other_files)
        else {
            return;
        };
        let of_page = of_page.min(fitting / PAGE_DIVISOR);
        self.page_connections = self.page_connections.min(of_page.max(1));
        let fitting = (fitting - of_page).min(self.connections);
        if fitting < self.connections {
            warn!(
                connections = fitting,
                requested = self.connections,
                "the open-file limit is too low for the configured connections: raise `ulimit -n`"
            );
            self.connections = fitting;
        }
    }
}

/// Returns the number of connections that fit, up to `requested`; `None` if the system does not
/// report its limit.
#[cfg(target_os = "linux")]
fn fitting_connections(requested: usize, other_files: usize) -> Option<usize> {
    use uapi::{
        c::{RLIMIT_NOFILE, rlimit},
        getrlimit, setrlimit,
    };

    let kind = i32::try_from(RLIMIT_NOFILE).ok()?;
    let mut files = getrlimit(kind).ok()?;
    let other_files = u64::try_from(other_files).ok()?;
    let reserved = OTHER_FILES.saturating_add(other_files);
    let needed = u64::try_from(requested).ok()?.saturating_add(reserved);
    if files.rlim_cur < needed {
        let raised = rlimit { rlim_cur: needed.min(files.rlim_max), ..files };
        if setrlimit(kind, &raised).is_ok() {
            files = raised;
        }
    }
    let fitting = connections_within(files.rlim_cur, other_files);
    Some(usize::try_from(fitting).map_or(requested, |fitting| fitting.min(requested)))
}

/// Returns the number of connections that fit into this many open files, at least one, so that the
/// server can start.
#[cfg(target_os = "linux")]
fn connections_within(files: u64, other_files: u64) -> u64 {
    let left = files.saturating_sub(OTHER_FILES);
    left.saturating_sub(other_files).max(left / 4).max(1)
}

/// Other systems are not supported.
#[cfg(not(target_os = "linux"))]
fn fitting_connections(_requested: usize, _other_files: usize) -> Option<usize> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn connections_to_a_private_server_leave_files_for_the_bots_that_are_started() {
        for seats in [1, 2, 16, 32] {
            let limits = Limits::for_private_server(seats, false);
            assert_eq!(limits.connections, 64 + 4 * seats);
            assert_eq!(limits.connections_per_address, limits.connections);
            let connections = u64::try_from(limits.connections).unwrap();
            let others = u64::try_from(FILES_PER_SEAT * seats).unwrap();
            // The usual open-file limit of a process.
            assert!(connections_within(1_024, others) >= connections);
            assert!(connections + others + OTHER_FILES <= 1_024);
        }
    }

    #[test]
    fn connections_get_what_other_files_leave_and_a_quarter_at_least() {
        assert_eq!(connections_within(160, 0), 60);
        assert_eq!(connections_within(256, 64), 92);
        assert_eq!(connections_within(500, 1_000), 100);
        assert_eq!(connections_within(10, 0), 1);
    }
}
