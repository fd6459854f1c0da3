//! The operations of one request of a session, and what they gave so far.

use bridgemaster_proto::v1::{
    OpenSessionRequest, OpenSessionResponse, RefusalReason, RulesOperation, RulesOutcome,
    RulesPlayouts, RulesResult,
};
use prost::Message as _;

use crate::{
    limits::{MAX_ANSWER_BYTES, MAX_OPERATIONS, MAX_PLAYOUTS},
    outcome::{outcome_to_wire, places_to_wire},
    playouts::{AnyPlayouts, Policy},
    position::{Position, seed},
    problem::Problem,
};

/// Operations that are being done.
#[derive(Debug)]
pub struct Batch {
    request_id: u64,
    pub(crate) operations: Vec<RulesOperation>,
    results: Vec<RulesResult>,
    bytes: usize,
    /// Those of the operation that is being done, if it plays out.
    pub(crate) playouts: Option<Playouts>,
    is_over: bool,
}

/// Playouts that are being done.
#[derive(Debug)]
pub(crate) struct Playouts {
    of_game: Box<dyn AnyPlayouts>,
    with_breakdown: bool,
    wanted: u32,
    bytes: usize,
    outcomes: Vec<RulesOutcome>,
}

impl Batch {
    /// Takes the operations of a request on.
    pub fn new(request: OpenSessionRequest) -> Self {
        let OpenSessionRequest {
            request_id,
            operations,
        } = request;
        let mut batch = Self {
            request_id,
            operations,
            results: Vec::new(),
            bytes: 0,
            playouts: None,
            is_over: false,
        };
        let count = batch.operations.len();
        if !(1..=MAX_OPERATIONS).contains(&count) {
            let detail = format!("1 to {MAX_OPERATIONS} are taken, not {count}");
            batch.refuse(Problem::invalid("operations", detail));
        }
        batch
    }

    /// Refuses the operation that is next, and does none of those behind it.
    pub fn refuse(&mut self, problem: Problem) {
        self.is_over = true;
        self.playouts = None;
        self.results.push(RulesResult {
            refusal_reason: problem.reason.into(),
            detail: problem.to_string(),
            ..RulesResult::default()
        });
    }

    /// What the operations gave.
    pub fn into_response(self) -> OpenSessionResponse {
        OpenSessionResponse {
            request_id: self.request_id,
            results: self.results,
        }
    }

    /// The place of the operation that is next, if there is one.
    pub(crate) fn next(&self) -> Option<usize> {
        let place = self.results.len();
        (!self.is_over && place < self.operations.len()).then_some(place)
    }

    /// Takes what the next operation gave, or why it is refused.
    pub(crate) fn take(&mut self, result: Result<RulesResult, Problem>) {
        let place = self.results.len();
        let result = result.map_err(|problem| problem.below(&format!("operations[{place}]")));
        let kept = result.and_then(|result| {
            let bytes = self.bytes + result.encoded_len();
            if bytes > MAX_ANSWER_BYTES {
                return Err(too_long(&format!("operations[{place}]")));
            }
            self.bytes = bytes;
            Ok(result)
        });
        self.playouts = None;
        match kept {
            Ok(result) => self.results.push(result),
            Err(problem) => self.refuse(problem),
        }
    }
}

impl Playouts {
    /// Playouts that are asked for, from a position.
    pub(crate) fn new(asked: &RulesPlayouts, position: &Position) -> Result<Self, Problem> {
        let wanted = match asked.playouts {
            0 => 1,
            wanted @ 1..=MAX_PLAYOUTS => wanted,
            other => {
                let detail = format!("0 to {MAX_PLAYOUTS}, not {other}");
                return Err(Problem::invalid("playouts", detail));
            }
        };
        let seed = seed("seed", &asked.seed)?;
        let policy = Policy::from_wire(asked.policy)?;
        Ok(Self {
            of_game: position.of_game.playouts(seed, asked.resample, policy),
            with_breakdown: asked.with_breakdown,
            wanted,
            bytes: 0,
            outcomes: Vec::new(),
        })
    }

    /// Plays as long as `go_on` says so, which is asked after each playout, and within those whose
    /// decisions take long; whether all are done.
    pub(crate) fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<bool, Problem> {
        while let Some(number) = self.next() {
            let Some(outcome) = self.of_game.play(number, go_on)? else {
                return Ok(false);
            };
            let outcome = match self.with_breakdown {
                true => outcome_to_wire(&outcome),
                false => places_to_wire(&outcome),
            };
            self.bytes += outcome.encoded_len();
            self.outcomes.push(outcome);
            if self.bytes > MAX_ANSWER_BYTES {
                return Err(too_long("playouts"));
            }
            if !go_on() {
                break;
            }
        }
        Ok(self.next().is_none())
    }

    /// The number of the playout that is next, from 0.
    fn next(&self) -> Option<u32> {
        let number = u32::try_from(self.outcomes.len()).ok()?;
        (number < self.wanted).then_some(number)
    }

    /// How they ended.
    pub(crate) fn into_outcomes(self) -> Vec<RulesOutcome> {
        self.outcomes
    }
}

fn too_long(field: &str) -> Problem {
    let detail = format!(
        "the answer would have more than {MAX_ANSWER_BYTES} bytes; ask for less in one request"
    );
    Problem::new(RefusalReason::LimitReached, field, detail)
}
