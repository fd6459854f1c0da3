//! The operations of one request of a session, and what they gave so far.

use bridgemaster_games::{Outcome, Seed};
use bridgemaster_proto::v1::{
    OpenSessionRequest, OpenSessionResponse, RefusalReason, RulesOperation, RulesOutcome,
    RulesPlayouts, RulesResult,
};
use prost::Message as _;

use crate::{
    limits::{MAX_ANSWER_BYTES, MAX_OPERATIONS, MAX_PLAYOUTS},
    outcome::{outcome_to_wire, places_to_wire},
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
    asked: RulesPlayouts,
    seed: Seed,
    wanted: u32,
    next: u32,
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
    /// Playouts that are asked for.
    pub(crate) fn new(asked: &RulesPlayouts) -> Result<Self, Problem> {
        let wanted = match asked.playouts {
            0 => 1,
            wanted @ 1..=MAX_PLAYOUTS => wanted,
            other => {
                let detail = format!("0 to {MAX_PLAYOUTS}, not {other}");
                return Err(Problem::invalid("playouts", detail));
            }
        };
        Ok(Self {
            seed: seed("seed", &asked.seed)?,
            asked: asked.clone(),
            wanted,
            next: 0,
            bytes: 0,
            outcomes: Vec::new(),
        })
    }

    /// Plays from a position as long as `go_on` says so; whether all playouts are done.
    pub(crate) fn work(
        &mut self,
        position: &Position,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Problem> {
        let Self {
            asked,
            seed,
            wanted,
            next,
            bytes,
            outcomes,
        } = self;
        let mut see = |outcome: &Outcome| {
            let outcome = match asked.with_breakdown {
                true => outcome_to_wire(outcome),
                false => places_to_wire(outcome),
            };
            *bytes += outcome.encoded_len();
            outcomes.push(outcome);
            go_on() && *bytes <= MAX_ANSWER_BYTES
        };
        let numbers = *next..*wanted;
        let of_game = &position.of_game;
        *next = of_game.play_out(seed, numbers, asked.resample, &mut see)?;
        if *bytes > MAX_ANSWER_BYTES {
            return Err(too_long("playouts"));
        }
        Ok(*next >= *wanted)
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
