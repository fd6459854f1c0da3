//! How many connections fit into the files that the system lets the server have open.

use bridgemaster_server::Limits;
use tracing::warn;

/// Files besides the connections of callers: the data folder, replays, the port of the metrics and
/// the program's own.
#[cfg(target_os = "linux")]
const OTHER_FILES: u64 = 100;

/// Connections to the page are at most one part in so many of all, where there are too few files.
const PAGE_PART: usize = 8;

/// Raises the limit on the files of this process as far as the system allows and `limits` needs, and
/// lowers `limits` where that is not enough. A server out of files could accept nobody; with fewer
/// connections the oldest without a bot makes room. With a page, its connections have an eighth of
/// what there is at most: bots come first.
pub(super) fn fit(limits: &mut Limits, has_page: bool) {
    let of_page = match has_page {
        true => limits.page_connections,
        false => 0,
    };
    let Some(fitting) = fitting(limits.connections.saturating_add(of_page)) else {
        return;
    };
    let of_page = of_page.min(fitting / PAGE_PART);
    limits.page_connections = limits.page_connections.min(of_page.max(1));
    let fitting = (fitting - of_page).min(limits.connections);
    if fitting < limits.connections {
        warn!(
            connections = fitting,
            wanted = limits.connections,
            "the system allows too few open files for so many connections: raise `ulimit -n`"
        );
        limits.connections = fitting;
    }
}

/// How many connections fit, up to those `wanted`; `None` when the system does not tell.
#[cfg(target_os = "linux")]
fn fitting(wanted: usize) -> Option<usize> {
    use uapi::{
        c::{RLIMIT_NOFILE, rlimit},
        getrlimit, setrlimit,
    };

    let kind = i32::try_from(RLIMIT_NOFILE).ok()?;
    let mut files = getrlimit(kind).ok()?;
    let needed = u64::try_from(wanted).ok()?.saturating_add(OTHER_FILES);
    if files.rlim_cur < needed {
        let raised = rlimit {
            rlim_cur: needed.min(files.rlim_max),
            ..files
        };
        if setrlimit(kind, &raised).is_ok() {
            files = raised;
        }
    }
    // One at least: a server must not refuse to start for it.
    let fitting = files.rlim_cur.saturating_sub(OTHER_FILES).max(1);
    Some(usize::try_from(fitting).map_or(wanted, |fitting| fitting.min(wanted)))
}

/// Only Linux is asked.
#[cfg(not(target_os = "linux"))]
fn fitting(_wanted: usize) -> Option<usize> {
    None
}
