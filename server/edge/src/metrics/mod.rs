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
    fmt::{self, Debug},
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
    serve::Listener,
};
use bridgemaster_games::GAME_IDS;
use bridgemaster_referee::{Charge, DecidedBy, Fault, MatchPhase};
use bridgemaster_store::{DatabaseFigures, NodeName};
use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use self::{
    labels::{DamageLabels, DecisionLabels, FaultLabels, GameLabels, StateLabels},
    ladders::LadderMetrics,
    nodes::NodeMetrics,
    registration::{add, add_seconds, registry},
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
/// Bucket bounds for the length of one lag, in seconds. Delays below the first bound do not count
/// as lag.
const LAG_BOUNDS: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0];
/// Bucket bounds for the number of entries in one journal commit.
const BATCH_BOUNDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];

/// The metrics of one server.
pub struct Metrics {
    registry: Registry,
    matches: Family<StateLabels, Gauge>,
    match_slots: Gauge,
    matches_ended: Family<GameLabels, Counter>,
    matches_spoiled: Counter,
    matches_cancelled: Counter,
    decisions: Family<DecisionLabels, Counter>,
    decision_seconds: Family<GameLabels, Histogram, fn() -> Histogram>,
    handling_seconds: Histogram,
    lag_seconds: Histogram,
    faults: Family<FaultLabels, Counter>,
    play_streams: Gauge,
    watch_streams: Gauge,
    storage: StorageMetrics,
    ladders: LadderMetrics,
    /// `None` on a server that does not share its store.
    node: Option<NodeMetrics>,
    /// The metrics of the process, which have no prefix.
    process: Registry,
}

/// The metrics of the store and the replay folder.
struct StorageMetrics {
    batch_entries: Histogram,
    commit_seconds: Histogram,
    damaged_values: Family<DamageLabels, Gauge>,
    replays_written: Counter,
    replays_failed: Counter,
    replays_forgotten: Counter,
    lost_commits: Gauge,
    commit_age_seconds: Gauge<f64, AtomicU64>,
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
        let r = &mut registry;
        let this = Self {
            matches: add(r, "matches", "Matches that wait or run", Family::default()),
            match_slots: add(
                r,
                "match_slots",
                "Maximum number of matches that wait or run",
                Gauge::default(),
            ),
            matches_ended: add(r, "matches_ended", "Matches that ended", Family::default()),
            matches_spoiled: add(
                r,
                "matches_spoiled",
                "Ended matches in which the server's own lag in a request exceeded the limit of the rules",
                Counter::default(),
            ),
            matches_cancelled: add(
                r,
                "matches_cancelled",
                "Matches that were cancelled",
                Counter::default(),
            ),
            decisions: add(r, "decisions", "Decisions applied", Family::default()),
            decision_seconds: add_seconds(
                r,
                "decision",
                "Time from sending a request to decoding its answer",
                Family::new_with_constructor(|| Histogram::new(DECISION_BOUNDS)),
            ),
            handling_seconds: add_seconds(
                r,
                "handling",
                "Time from decoding a message of a bot until it is processed, without its commit",
                Histogram::new(HANDLING_BOUNDS),
            ),
            lag_seconds: add_seconds(
                r,
                "referee_lag",
                "How late the server started work that was due",
                Histogram::new(LAG_BOUNDS),
            ),
            faults: add(r, "faults", "Faults of seats", Family::default()),
            play_streams: add(r, "play_streams", "Open streams of bots", Gauge::default()),
            watch_streams: add(r, "watch_streams", "Open streams of spectators", Gauge::default()),
            storage: StorageMetrics::new(r),
            ladders: LadderMetrics::new(r),
            process: process::registry(name),
            node: name.map(|_| NodeMetrics::new(r, Histogram::new(LAG_BOUNDS))),
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
            self.storage.damaged_values.get_or_create_owned(&DamageLabels::for_value(value));
        }
    }

    /// Returns the metrics of a game in the catalogue.
    pub fn game(&self, game: &'static str) -> GameMetrics {
        let by = |by| self.decisions.get_or_create_owned(&DecisionLabels::new(game, by));
        let label = GameLabels { game };
        GameMetrics {
            ended: self.matches_ended.get_or_create_owned(&label),
            by_bot: by(DecidedBy::Bot),
            by_referee: by(DecidedBy::Referee),
            by_house: by(DecidedBy::House),
            by_replay: by(DecidedBy::Replay),
            decision_seconds: self.decision_seconds.get_or_create_owned(&label),
        }
    }

    /// Counts a match that waits or runs, until the guard is dropped.
    pub fn count_match(&self, phase: MatchPhase) -> MatchGauge {
        MatchGauge::new(self.matches.clone(), phase)
    }

    /// Sets the maximum number of matches that wait or run.
    pub fn set_match_slots(&self, slots: usize) {
        let slots = i64::try_from(slots).unwrap_or(i64::MAX);
        self.match_slots.set(slots);
    }

    /// Sets this node's state in its cluster.
    pub fn set_node_state(&self, is_leader: bool, is_answering: bool, lease_age: Duration) {
        if let Some(node) = &self.node {
            node.set_state(is_leader, is_answering, lease_age);
        }
    }

    /// Sets the minimum clock skew between this node and the database, as a positive number if this
    /// node is ahead.
    pub fn set_clock_skew_ms(&self, skew_ms: i64) {
        if let Some(node) = &self.node {
            node.set_clock_skew_ms(skew_ms);
        }
    }

    /// Sets the number of operations that this node repeated after a failure of the database.
    pub fn set_database_retries(&self, retries: u64) {
        if let Some(node) = &self.node {
            node.set_database_retries(retries);
        }
    }

    /// Sets the statistics of the database that the nodes share.
    pub fn set_database_figures(&self, figures: DatabaseFigures) {
        if let Some(node) = &self.node {
            node.set_database_figures(figures);
        }
    }

    /// Sets the number of commits that the data folder lost.
    pub fn set_lost_commits(&self, commits: u64) {
        self.storage.lost_commits.set(i64::try_from(commits).unwrap_or(i64::MAX));
    }

    /// Sets the age of the oldest commit in progress; zero if there is none.
    pub fn set_commit_age(&self, age: Duration) {
        self.storage.commit_age_seconds.set(age.as_secs_f64());
    }

    /// Counts matches that this node has taken over from other nodes.
    pub fn count_takeovers(&self, matches: usize) {
        if let Some(node) = &self.node {
            node.count_takeovers(matches);
        }
    }

    /// Counts an unreadable value in the store.
    pub fn count_damaged(&self, value: DamagedValue) {
        self.storage.damaged_values.get_or_create(&DamageLabels::for_value(value)).inc();
    }

    /// Counts a match whose result is affected by the server's lag.
    pub fn count_match_affected_by_lag(&self) {
        self.matches_spoiled.inc();
    }

    /// Counts a cancelled match.
    pub fn count_cancelled_match(&self) {
        self.matches_cancelled.inc();
    }

    /// Counts a seat's fault.
    pub fn count_fault(&self, fault: &Fault) {
        self.faults.get_or_create(&FaultLabels::for_fault(fault)).inc();
    }

    /// Counts a call that is forwarded to another node, until the guard is dropped.
    pub fn forwarded_call(&self) -> Option<GaugeGuard> {
        self.node.as_ref().map(NodeMetrics::forwarded_call)
    }

    /// Observes the time from decoding a bot's message until the message was processed.
    pub fn observe_handling(&self, time: Duration) {
        self.handling_seconds.observe(time.as_secs_f64());
    }

    /// Observes the delay with which the server started work that was due.
    pub(crate) fn observe_lag(&self, time: Duration) {
        self.lag_seconds.observe(time.as_secs_f64());
    }

    /// Observes the delay with which another node forwarded bots' messages to this one.
    pub(crate) fn observe_forwarding_lag(&self, time: Duration) {
        if let Some(node) = &self.node {
            node.observe_forwarding_lag(time);
        }
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
        self.ladders.observe_end(outcome);
    }

    /// Observes the time that a bot with a free slot waited until it was paired.
    pub fn observe_pairing_wait(&self, time: Duration) {
        self.ladders.observe_wait(time);
    }

    /// Observes the time that finding and storing a ladder match took.
    pub fn observe_pairing(&self, time: Duration) {
        self.ladders.observe_pairing(time);
    }

    /// Sets the numbers of bots that attend ladder queues, and that attend other queues.
    pub fn set_attending_bots(&self, ladders: usize, others: usize) {
        self.ladders.set_attending(ladders, others);
    }

    /// Counts a bot's stream, until the guard is dropped.
    pub fn play_stream(&self) -> GaugeGuard {
        GaugeGuard::new(&self.play_streams)
    }

    /// Counts a spectator's stream, until the guard is dropped.
    pub fn watch_stream(&self) -> GaugeGuard {
        GaugeGuard::new(&self.watch_streams)
    }

    /// Encodes all metrics as text.
    ///
    /// # Errors
    /// Never in practice: writing to a `String` does not fail.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode_registry(&mut text, &self.process)?;
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}

impl StorageMetrics {
    fn new(r: &mut Registry) -> Self {
        Self {
            batch_entries: add(
                r,
                "journal_batch_entries",
                "Number of writes per commit of the journal",
                Histogram::new(BATCH_BOUNDS),
            ),
            commit_seconds: add_seconds(
                r,
                "journal_commit",
                "Duration of a commit of the journal",
                Histogram::new(HANDLING_BOUNDS),
            ),
            damaged_values: add(
                r,
                "damaged_values",
                "Values of the store that this server could not read",
                Family::default(),
            ),
            replays_written: add(r, "replays_written", "Replay files written", Counter::default()),
            replays_failed: add(
                r,
                "replays_failed",
                "Attempts to write replay files that failed",
                Counter::default(),
            ),
            replays_forgotten: add(
                r,
                "replays_forgotten",
                "Replays removed from the store by retention",
                Counter::default(),
            ),
            lost_commits: add(
                r,
                "lost_commits",
                "Commits that the data folder had lost when this server started",
                Gauge::default(),
            ),
            commit_age_seconds: add_seconds(
                r,
                "journal_commit_age",
                "Age of the oldest commit of the journal in progress; 0 if there is none",
                Gauge::default(),
            ),
        }
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

    /// Counts an ended match.
    pub fn count_ended(&self) {
        self.ended.inc();
    }
}

/// The content type of the OpenMetrics text format.
const OPENMETRICS_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A function that sets the gauges that are computed at each scrape.
pub type Refresh = Arc<dyn Fn(&Metrics) + Send + Sync>;

/// Serves `GET /metrics` until the future is dropped.
///
/// # Errors
/// When the listener fails.
pub async fn serve<L>(listener: L, metrics: Arc<Metrics>, refresh: Refresh) -> std::io::Result<()>
where
    L: Listener<Addr: Debug>,
{
    let pages = Router::new().route("/metrics", get(page)).with_state((metrics, refresh));
    axum::serve(listener, pages).await
}

async fn page(State((metrics, refresh)): State<(Arc<Metrics>, Refresh)>) -> Response {
    refresh(&metrics);
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPENMETRICS_CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
