//! What a server tells its operator in numbers, in the OpenMetrics text format.
//!
//! Every label has few values, which the server itself knows: games, reasons, states. No name of
//! a bot and no identifier of a match is one, since a client could make as many as it likes.

mod gauges;
mod labels;
mod ladders;
mod nodes;
mod page;

use std::{borrow::Cow, fmt, time::Duration};

use bridgemaster_games::GAME_IDS;
use bridgemaster_referee::{Charge, DecidedBy, Fault, MatchPhase};
use bridgemaster_store::NodeName;
use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry, Unit},
};

pub(crate) use gauges::{Counted, CountedMatch};
use labels::{ByLabels, DamageLabels, FaultLabels, GameLabels, StateLabels};
pub(crate) use labels::{DamagedValue, decided_by};
use ladders::LadderNumbers;
pub(crate) use ladders::LadderOutcome;
use nodes::NodeNumbers;
pub(crate) use page::{Refresh, serve};

/// Upper bounds of the time for a decision, in seconds: from a bot that answers by a table to one
/// that takes all of a long clock.
const DECISION_BOUNDS: [f64; 12] = [
    0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0,
];
/// Upper bounds of the server's own share of an answer, in seconds: from the referee's work alone
/// to a commit on a slow disk.
const HANDLING_BOUNDS: [f64; 20] = [
    0.000_01, 0.000_015, 0.000_02, 0.000_03, 0.000_05, 0.000_07, 0.000_1, 0.000_15, 0.000_2,
    0.000_3, 0.000_5, 0.000_7, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0,
];
/// Upper bounds of one lag, in seconds; shorter than the first is not counted as lag.
const LAG_BOUNDS: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0];
/// Upper bounds of the entries of one commit of the journal.
const BATCH_BOUNDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];

/// The numbers of one server.
pub(crate) struct Metrics {
    registry: Registry,
    matches: Family<StateLabels, Gauge>,
    match_slots: Gauge,
    matches_ended: Family<GameLabels, Counter>,
    matches_spoiled: Counter,
    matches_cancelled: Counter,
    decisions: Family<ByLabels, Counter>,
    decision_seconds: Family<GameLabels, Histogram, fn() -> Histogram>,
    handling_seconds: Histogram,
    lag_seconds: Histogram,
    faults: Family<FaultLabels, Counter>,
    play_streams: Gauge,
    watch_streams: Gauge,
    storage: StorageNumbers,
    ladders: LadderNumbers,
    /// Of a server that shares its store with others.
    node: Option<NodeNumbers>,
}

/// The numbers of what the server stores.
struct StorageNumbers {
    batch_entries: Histogram,
    commit_seconds: Histogram,
    damaged_values: Family<DamageLabels, Gauge>,
    replays_written: Counter,
    replays_failed: Counter,
    replays_forgotten: Counter,
    lost_commits: Gauge,
}

/// The numbers of the matches of one game, at hand without a search.
#[derive(Clone)]
pub(crate) struct GameMetrics {
    ended: Counter,
    by_bot: Counter,
    by_referee: Counter,
    by_house: Counter,
    by_replay: Counter,
    decision_seconds: Histogram,
}

impl Metrics {
    /// Those of a server that is alone.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::of_node(None)
    }

    /// Those of a server that shares its store under this name, which is a label of each.
    pub(crate) fn of_node(name: Option<&NodeName>) -> Self {
        let mut registry = registry(name);
        let r = &mut registry;
        let this = Self {
            matches: add(r, "matches", "Matches that wait or run", Family::default()),
            match_slots: add(
                r,
                "match_slots",
                "Most matches that wait or run at once",
                Gauge::default(),
            ),
            matches_ended: add(r, "matches_ended", "Matches that ended", Family::default()),
            matches_spoiled: add(
                r,
                "matches_spoiled",
                "Ended matches in which a request had more of the server's own lag than the rules allow",
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
                "Time from handing a request over to decoding its answer",
                Family::new_with_constructor(|| Histogram::new(DECISION_BOUNDS)),
            ),
            handling_seconds: add_seconds(
                r,
                "handling",
                "Time from decoding a message of a bot to having handled it, the commit of it apart",
                Histogram::new(HANDLING_BOUNDS),
            ),
            lag_seconds: add_seconds(
                r,
                "referee_lag",
                "Times in which the server did not come to what it could do",
                Histogram::new(LAG_BOUNDS),
            ),
            faults: add(r, "faults", "Faults of seats", Family::default()),
            play_streams: add(r, "play_streams", "Open streams of bots", Gauge::default()),
            watch_streams: add(
                r,
                "watch_streams",
                "Open streams of spectators",
                Gauge::default(),
            ),
            storage: StorageNumbers::new(r),
            ladders: LadderNumbers::new(r),
            node: name.map(|_| NodeNumbers::new(r)),
            registry,
        };
        this.begin_all_series();
        this
    }

    /// Every series is there from the start, so that a rate is right from the first scrape on.
    fn begin_all_series(&self) {
        for phase in [MatchPhase::Waiting, MatchPhase::Running] {
            drop(self.count_match(phase));
        }
        for game in GAME_IDS {
            self.game(game);
        }
        self.ladders.begin_all_series();
        for value in DamagedValue::ALL {
            self.storage
                .damaged_values
                .get_or_create_owned(&DamageLabels::of(value));
        }
    }

    /// The numbers of a game of the catalogue.
    pub(crate) fn game(&self, game: &'static str) -> GameMetrics {
        let by = |by| self.decisions.get_or_create_owned(&ByLabels::new(game, by));
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

    /// Counts a match that waits or runs while this lives.
    pub(crate) fn count_match(&self, phase: MatchPhase) -> CountedMatch {
        CountedMatch::new(self.matches.clone(), phase)
    }

    /// So many matches may wait or run at once.
    pub(crate) fn has_slots(&self, slots: usize) {
        let slots = i64::try_from(slots).unwrap_or(i64::MAX);
        self.match_slots.set(slots);
    }

    /// How the server stands among those that share its store.
    pub(crate) fn stands(&self, leads: bool, answers: bool, lease_age: Duration) {
        if let Some(node) = &self.node {
            node.stands(leads, answers, lease_age);
        }
    }

    /// Commits are gone that an earlier server made.
    pub(crate) fn lost_commits(&self, commits: u64) {
        self.storage
            .lost_commits
            .set(i64::try_from(commits).unwrap_or(i64::MAX));
    }

    /// A value of the store cannot be read.
    pub(crate) fn damaged(&self, value: DamagedValue) {
        self.storage
            .damaged_values
            .get_or_create(&DamageLabels::of(value))
            .inc();
    }

    /// A match ended with a result that the server's lag spoiled.
    pub(crate) fn match_spoiled(&self) {
        self.matches_spoiled.inc();
    }

    /// A match was cancelled.
    pub(crate) fn match_cancelled(&self) {
        self.matches_cancelled.inc();
    }

    /// A seat committed a fault.
    pub(crate) fn fault(&self, fault: &Fault) {
        self.faults.get_or_create(&FaultLabels::of(fault)).inc();
    }

    /// Counts a call that is passed on to another server.
    pub(crate) fn forwarded_call(&self) -> Option<Counted> {
        self.node.as_ref().map(NodeNumbers::forwarded_call)
    }

    /// A message of a bot was handled so long after it was decoded.
    pub(crate) fn handled(&self, time: Duration) {
        self.handling_seconds.observe(time.as_secs_f64());
    }

    /// The server did not come to what it could do for so long.
    pub(crate) fn lagged(&self, time: Duration) {
        self.lag_seconds.observe(time.as_secs_f64());
    }

    /// A batch of so many writes was committed within this time.
    pub(crate) fn committed(&self, writes: usize, time: Duration) {
        self.storage.batch_entries.observe(writes as f64);
        self.storage.commit_seconds.observe(time.as_secs_f64());
    }

    /// So many replay files were written.
    pub(crate) fn replays_written(&self, count: usize) {
        self.storage.replays_written.inc_by(count as u64);
    }

    /// Replay files could not be written, or one is lost.
    pub(crate) fn replay_failed(&self) {
        self.storage.replays_failed.inc();
    }

    /// The store keeps so many replays no more.
    pub(crate) fn replays_forgotten(&self, count: usize) {
        self.storage.replays_forgotten.inc_by(count as u64);
    }

    /// A match of a ladder is over.
    pub(crate) fn ladder_match_over(&self, outcome: LadderOutcome) {
        self.ladders.over(outcome);
    }

    /// A bot with a free slot waited for so long until a ladder paired it.
    pub(crate) fn waited_for_pairing(&self, time: Duration) {
        self.ladders.waited(time);
    }

    /// A match of a ladder was found and stored within this time.
    pub(crate) fn ladder_paired(&self, time: Duration) {
        self.ladders.paired(time);
    }

    /// So many bots attend queues of ladders, and others.
    pub(crate) fn bots_attend(&self, ladders: usize, others: usize) {
        self.ladders.attend(ladders, others);
    }

    /// Counts a stream of a bot while the guard lives.
    pub(crate) fn play_stream(&self) -> Counted {
        Counted::new(&self.play_streams)
    }

    /// Counts a stream of a spectator while the guard lives.
    pub(crate) fn watch_stream(&self) -> Counted {
        Counted::new(&self.watch_streams)
    }

    /// All numbers, as text.
    ///
    /// # Errors
    /// When the text cannot be written; it is a String, so that would be a defect.
    pub(crate) fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl StorageNumbers {
    fn new(r: &mut Registry) -> Self {
        Self {
            batch_entries: add(
                r,
                "journal_batch_entries",
                "Writes that one commit of the journal stored",
                Histogram::new(BATCH_BOUNDS),
            ),
            commit_seconds: add_seconds(
                r,
                "journal_commit",
                "Time of one commit of the journal",
                Histogram::new(HANDLING_BOUNDS),
            ),
            damaged_values: add(
                r,
                "damaged_values",
                "Values of the store that this server could not read",
                Family::default(),
            ),
            replays_written: add(
                r,
                "replays_written",
                "Replay files written",
                Counter::default(),
            ),
            replays_failed: add(
                r,
                "replays_failed",
                "Attempts to write replay files that failed",
                Counter::default(),
            ),
            replays_forgotten: add(
                r,
                "replays_forgotten",
                "Replays that the store keeps no more",
                Counter::default(),
            ),
            lost_commits: add(
                r,
                "lost_commits",
                "Commits that the data folder had lost when this server started",
                Gauge::default(),
            ),
        }
    }
}

impl GameMetrics {
    /// A decision was applied.
    pub(crate) fn decided(&self, by: DecidedBy, charge: Option<&Charge>) {
        match by {
            DecidedBy::Bot => &self.by_bot,
            DecidedBy::Referee => &self.by_referee,
            DecidedBy::House => &self.by_house,
            DecidedBy::Replay => &self.by_replay,
        }
        .inc();
        if let Some(charge) = charge {
            self.decision_seconds
                .observe(charge.elapsed_us as f64 / 1e6);
        }
    }

    /// A match ended.
    pub(crate) fn ended(&self) {
        self.ended.inc();
    }
}

/// A registry of a server, whose name among others is a label of all that is in it.
fn registry(name: Option<&NodeName>) -> Registry {
    let label = name.map(|name| (Cow::from("node"), Cow::from(name.to_string())));
    let mut registry = Registry::with_prefix_and_labels("bridgemaster", label.into_iter());
    let version = vec![("version", crate::VERSION)];
    registry.register("build", "The server", Info::new(version));
    registry
}

fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

fn add_seconds<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register_with_unit(name, help, Unit::Seconds, metric.clone());
    metric
}
