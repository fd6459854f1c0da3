//! Reads the page with the metrics again and again, as an operator's Prometheus does.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    judging::{LONGEST_PATIENCE, Suspect},
    machine::Moments,
    raw_client::Failure,
    target::Target,
};

/// From where it is read: 127.0.0.4, from which nobody attacks.
const ADDRESS: u8 = 4;
/// Pause before it is read again.
const PAUSE: Duration = Duration::from_millis(500);
/// Commits of the journal, by how many seconds they took; the bound is the lag that a match allows
/// one request.
const COMMITS: &str = "bridgemaster_journal_commit_seconds_count";
const QUICK_COMMITS: &str = "bridgemaster_journal_commit_seconds_bucket{le=\"0.1\"}";

/// Figures of the metrics page.
#[derive(Debug)]
pub(crate) struct MetricsRead {
    pub(crate) times: usize,
    /// When it could not be read, and why.
    pub(crate) failures: Vec<Suspect>,
    /// When commits were found that took longer than a match allows one request.
    pub(crate) slow_commits: Moments,
}

/// Reads the page until `stopped`.
pub(crate) async fn read_on(target: Target, stopped: CancellationToken) -> MetricsRead {
    let mut read = MetricsRead {
        times: 0,
        failures: Vec::new(),
        slow_commits: Moments::new(2 * PAUSE),
    };
    let mut slow_before = 0.0;
    while !stopped.is_cancelled() {
        let page = timeout(LONGEST_PATIENCE, page(&target)).await;
        match page.unwrap_or_else(|_| Err("there is no answer".into())) {
            Ok(page) => {
                read.times += 1;
                let (Some(all), Some(quick)) = (page.get(COMMITS), page.get(QUICK_COMMITS)) else {
                    read.failures
                        .push(failure(&format!("they have no {COMMITS}")));
                    continue;
                };
                let slow = all - quick;
                if slow > slow_before {
                    read.slow_commits.push(SystemTime::now());
                }
                slow_before = slow;
            }
            Err(error) => read.failures.push(failure(&error.to_string())),
        }
        sleep(PAUSE).await;
    }
    read
}

/// The metrics could not be read just now.
fn failure(why: &str) -> Suspect {
    let to = SystemTime::now();
    Suspect {
        words: format!("the metrics: {why}"),
        from: to - LONGEST_PATIENCE,
        to,
    }
}

/// The value of each series of the page.
async fn page(target: &Target) -> Result<HashMap<String, f64>, Failure> {
    let mut stream = target.tcp_to_metrics(ADDRESS).await?;
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: operator\r\nConnection: close\r\n\r\n")
        .await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    if !answer.starts_with("HTTP/1.1 200 ") || !answer.trim_end().ends_with("# EOF") {
        return Err(format!("a page that is not whole: {answer:.100}").into());
    }
    let lines = answer.lines().filter(|line| !line.starts_with('#'));
    let series = lines.filter_map(|line| {
        let (name, value) = line.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    });
    Ok(series.collect())
}
