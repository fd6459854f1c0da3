//! Samples: states that look like a position to its viewer.

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

/// Samples that are being drawn.
#[derive(Debug)]
pub struct Sampling {
    request: SampleStatesRequest,
    wanted: u32,
    next: u32,
    bytes: usize,
    samples: Vec<RulesSample>,
}

impl Sampling {
    /// Takes a request on.
    ///
    /// # Errors
    /// When it asks for no position or for too many samples.
    pub fn new(request: SampleStatesRequest) -> Result<Self, Problem> {
        let message = set(request.position.as_ref())?;
        check_count(message.decisions.len()).map_err(|problem| problem.below("position"))?;
        let wanted = match request.samples {
            0 => 1,
            wanted @ 1..=MAX_SAMPLES => wanted,
            other => {
                let detail = format!("0 to {MAX_SAMPLES}, not {other}");
                return Err(Problem::invalid("samples", detail));
            }
        };
        Ok(Self {
            request,
            wanted,
            next: 0,
            bytes: 0,
            samples: Vec::new(),
        })
    }

    /// Draws samples as long as `go_on` says so; whether all are drawn.
    ///
    /// # Errors
    /// When the position cannot be rebuilt, or the samples have too many bytes.
    pub fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<bool, Problem> {
        while self.next < self.wanted {
            self.draw()?;
            if !go_on() {
                break;
            }
        }
        Ok(self.next >= self.wanted)
    }

    /// The samples that were drawn.
    pub fn into_response(self) -> SampleStatesResponse {
        SampleStatesResponse {
            samples: self.samples,
        }
    }

    /// Draws the next sample. One in which the decisions since are not legal is left out.
    fn draw(&mut self) -> Result<(), Problem> {
        let message = set(self.request.position.as_ref())?;
        let name = format!("{}.{}", message.sample_seed, self.next);
        self.next += 1;
        let below = |problem: Problem| problem.below("position");
        let of_name = seed("sample_seed", &name).map_err(below)?;
        let mut position = Position::root(message, of_name).map_err(below)?;
        match position.of_game.apply(&message.decisions, None) {
            Ok(()) => {}
            Err(problem) if is_of_this_sample(problem.reason) => return Ok(()),
            Err(problem) => {
                return Err(problem
                    .because(RefusalReason::InvalidField)
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
                "{} samples have more than {MAX_ANSWER_BYTES} bytes; ask for fewer",
                self.next
            );
            return Err(Problem::new(RefusalReason::LimitReached, "samples", detail));
        }
        self.samples.push(sample);
        Ok(())
    }
}

/// Whether a refusal of decisions is for what is hidden in a sample, so that another one may take
/// them.
fn is_of_this_sample(reason: RefusalReason) -> bool {
    matches!(
        reason,
        RefusalReason::IllegalDecision | RefusalReason::IndexOutOfRange
    )
}
