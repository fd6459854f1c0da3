//! The spans of matches, seats and commits.
//!
//! The trace of a match follows from its identifier, so that the spans of all servers that play it
//! are in one. Its first span ends with the match; every other is within that one, and is exported
//! when it ends, so that a match is seen from its beginning on. Attributes tell what may be known of a
//! match while it runs: no names of bots, no decisions, no tickets, no seeds, no words of anybody.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_referee::{Charge, DecidedBy, Fault};
use bridgemaster_store::Write;
use bridgemaster_traces::{Span, SpanContext, SpanKind, Traces};

use crate::metrics::decided_by;

const MATCH_ID: &str = "bridgemaster.match.id";
const GAME: &str = "bridgemaster.game";
/// How many seats the match has.
pub(crate) const SEATS: &str = "bridgemaster.match.seats";
/// What went wrong.
pub(crate) const ERROR: &str = "error.type";

/// The seat that a span is of.
pub(crate) const SEAT: &str = "bridgemaster.seat";

/// Most matches that the span of a commit names: a commit can be of thousands.
const MAX_LINKS: usize = 64;

/// A match, as its spans name it.
#[derive(Clone, Copy)]
pub(crate) struct OfMatch<'a> {
    pub(crate) id: &'a MatchId,
    pub(crate) game_id: &'static str,
}

impl OfMatch<'_> {
    /// The first span of its trace.
    fn first(self) -> SpanContext {
        SpanContext::named(self.id.as_str())
    }

    /// A span that ends now.
    pub(crate) fn span(self, begun: SystemTime, name: &'static str) -> Span {
        self.named(Span::within(self.first(), begun, name))
    }

    fn named(self, span: Span) -> Span {
        span.with(MATCH_ID, self.id.to_string())
            .with(GAME, self.game_id)
    }

    /// The match itself, which is over and was made then.
    pub(crate) fn whole(self, made_unix_ms: u64, seats: u8, outcome: &'static str) -> Span {
        let made = UNIX_EPOCH + Duration::from_millis(made_unix_ms);
        self.named(Span::since(made, "match", self.first()))
            .with(SEATS, u32::from(seats))
            .with("bridgemaster.match.outcome", outcome)
    }

    /// A decision that is no secret any more and was made so long ago.
    pub(crate) fn decision(
        self,
        ago: Duration,
        seat: Seat,
        by: DecidedBy,
        charge: Option<&Charge>,
    ) -> Span {
        let ended = before(SystemTime::now(), ago);
        let elapsed_us = charge.map_or(0, |charge| charge.elapsed_us);
        let begun = before(ended, Duration::from_micros(elapsed_us));
        let span = Span {
            ended,
            ..self.span(begun, "decision")
        };
        let span = span
            .with(SEAT, u32::from(seat.number()))
            .with("bridgemaster.decision.by", decided_by(by));
        match charge {
            None => span,
            Some(charge) => span
                .with("bridgemaster.decision.charged_us", charge.charged_us)
                .with("bridgemaster.decision.credit_us", charge.credit_us)
                .with(
                    "bridgemaster.decision.referee_lag_us",
                    charge.referee_lag_us,
                ),
        }
    }

    /// A fault that is no secret any more and was committed so long ago.
    pub(crate) fn fault(self, ago: Duration, seat: Seat, fault: &Fault) -> Span {
        let at = before(SystemTime::now(), ago);
        let span = Span {
            ended: at,
            failed: true,
            ..self.span(at, "fault")
        };
        span.with(SEAT, u32::from(seat.number()))
            .with(ERROR, fault.reason.to_string())
            .with("bridgemaster.fault.action", fault.action.to_string())
    }
}

/// What a commit is of.
pub(crate) struct OfCommit {
    begun: SystemTime,
    writes: usize,
    bytes: usize,
    matches: Vec<SpanContext>,
}

impl OfCommit {
    /// What these writes are of, if that is to be told.
    pub(crate) fn begin(traces: &Traces, writes: &[Write]) -> Option<Self> {
        traces.is_on().then(|| {
            let mut ids: Vec<&MatchId> = writes.iter().filter_map(Write::match_id).collect();
            ids.sort_unstable();
            ids.dedup();
            let named = ids.iter().take(MAX_LINKS);
            Self {
                begun: SystemTime::now(),
                writes: writes.len(),
                bytes: writes.iter().map(bytes).sum(),
                matches: named.map(|id| SpanContext::named(id.as_str())).collect(),
            }
        })
    }

    /// The commit has ended.
    pub(crate) fn span(self, failed: bool) -> Span {
        let span = Span {
            kind: SpanKind::Client,
            links: self.matches,
            failed,
            ..Span::since(self.begun, "commit", SpanContext::draw())
        };
        span.with("db.operation.batch.size", self.writes)
            .with("bridgemaster.commit.bytes", self.bytes)
    }
}

/// Bytes of what is stored, without names and numbers.
fn bytes(write: &Write) -> usize {
    match write {
        Write::OpenMatch { header, .. } => header.len(),
        Write::Append { entry, .. } => entry.len(),
        Write::FinishMatch {
            summary, replay, ..
        } => summary.len() + replay.len(),
        Write::KeepNote { value, .. } => value.len(),
        Write::ForgetReplay { .. }
        | Write::DropMatch { .. }
        | Write::DropNote { .. }
        | Write::ChangeLadder { .. } => 0,
    }
}

fn before(time: SystemTime, ago: Duration) -> SystemTime {
    time.checked_sub(ago).unwrap_or(UNIX_EPOCH)
}
