//! Samples for a position: states that are consistent with its observation.

use bridgemaster_proto::v1::{
    RefusalReason, RulesSample, SampleStatesRequest, SampleStatesResponse,
};
use prost::Message as _;

use crate::{
    answers::set,
    limits::{MAX_ANSWER_BYTES, MAX_SAMPLES},
    position::{Position, check_count, seed},
    problem::Problem,
};

/// A call's samples, in progress.
#[derive(Debug)]
pub struct Sampling {
    request: SampleStatesRequest,
    requested: u32,
    next: u32,
    bytes: usize,
    samples: Vec<RulesSample>,
}

impl Sampling {
    /// Starts the samples of a request.
    ///
    /// # Errors
    ///
    /// Returns a problem if the request has no position, or too many samples are requested.
    pub fn new(request: SampleStatesRequest) -> Result<Self, Problem> {
        let message = set(request.position.as_ref())?;
        check_count(message.decisions.len()).map_err(|problem| problem.below("position"))?;
        let requested = match request.samples {
            0 => 1,
            requested @ 1..=MAX_SAMPLES => requested,
            other => {
                let detail = format!("{other} is out of range (0..={MAX_SAMPLES})");
                return Err(Problem::invalid("samples", detail));
            }
        };
        Ok(Self {
            request,
            requested,
            next: 0,
            bytes: 0,
            samples: Vec::new(),
        })
    }

    /// Draws samples until all are drawn or `keep_going` returns `false`. Returns `true` if all
    /// samples are drawn.
    ///
    /// # Errors
    ///
    /// Returns a problem if the position cannot be rebuilt, or the samples exceed the size limit.
    pub fn work(&mut self, keep_going: &mut dyn FnMut() -> bool) -> Result<bool, Problem> {
        while self.next < self.requested {
            self.draw()?;
            if !keep_going() {
                break;
            }
        }
        Ok(self.next >= self.requested)
    }

    /// Returns the samples drawn so far.
    pub fn into_response(self) -> SampleStatesResponse {
        SampleStatesResponse {
            samples: self.samples,
        }
    }

    /// Draws the next sample. Skips a sample in which any of the position's decisions is illegal.
    fn draw(&mut self) -> Result<(), Problem> {
        let message = set(self.request.position.as_ref())?;
        let name = format!("{}.{}", message.sample_seed, self.next);
        self.next += 1;
        let below = |problem: Problem| problem.below("position");
        let sample_seed = seed("sample_seed", &name).map_err(below)?;
        let mut position = Position::root(message, sample_seed).map_err(below)?;
        match position.of_game.apply(&message.decisions, None) {
            Ok(()) => {}
            Err(problem) if is_due_to_sample(problem.reason) => return Ok(()),
            Err(problem) => {
                return Err(problem
                    .with_reason(RefusalReason::InvalidField)
                    .below("position"));
            }
        }
        let sample = RulesSample {
            sample_seed: name,
            observations: position.of_game.observe_all(),
        };
        self.bytes += sample.encoded_len();
        if self.bytes > MAX_ANSWER_BYTES {
            let detail = format!(
                "{} samples have more than {MAX_ANSWER_BYTES} bytes; request fewer",
                self.next
            );
            return Err(Problem::new(RefusalReason::LimitReached, "samples", detail));
        }
        self.samples.push(sample);
        Ok(())
    }
}

/// Returns `true` if decisions were refused because of a sample's hidden facts, so that another
/// sample might allow them.
fn is_due_to_sample(reason: RefusalReason) -> bool {
    matches!(
        reason,
        RefusalReason::IllegalDecision | RefusalReason::IndexOutOfRange
    )
}
