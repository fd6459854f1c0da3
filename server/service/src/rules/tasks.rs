//! The calls of the rules as work for the threads.

use std::time::Duration;

use bridgemaster_proto::v1::{
    OpenSessionRequest, OpenSessionResponse, SampleStatesRequest, SampleStatesResponse,
};
use bridgemaster_rules::{Batch, Problem, Sampling, Session};

use super::workers::Task;
use crate::{
    refusal::Refusal,
    transport::{RulesAllowance, RulesPlace},
};

/// A refusal of the rules as one of a call.
fn refusal(problem: Problem) -> Refusal {
    let message = problem.to_string();
    Refusal::new(problem.reason, message).at(problem.field)
}

/// A call that is answered at once.
pub(crate) struct UnaryTask<Q, A> {
    request: Q,
    answer: fn(&Q) -> Result<A, Problem>,
    answered: Option<Result<A, Refusal>>,
}

impl<Q, A> UnaryTask<Q, A> {
    pub(crate) fn new(request: Q, answer: fn(&Q) -> Result<A, Problem>) -> Self {
        Self {
            request,
            answer,
            answered: None,
        }
    }

    /// The answer.
    pub(crate) fn into_answer(self) -> Result<A, Refusal> {
        // One that was done or refused has it.
        self.answered.unwrap_or_else(|| Err(Refusal::stopping()))
    }
}

impl<Q: Send + 'static, A: Send + 'static> Task for UnaryTask<Q, A> {
    fn work(&mut self, _go_on: &mut dyn FnMut() -> bool) -> bool {
        self.answered = Some((self.answer)(&self.request).map_err(refusal));
        true
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.answered = Some(Err(refusal));
    }
}

/// Samples that are drawn.
pub(crate) struct SamplingTask {
    sampling: Sampling,
    refused: Option<Refusal>,
}

impl SamplingTask {
    /// # Errors
    /// When the request is not valid.
    pub(crate) fn new(request: SampleStatesRequest) -> Result<Self, Refusal> {
        Ok(Self {
            sampling: Sampling::new(request).map_err(refusal)?,
            refused: None,
        })
    }

    /// The samples.
    pub(crate) fn into_answer(self) -> Result<SampleStatesResponse, Refusal> {
        match self.refused {
            Some(refusal) => Err(refusal),
            None => Ok(self.sampling.into_response()),
        }
    }
}

impl Task for SamplingTask {
    fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        match self.sampling.work(go_on) {
            Ok(is_done) => is_done,
            Err(problem) => {
                self.refused = Some(refusal(problem));
                true
            }
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refused = Some(refusal);
    }
}

/// A request of a session, with the positions of the session.
pub(crate) struct BatchTask {
    session: Session<RulesPlace>,
    batch: Batch,
    allowance: RulesAllowance,
    wait: Option<Duration>,
}

impl BatchTask {
    pub(crate) fn new(
        session: Session<RulesPlace>,
        request: OpenSessionRequest,
        allowance: RulesAllowance,
    ) -> Self {
        Self {
            session,
            batch: Batch::new(request),
            allowance,
            wait: None,
        }
    }

    /// The time until its caller has processor time again, if that was used up.
    pub(crate) fn wait(&self) -> Option<Duration> {
        self.wait
    }

    /// The session as it is now, and the answer.
    pub(crate) fn into_answer(self) -> (Session<RulesPlace>, OpenSessionResponse) {
        (self.session, self.batch.into_response())
    }
}

impl Task for BatchTask {
    fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        let allowance = &self.allowance;
        let mut place = || allowance.position();
        self.session.work(&mut self.batch, &mut place, go_on)
    }

    /// Refuses the operation that is next; the positions stay.
    fn refuse(&mut self, refusal: Refusal) {
        self.wait = refusal.retry_after();
        let problem = Problem::new(refusal.reason(), "", refusal.message());
        self.batch.refuse(problem);
    }
}
