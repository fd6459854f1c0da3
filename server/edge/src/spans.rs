//! Trace spans of matches, seats and commits.
//!
//! The identifier of a match's trace is derived from the match identifier, so the spans of all
//! servers that play the match belong to one trace. The root span ends with the match. Every other
//! span is a child of the root span, and is exported when it ends, so that running matches are
//! visible. Attributes contain only data that is public while the match runs: no bot names,
//! decisions, tickets, seeds or free text.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_referee::{Charge, DecidedBy, Fault};
use bridgemaster_store::Write;
use bridgemaster_traces::{Span, SpanContext, SpanKind, SpanRecorder};

use crate::metrics::decided_by;

const MATCH_ID: &str = "bridgemaster.match.id";
const GAME: &str = "bridgemaster.game";
/// Attribute: the number of seats of the match.
pub const SEATS: &str = "bridgemaster.match.seats";
/// Attribute: the kind of error.
pub const ERROR: &str = "error.type";

/// Attribute: the seat to which the span belongs.
pub const SEAT: &str = "bridgemaster.seat";

/// The maximum number of matches to which the span of a commit links. A commit can contain
/// thousands.
const MAX_LINKS: usize = 64;

/// A match whose spans are built.
#[derive(Clone, Copy)]
pub struct MatchSpans<'a> {
    /// Identifies the match, and so its trace.
    pub id: &'a MatchId,
    /// The game's identifier in the catalogue.
    pub game_id: &'static str,
}

impl MatchSpans<'_> {
    /// The root span of the trace.
    fn trace_root(self) -> SpanContext {
        SpanContext::from_name(self.id.as_str())
    }

    /// Builds a span from `started` until now.
    pub fn span(self, started: SystemTime, name: &'static str) -> Span {
        self.with_match(Span::within(self.trace_root(), started, name))
    }

    fn with_match(self, span: Span) -> Span {
        span.with(MATCH_ID, self.id.to_string()).with(GAME, self.game_id)
    }

    /// Builds the root span of a finished match.
    pub fn match_span(self, created_unix_ms: u64, seats: u8, outcome: &'static str) -> Span {
        let created = UNIX_EPOCH + Duration::from_millis(created_unix_ms);
        self.with_match(Span::since(created, "match", self.trace_root()))
            .with(SEATS, u32::from(seats))
            .with("bridgemaster.match.outcome", outcome)
    }

    /// Builds the span for a decision that is public now. The decision was made `ago` before now.
    pub fn decision(
        self,
        ago: Duration,
        seat: Seat,
        by: DecidedBy,
        charge: Option<&Charge>,
    ) -> Span {
        let ended = time_before(SystemTime::now(), ago);
        let elapsed_us = charge.map_or(0, |charge| charge.elapsed_us);
        let started = time_before(ended, Duration::from_micros(elapsed_us));
        let span = Span { ended, ..self.span(started, "decision") };
        let span = span
            .with(SEAT, u32::from(seat.number()))
            .with("bridgemaster.decision.by", decided_by(by));
        match charge {
            None => span,
            Some(charge) => span
                .with("bridgemaster.decision.charged_us", charge.charged_us)
                .with("bridgemaster.decision.uncharged_us", charge.uncharged_us)
                .with("bridgemaster.decision.credit_us", charge.credit_us)
                .with("bridgemaster.decision.referee_lag_us", charge.referee_lag_us),
        }
    }

    /// Builds the span for a fault that is public now. The fault happened `ago` before now.
    pub fn fault(self, ago: Duration, seat: Seat, fault: &Fault) -> Span {
        let at = time_before(SystemTime::now(), ago);
        let span = Span { ended: at, failed: true, ..self.span(at, "fault") };
        span.with(SEAT, u32::from(seat.number()))
            .with(ERROR, fault.reason.to_string())
            .with("bridgemaster.fault.action", fault.action.to_string())
    }
}

/// A commit whose span is built.
pub struct CommitSpan {
    started: SystemTime,
    writes: usize,
    bytes: usize,
    matches: Vec<SpanContext>,
}

impl CommitSpan {
    /// Starts the span of a commit, if tracing is on.
    pub fn start(span_recorder: &SpanRecorder, writes: &[Write]) -> Option<Self> {
        span_recorder.is_enabled().then(|| {
            let mut ids: Vec<&MatchId> = writes.iter().filter_map(Write::match_id).collect();
            ids.sort_unstable();
            ids.dedup();
            let named = ids.iter().take(MAX_LINKS);
            Self {
                started: SystemTime::now(),
                writes: writes.len(),
                bytes: writes.iter().map(bytes).sum(),
                matches: named.map(|id| SpanContext::from_name(id.as_str())).collect(),
            }
        })
    }

    /// Ends the span; `failed` marks the commit as failed.
    pub fn span(self, failed: bool) -> Span {
        let span = Span {
            kind: SpanKind::Client,
            links: self.matches,
            failed,
            ..Span::since(self.started, "commit", SpanContext::generate())
        };
        span.with("db.operation.batch.size", self.writes)
            .with("bridgemaster.commit.bytes", self.bytes)
    }
}

/// Returns the size of the stored values, without names and numbers.
fn bytes(write: &Write) -> usize {
    match write {
        Write::OpenMatch { header, .. } => header.len(),
        Write::Append { entry, .. } => entry.len(),
        Write::FinishMatch { summary, replay, .. } => summary.len() + replay.len(),
        Write::PutRecord { value, .. } => value.len(),
        Write::ForgetReplay { .. }
        | Write::DropMatch { .. }
        | Write::RemoveRecord { .. }
        | Write::ChangeLadder { .. } => 0,
    }
}

fn time_before(time: SystemTime, ago: Duration) -> SystemTime {
    time.checked_sub(ago).unwrap_or(UNIX_EPOCH)
}
