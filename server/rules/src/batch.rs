//! One session request: its operations, and their results so far.

use bridgemaster_proto::v1::{
    OpenSessionRequest, OpenSessionResponse, RefusalReason, RulesOperation, RulesOutcome,
    RulesPlayouts, RulesResult,
};
use prost::Message as _;

use crate::{
    playouts::{AnyPlayouts, Policy, outcome_to_wire, places_to_wire},
    position::{Position, seed},
    problem::{MAX_ANSWER_BYTES, MAX_OPERATIONS, MAX_PLAYOUTS, Problem},
};

/// The operations of one request, in progress.
#[derive(Debug)]
pub struct Batch {
    request_id: u64,
    pub(crate) operations: Vec<RulesOperation>,
    results: Vec<RulesResult>,
    bytes: usize,
    /// The current operation's playouts; `None` if the operation has no playouts.
    pub(crate) playouts: Option<Playouts>,
    is_over: bool,
}

/// An operation's playouts, in progress.
#[derive(Debug)]
pub(crate) struct Playouts {
    of_game: Box<dyn AnyPlayouts>,
    with_breakdown: bool,
    requested: u32,
    bytes: usize,
    outcomes: Vec<RulesOutcome>,
}

impl Batch {
    /// Starts a request's operations. A request with too many operations is refused as a whole.
    pub fn new(request: OpenSessionRequest) -> Self {
        let OpenSessionRequest { request_id, operations } = request;
        let mut batch = Self {
            request_id,
            operations,
            results: Vec::new(),
            bytes: 0,
            playouts: None,
            is_over: false,
        };
        let count = batch.operations.len();
        if count > MAX_OPERATIONS {
            let detail = format!("must have at most {MAX_OPERATIONS} entries, found {count}");
            batch.refuse(Problem::invalid("operations", detail));
        }
        batch
    }

    /// Refuses the next operation, and skips all later operations.
    pub fn refuse(&mut self, problem: Problem) {
        self.is_over = true;
        self.playouts = None;
        self.results.push(RulesResult {
            refusal_reason: problem.reason.into(),
            detail: problem.to_string(),
            ..RulesResult::default()
        });
    }

    /// Returns the operations' results.
    pub fn into_response(self) -> OpenSessionResponse {
        OpenSessionResponse { request_id: self.request_id, results: self.results }
    }

    /// Returns the index of the next operation, if there is one.
    pub(crate) fn next(&self) -> Option<usize> {
        let place = self.results.len();
        (!self.is_over && place < self.operations.len()).then_some(place)
    }

    /// Records the next operation's result or refusal.
    pub(crate) fn record(&mut self, result: Result<RulesResult, Problem>) {
        let place = self.results.len();
        let result = result.map_err(|problem| problem.below(&format!("operations[{place}]")));
        let recorded = result.and_then(|result| {
            let bytes = self.bytes + result.encoded_len();
            if bytes > MAX_ANSWER_BYTES {
                return Err(too_long(&format!("operations[{place}]")));
            }
            self.bytes = bytes;
            Ok(result)
        });
        self.playouts = None;
        match recorded {
            Ok(result) => self.results.push(result),
            Err(problem) => self.refuse(problem),
        }
    }
}

impl Playouts {
    /// Starts an operation's playouts from a position.
    pub(crate) fn new(request: &RulesPlayouts, position: &Position) -> Result<Self, Problem> {
        let requested = match request.playouts {
            0 => 1,
            requested @ 1..=MAX_PLAYOUTS => requested,
            other => {
                let detail = format!("{other} is out of range (0..={MAX_PLAYOUTS})");
                return Err(Problem::invalid("playouts", detail));
            }
        };
        let seed = seed("seed", &request.seed)?;
        let policy = Policy::from_wire(request.policy)?;
        Ok(Self {
            of_game: position.of_game.playouts(seed, request.resample, policy),
            with_breakdown: request.with_breakdown,
            requested,
            bytes: 0,
            outcomes: Vec::new(),
        })
    }

    /// Plays until all playouts are done or `keep_going` returns `false`. `keep_going` is called
    /// after each playout, and within playouts whose decisions are slow. Returns `true` if all
    /// playouts are done.
    pub(crate) fn work(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Result<bool, Problem> {
        while let Some(number) = self.next() {
            let Some(outcome) = self.of_game.play(number, keep_going)? else {
                return Ok(false);
            };
            let outcome = if self.with_breakdown {
                outcome_to_wire(&outcome)
            } else {
                places_to_wire(&outcome)
            };
            self.bytes += outcome.encoded_len();
            self.outcomes.push(outcome);
            if self.bytes > MAX_ANSWER_BYTES {
                return Err(too_long("playouts"));
            }
            if !keep_going() {
                break;
            }
        }
        Ok(self.next().is_none())
    }

    /// Returns the next playout's number, from 0.
    fn next(&self) -> Option<u32> {
        let number = u32::try_from(self.outcomes.len()).ok()?;
        (number < self.requested).then_some(number)
    }

    /// Returns the outcomes in the order of the playouts.
    pub(crate) fn into_outcomes(self) -> Vec<RulesOutcome> {
        self.outcomes
    }
}

fn too_long(field: &str) -> Problem {
    let detail = format!("the response would exceed {MAX_ANSWER_BYTES} bytes; split the request");
    Problem::new(RefusalReason::LimitReached, field, detail)
}
