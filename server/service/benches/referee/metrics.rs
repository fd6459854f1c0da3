//! A server's metrics, as served on its metrics page.

use std::collections::BTreeMap;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The values of a server's metrics, by series.
#[derive(Default)]
pub(crate) struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    /// Reads the metrics page at an address.
    pub(crate) async fn read(address: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).await.unwrap();
        let series = page.lines().filter_map(|line| {
            let (series, value) = line.rsplit_once(' ')?;
            Some((series.to_owned(), value.parse().ok()?))
        });
        Self(series.collect())
    }

    /// Returns the growth of each value since `before`.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let grown = self.0.iter().map(|(series, value)| {
            let before = before.0.get(series).copied().unwrap_or_default();
            (series.clone(), value - before)
        });
        Self(grown.collect())
    }

    /// Adds the values of other metrics.
    pub(crate) fn add(&mut self, others: &Self) {
        for (series, value) in &others.0 {
            *self.0.entry(series.clone()).or_default() += value;
        }
    }

    /// Returns the sum of the series with this name and label; an empty label matches all.
    pub(crate) fn sum(&self, name: &str, label: &str) -> f64 {
        let name = format!("bridgemaster_{name}");
        let series = self.0.iter().filter(|(series, _)| {
            let labels = series.strip_prefix(&name);
            labels.is_some_and(|labels| {
                (labels.is_empty() || labels.starts_with('{')) && labels.contains(label)
            })
        });
        // The fold starts at 0 because the sum of an empty iterator of floating-point numbers is
        // -0.
        series.fold(0.0, |sum, (_, value)| sum + value)
    }

    /// Returns the time within which this share of the messages was handled, in seconds,
    /// interpolated linearly between the histogram's bounds.
    pub(crate) fn handled_within(&self, share: f64) -> f64 {
        let bucket = |bound: &str| self.sum("handling_seconds_bucket", &format!("le=\"{bound}\""));
        let wanted = bucket("+Inf") * share;
        let mut bounds: Vec<(f64, String)> = self
            .0
            .keys()
            .filter_map(|series| {
                let bound = series.strip_prefix("bridgemaster_handling_seconds_bucket{le=\"")?;
                let bound = bound.strip_suffix("\"}")?;
                Some((bound.parse().ok()?, bound.to_owned()))
            })
            .collect();
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut below, mut counted) = (0.0, 0.0);
        for (bound, text) in bounds {
            let count = bucket(&text);
            if count >= wanted && count > counted {
                return below + (bound - below) * (wanted - counted) / (count - counted);
            }
            (below, counted) = (bound, count);
        }
        below
    }
}
