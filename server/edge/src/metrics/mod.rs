//! A server's metrics, in the OpenMetrics text format.
//!
//! Every label has a small set of values that the server itself defines: games, reasons, states.
//! Bot names and match identifiers are not labels, since clients could create any number of them.

mod labels;
mod ladders;
mod nodes;
mod process;
mod registration;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use bridgemaster_games::GAME_IDS;
use bridgemaster_referee::{Charge, DecidedBy, Fault, MatchPhase};
use bridgemaster_store::{DatabaseFigures, NodeName};
use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use tonic::service::Routes;

use self::{
    labels::Labels,
    ladders::LadderMetrics,
    nodes::NodeMetrics,
    registration::{LAG_BOUNDS, add, add_seconds, initial, metrics, registry},
};

pub(crate) use labels::decided_by;
pub use labels::{DamagedValue, GaugeGuard, MatchGauge};
pub use ladders::LadderOutcome;

/// Bucket bounds for the time that a decision takes, in seconds: from a table lookup to the use of
/// an entire long clock.
const DECISION_BOUNDS: [f64; 12] =
    [0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
/// Bucket bounds for the server's own part of a response time, in seconds: from the referee's
/// computation alone to a commit on a slow disk.
const HANDLING_BOUNDS: [f64; 20] = [
    0.000_01, 0.000_015, 0.000_02, 0.000_03, 0.000_05, 0.000_07, 0.000_1, 0.000_15, 0.000_2,
    0.000_3, 0.000_5, 0.000_7, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0,
];
/// Bucket bounds for the number of entries in one journal commit.
const BATCH_BOUNDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];

/// The metrics of one server.
pub struct Metrics {
    registry: Registry,
    play: PlayMetrics,
    storage: StorageMetrics,
    ladders: LadderMetrics,
    /// Not registered on a server that does not share its store.
    node: NodeMetrics,
    /// The metrics of the process, which have no prefix.
    process: Registry,
}

metrics! {
    /// The metrics of matches, streams and listeners.
    struct PlayMetrics {
        matches: Family<Labels<1>, Gauge> = add("matches", "Matches that wait or run"),
        match_slots: Gauge = add("match_slots", "Maximum number of matches that wait or run"),
        matches_ended: Family<Labels<1>, Counter> = add("matches_ended", "Matches that ended"),
        matches_spoiled: Counter = add(
            "matches_spoiled",
            "Finished matches in which the server's own lag in a request exceeded the limit of the \
             rules"),
        matches_cancelled: Counter = add("matches_cancelled", "Matches that were cancelled"),
        decisions: Family<Labels<2>, Counter> = add("decisions", "Decisions applied"),
        decision_seconds: Family<Labels<1>, Histogram, fn() -> Histogram> = add_seconds(
            "decision",
            "Time from sending a request to decoding its answer",
            Family::new_with_constructor(|| Histogram::new(DECISION_BOUNDS))),
        handling_seconds: Histogram = add_seconds(
            "handling",
            "Time from decoding a message of a bot until it is processed, without its commit",
            Histogram::new(HANDLING_BOUNDS)),
        lag_seconds: Histogram = add_seconds(
            "referee_lag",
            "How late the server started work that was due",
            Histogram::new(LAG_BOUNDS)),
        faults: Family<[(&'static str, String); 2], Counter> = add("faults", "Faults of seats"),
        play_streams: Gauge = add("play_streams", "Open streams of bots"),
        watch_streams: Gauge = add("watch_streams", "Open streams of spectators"),
        // Empty without TLS.
        tls_certificate_expires_seconds: Family<[(&'static str, &'static str); 0], Gauge> =
            add_seconds(
                "tls_certificate_expires",
                "Time at which the TLS certificate expires, since 1970"),
    }
}

metrics! {
    /// The metrics of the store and the replay folder.
    struct StorageMetrics {
        batch_entries: Histogram = add(
            "journal_batch_entries",
            "Number of writes per commit of the journal",
            Histogram::new(BATCH_BOUNDS)),
        commit_seconds: Histogram = add_seconds(
            "journal_commit",
            "Duration of a commit of the journal",
            Histogram::new(HANDLING_BOUNDS)),
        damaged_values: Family<Labels<1>, Gauge> = add(
            "damaged_values", "Values of the store that this server could not read"),
        replays_written: Counter = add("replays_written", "Replay files written"),
        replays_failed: Counter = add(
            "replays_failed", "Attempts to write replay files that failed"),
        replays_forgotten: Counter = add(
            "replays_forgotten", "Replays removed from the store by retention"),
        lost_commits: Gauge = add(
            "lost_commits", "Commits that the data folder had lost when this server started"),
        commit_age_seconds: Gauge<f64, AtomicU64> = add_seconds(
            "journal_commit_age",
            "Age of the oldest commit of the journal in progress; 0 if there is none"),
    }
}

/// The metrics of one game's matches, looked up once, so that updates need no lookup by label.
#[derive(Clone)]
pub struct GameMetrics {
    ended: Counter,
    by_bot: Counter,
    by_referee: Counter,
    by_house: Counter,
    by_replay: Counter,
    decision_seconds: Histogram,
}

impl Metrics {
    /// Creates the metrics for a node. The node's name becomes a label of each series.
    pub fn for_node(name: Option<&NodeName>) -> Self {
        let mut registry = registry(name);
        let this = Self {
            play: PlayMetrics::register(&mut registry),
            storage: StorageMetrics::register(&mut registry),
            ladders: LadderMetrics::register(&mut registry),
            node: match name {
                Some(_) => NodeMetrics::register(&mut registry),
                None => NodeMetrics::register(&mut Registry::default()),
            },
            process: process::registry(name),
            registry,
        };
        this.init_series();
        this
    }

    /// Creates all series at zero, so that rates are correct from the first scrape.
    fn init_series(&self) {
        for phase in [MatchPhase::Waiting, MatchPhase::Running] {
            drop(self.count_match(phase));
        }
        for game in GAME_IDS {
            self.game(game);
        }
        self.ladders.init_series();
        for value in DamagedValue::ALL {
            self.storage.damaged(value);
        }
    }

    /// Returns the metrics of a game in the catalogue.
    pub fn game(&self, game: &'static str) -> GameMetrics {
        let by = |by| {
            let labels = [("game", game), ("by", decided_by(by))];
            self.play.decisions.get_or_create_owned(&labels)
        };
        let label = [("game", game)];
        GameMetrics {
            ended: self.play.matches_ended.get_or_create_owned(&label),
            by_bot: by(DecidedBy::Bot),
            by_referee: by(DecidedBy::Referee),
            by_house: by(DecidedBy::House),
            by_replay: by(DecidedBy::Replay),
            decision_seconds: self.play.decision_seconds.get_or_create_owned(&label),
        }
    }

    /// Counts a match that waits or runs, until the guard is dropped.
    pub fn count_match(&self, phase: MatchPhase) -> MatchGauge {
        MatchGauge::new(self.play.matches.clone(), phase)
    }

    /// Sets the maximum number of matches that wait or run.
    pub fn set_match_slots(&self, slots: usize) {
        let slots = i64::try_from(slots).unwrap_or(i64::MAX);
        self.play.match_slots.set(slots);
    }

    /// Sets this node's state in its cluster.
    pub fn set_node_state(&self, is_leader: bool, is_answering: bool, lease_age: Duration) {
        self.node.leads.set(is_leader.into());
        self.node.answers.set(is_answering.into());
        self.node.lease_age_seconds.set(lease_age.as_secs_f64());
    }

    /// Sets the minimum clock skew between this node and the database, as a positive number if this
    /// node is ahead.
    pub fn set_clock_skew_ms(&self, skew_ms: i64) {
        self.node.clock_skew_seconds.set(skew_ms as f64 / 1e3);
    }

    /// Sets the number of crashed nodes whose lease this node has ended.
    pub fn set_crashes(&self, crashes: u64) {
        self.node.crashes.inner().store(crashes, Ordering::Relaxed);
    }

    /// Sets the statistics of the database that the nodes share.
    pub fn set_database_figures(&self, figures: DatabaseFigures) {
        let gauge = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        self.node.database_sessions.set(gauge(figures.sessions));
        self.node.database_xmin_age.set(gauge(figures.xmin_age));
    }

    /// Sets the number of database operations that this server has repeated after a failure.
    pub fn set_database_retries(&self, retries: u64) {
        self.node.database_retries.inner().store(retries, Ordering::Relaxed);
    }

    /// Sets the number of commits that the data folder lost.
    pub fn set_lost_commits(&self, commits: u64) {
        self.storage.lost_commits.set(i64::try_from(commits).unwrap_or(i64::MAX));
    }

    /// Sets the time at which the TLS certificate expires, in seconds since 1970.
    pub fn set_tls_certificate_expiry(&self, unix_s: i64) {
        self.play.tls_certificate_expires_seconds.get_or_create(&[]).set(unix_s);
    }

    /// Sets the age of the oldest commit in progress; zero if there is none.
    pub fn set_commit_age(&self, age: Duration) {
        self.storage.commit_age_seconds.set(age.as_secs_f64());
    }

    /// Counts matches that this node has taken over from other nodes.
    pub fn count_takeovers(&self, matches: usize) {
        self.node.takeovers.inc_by(matches as u64);
    }

    /// Counts an unreadable value in the store.
    pub fn count_damaged(&self, value: DamagedValue) {
        self.storage.damaged(value).inc();
    }

    /// Counts a match whose result is affected by the server's lag.
    pub fn count_match_affected_by_lag(&self) {
        self.play.matches_spoiled.inc();
    }

    /// Counts a cancelled match.
    pub fn count_cancelled_match(&self) {
        self.play.matches_cancelled.inc();
    }

    /// Counts a seat's fault.
    pub fn count_fault(&self, fault: &Fault) {
        let (reason, action) = (fault.reason.to_string(), fault.action.to_string());
        self.play.faults.get_or_create(&[("reason", reason), ("action", action)]).inc();
    }

    /// Counts a call that is forwarded to another node, until the guard is dropped.
    pub fn forwarded_call(&self) -> GaugeGuard {
        GaugeGuard::new(&self.node.forwarded_calls)
    }

    /// Observes the time from decoding a bot's message until the message was processed.
    pub fn observe_handling(&self, time: Duration) {
        self.play.handling_seconds.observe(time.as_secs_f64());
    }

    /// Observes the delay with which the server started work that was due.
    pub(crate) fn observe_lag(&self, time: Duration) {
        self.play.lag_seconds.observe(time.as_secs_f64());
    }

    /// Observes the delay with which another node forwarded bots' messages to this one.
    pub(crate) fn observe_forwarding_lag(&self, time: Duration) {
        self.node.forwarding_lag_seconds.observe(time.as_secs_f64());
    }

    /// Observes that a batch of writes was committed.
    pub fn observe_commit(&self, writes: usize, time: Duration) {
        self.storage.batch_entries.observe(writes as f64);
        self.storage.commit_seconds.observe(time.as_secs_f64());
    }

    /// Counts written replay files.
    pub fn count_written_replays(&self, count: usize) {
        self.storage.replays_written.inc_by(count as u64);
    }

    /// Counts a failed attempt to write replay files, or a lost replay.
    pub fn count_failed_replay(&self) {
        self.storage.replays_failed.inc();
    }

    /// Counts replays that retention removed from the store.
    pub fn count_removed_replays(&self, count: usize) {
        self.storage.replays_forgotten.inc_by(count as u64);
    }

    /// Counts a ladder's match that has ended.
    pub fn count_ladder_match(&self, outcome: LadderOutcome) {
        self.ladders.ended(outcome).inc();
    }

    /// Observes the time that a bot with a free slot waited until it was paired.
    pub fn observe_pairing_wait(&self, time: Duration) {
        self.ladders.waiting_seconds.observe(time.as_secs_f64());
    }

    /// Observes the time that finding and storing a ladder match took.
    pub fn observe_pairing(&self, time: Duration) {
        self.ladders.pairing_seconds.observe(time.as_secs_f64());
    }

    /// Sets the numbers of bots that attend ladder queues, and that attend other queues.
    pub fn set_attending_bots(&self, ladders: usize, others: usize) {
        self.ladders.set_attending(ladders, others);
    }

    /// Counts a bot's stream, until the guard is dropped.
    pub fn play_stream(&self) -> GaugeGuard {
        GaugeGuard::new(&self.play.play_streams)
    }

    /// Counts a spectator's stream, until the guard is dropped.
    pub fn watch_stream(&self) -> GaugeGuard {
        GaugeGuard::new(&self.play.watch_streams)
    }

    /// Encodes all metrics as text.
    ///
    /// # Errors
    /// Returns no errors in practice: writing to a `String` does not fail.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode_registry(&mut text, &self.process)?;
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}

impl StorageMetrics {
    /// Returns the gauge of unreadable values of this kind.
    fn damaged(&self, value: DamagedValue) -> Gauge {
        self.damaged_values.get_or_create_owned(&[("what", value.as_str())])
    }
}

impl GameMetrics {
    /// Counts an applied decision, and observes its time.
    pub fn count_decision(&self, by: DecidedBy, charge: Option<&Charge>) {
        match by {
            DecidedBy::Bot => &self.by_bot,
            DecidedBy::Referee => &self.by_referee,
            DecidedBy::House => &self.by_house,
            DecidedBy::Replay => &self.by_replay,
        }
        .inc();
        if let Some(charge) = charge {
            self.decision_seconds.observe(charge.elapsed_us as f64 / 1e6);
        }
    }

    /// Counts a finished match.
    pub fn count_ended(&self) {
        self.ended.inc();
    }
}

/// The content type of the OpenMetrics text format.
const OPENMETRICS_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A function that sets the gauges that are computed at each scrape.
pub type Refresh = Arc<dyn Fn(&Metrics) + Send + Sync>;

/// Returns the service of `GET /metrics`.
pub fn page(metrics: Arc<Metrics>, refresh: Refresh) -> Routes {
    Router::new().route("/metrics", get(scrape)).with_state((metrics, refresh)).into()
}

async fn scrape(State((metrics, refresh)): State<(Arc<Metrics>, Refresh)>) -> Response {
    refresh(&metrics);
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPENMETRICS_CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
