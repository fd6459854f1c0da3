//! Reads the metrics page repeatedly, as an operator's Prometheus does.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    judging::{LONGEST_PATIENCE, Suspect},
    machine::Moments,
    raw_client::Failure,
    target::Target,
};

/// Source address of the reader: 127.0.0.4, which no attacker uses.
const ADDRESS: u8 = 4;
/// Pause before the page is read again.
const PAUSE: Duration = Duration::from_millis(500);
/// Commits of the journal by duration in seconds. The bound is the lag that a match allows for one
/// request.
const COMMITS: &str = "bridgemaster_journal_commit_seconds_count";
const QUICK_COMMITS: &str = "bridgemaster_journal_commit_seconds_bucket{le=\"0.1\"}";

/// Figures of the metrics page.
#[derive(Debug)]
pub(crate) struct MetricsRead {
    pub(crate) times: usize,
    /// The times at which the page could not be read, with the reasons.
    pub(crate) failures: Vec<Suspect>,
    /// The times at which commits were found that took longer than a match allows for one request.
    pub(crate) slow_commits: Moments,
}

/// Reads the page until `stopped`.
pub(crate) async fn read_on(target: Target, stopped: CancellationToken) -> MetricsRead {
    let mut read =
        MetricsRead { times: 0, failures: Vec::new(), slow_commits: Moments::new(2 * PAUSE) };
    let mut slow_before = 0.0;
    while !stopped.is_cancelled() {
        let page = timeout(LONGEST_PATIENCE, slow_commits(&target)).await;
        match page.unwrap_or_else(|_| Err("there was no answer".into())) {
            Ok(slow) => {
                read.times += 1;
                if slow > slow_before {
                    read.slow_commits.push(SystemTime::now());
                }
                slow_before = slow;
            }
            Err(error) => {
                let to = SystemTime::now();
                let (words, from) =
                    (format!("cannot read the metrics: {error}"), to - LONGEST_PATIENCE);
                read.failures.push(Suspect { words, from, to });
            }
        }
        sleep(PAUSE).await;
    }
    read
}

/// Reads the page, and returns the number of slow commits so far.
async fn slow_commits(target: &Target) -> Result<f64, Failure> {
    let mut stream = target.tcp(ADDRESS, target.metrics).await?;
    let request = b"GET /metrics HTTP/1.1\r\nHost: operator\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    if !answer.starts_with("HTTP/1.1 200 ") || !answer.trim_end().ends_with("# EOF") {
        return Err(format!("the metrics page is incomplete: {answer:.100}").into());
    }
    let lines = answer.lines().filter(|line| !line.starts_with('#'));
    let series: HashMap<&str, &str> = lines.filter_map(|line| line.rsplit_once(' ')).collect();
    let value = |name: &str| series.get(name).and_then(|value| value.parse::<f64>().ok());
    let commits = value(COMMITS).zip(value(QUICK_COMMITS));
    let (all, quick) = commits.ok_or_else(|| format!("the metrics page has no {COMMITS}"))?;
    Ok(all - quick)
}
