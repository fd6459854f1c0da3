//! The hosts of an address, and the order in which they are tried.

use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::postgres::PgConnectOptions;

/// Parameters that name a host, and therefore contradict a list of hosts.
const HOST_PARAMETERS: [&str; 3] = ["host", "hostaddr", "port"];

/// Splits an address with several hosts into one address for each host: `postgres://n@a:1,b/db`
/// into `postgres://n@a:1/db` and `postgres://n@b/db`.
pub(super) fn split(url: &str) -> Result<Vec<String>, String> {
    let scheme_end = url.find("://").map_or(0, |at| at + "://".len());
    let authority = &url[scheme_end..];
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    let user_end = authority.rfind('@').map_or(0, |at| at + 1);
    let hosts: Vec<&str> = authority[user_end..].split(',').collect();
    if hosts.len() == 1 {
        return Ok(vec![url.to_owned()]);
    }
    if hosts.contains(&"") {
        return Err("the list of hosts has an empty host".to_owned());
    }
    let before = &url[..scheme_end + user_end];
    let after = &url[scheme_end + authority.len()..];
    let query = after.split_once('?').map_or("", |(_, query)| query);
    for (name, _) in form_urlencoded::parse(query.as_bytes()) {
        if HOST_PARAMETERS.contains(&&*name) {
            return Err(format!(
                "both a list of hosts and the parameter {name}; name all hosts in the list"
            ));
        }
    }
    let of_host = |host: &&str| format!("{before}{host}{after}");
    Ok(hosts.iter().map(of_host).collect())
}

/// The hosts of an address. Connecting starts with the host that was connected last.
pub(super) struct Hosts {
    /// The options for each host; at least one.
    options: Vec<PgConnectOptions>,
    /// Index of the first host of the next round.
    preferred: AtomicUsize,
}

impl Hosts {
    pub(super) fn new(options: Vec<PgConnectOptions>) -> Self {
        Self { options, preferred: AtomicUsize::new(0) }
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.options.len()).unwrap_or(u32::MAX)
    }

    /// Formats the hosts and the database, without secrets.
    pub(super) fn redacted(&self) -> String {
        let Some(first) = self.options.first() else {
            return "postgres://".to_owned();
        };
        let database = first.get_database().unwrap_or_else(|| first.get_username());
        if let Some(socket) = first.get_socket() {
            return format!("postgres:///{database}?host={}", socket.display());
        }
        let names: Vec<String> = self.options.iter().map(name).collect();
        format!("postgres://{}/{database}", names.join(","))
    }

    /// Returns the indexes of the hosts, starting with the preferred one.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.preferred.load(Ordering::Relaxed);
        (first..self.options.len()).chain(0..first)
    }

    /// Begins an attempt to connect to a host.
    pub(super) fn attempt(&self, index: usize) -> ConnectAttempt<'_> {
        ConnectAttempt { hosts: self, index }
    }
}

/// An attempt to connect to a host. If it is dropped before it [succeeds](Self::succeed), for
/// example by a timeout, the next round begins with the following host.
pub(super) struct ConnectAttempt<'a> {
    hosts: &'a Hosts,
    index: usize,
}

impl<'a> ConnectAttempt<'a> {
    pub(super) fn options(&self) -> &'a PgConnectOptions {
        &self.hosts.options[self.index]
    }

    /// Begins the next round with this host.
    pub(super) fn succeed(self) {
        self.hosts.preferred.store(self.index, Ordering::Relaxed);
        std::mem::forget(self);
    }
}

impl Drop for ConnectAttempt<'_> {
    fn drop(&mut self) {
        let next = (self.index + 1) % self.hosts.options.len();
        // Fails if another connection has found a working host in the meantime.
        let order = Ordering::Relaxed;
        let _ = self.hosts.preferred.compare_exchange(self.index, next, order, order);
    }
}

/// Formats the host and port.
pub(super) fn name(options: &PgConnectOptions) -> String {
    let (host, port) = (options.get_host(), options.get_port());
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_split_into_one_for_each_host() {
        for (url, split_urls) in [
            ("postgres:///g?host=/run", &["postgres:///g?host=/run"][..]),
            (
                "postgres://n:a,b@one:1,[::1],two/g?user=c,d",
                &[
                    "postgres://n:a,b@one:1/g?user=c,d",
                    "postgres://n:a,b@[::1]/g?user=c,d",
                    "postgres://n:a,b@two/g?user=c,d",
                ],
            ),
        ] {
            assert_eq!(split(url).unwrap(), split_urls);
        }
        for (url, problem) in [
            ("postgres://n:hush@one,/g", "empty host"),
            ("postgres://n:hush@one,two/g?%70ort=1", "the parameter port"),
        ] {
            let refused = split(url).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
    }

    fn three_hosts() -> Hosts {
        let options = |host| PgConnectOptions::new_without_pgpass().host(host).port(1);
        Hosts::new(["a", "b", "c"].map(options).into())
    }

    #[test]
    fn the_host_connected_last_is_tried_first_until_it_fails() {
        let hosts = three_hosts();
        let order = || Vec::from_iter(hosts.order());
        assert_eq!(order(), [0, 1, 2]);
        drop(hosts.attempt(0));
        assert_eq!(order(), [1, 2, 0]);
        hosts.attempt(2).succeed();
        assert_eq!(order(), [2, 0, 1]);
        // A round in which all hosts fail ends where it began.
        for index in hosts.order() {
            drop(hosts.attempt(index));
        }
        assert_eq!(order(), [2, 0, 1]);
    }

    #[test]
    fn an_attempt_in_progress_or_a_late_failure_does_not_change_the_order() {
        let hosts = three_hosts();
        let order = || Vec::from_iter(hosts.order());
        let running = hosts.attempt(0);
        assert_eq!(order(), [0, 1, 2]);
        hosts.attempt(2).succeed();
        drop(running);
        assert_eq!(order(), [2, 0, 1]);
    }
}
