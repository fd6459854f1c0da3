//! The calls of `RulesService`, as tasks for the worker threads.

use std::time::Duration;

use bridgemaster_edge::{
    refusal::Refusal,
    transport::{RulesBudget, RulesPermit},
};
use bridgemaster_proto::v1::{
    OpenSessionRequest, OpenSessionResponse, SampleStatesRequest, SampleStatesResponse,
};
use bridgemaster_rules::{Batch, Problem, Sampling, Session};

use super::Task;

/// Converts a problem that the rules reported into a refusal.
fn refusal_of_problem(problem: Problem) -> Refusal {
    let message = problem.to_string();
    Refusal::new(problem.reason, message).at_field(problem.error.field)
}

/// A unary call that is computed in one step.
pub(crate) struct UnaryTask<Q, A> {
    request: Q,
    answer: fn(&Q) -> Result<A, Problem>,
    answered: Option<Result<A, Refusal>>,
}

impl<Q, A> UnaryTask<Q, A> {
    pub(crate) fn new(request: Q, answer: fn(&Q) -> Result<A, Problem>) -> Self {
        Self { request, answer, answered: None }
    }

    /// Returns the request and the response of a finished task.
    pub(crate) fn into_parts(self) -> (Q, Result<A, Refusal>) {
        // A task that is done or refused has a response, so the default is never used.
        (self.request, self.answered.unwrap_or_else(|| Err(Refusal::stopping())))
    }

    /// Returns the response of a finished task.
    pub(crate) fn into_answer(self) -> Result<A, Refusal> {
        self.into_parts().1
    }
}

impl<Q: Send + 'static, A: Send + 'static> Task for UnaryTask<Q, A> {
    fn run_while(&mut self, _should_continue: &mut dyn FnMut() -> bool) -> bool {
        self.answered = Some((self.answer)(&self.request).map_err(refusal_of_problem));
        true
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.answered = Some(Err(refusal));
    }
}

/// A call that samples possible hidden states.
pub(crate) struct SamplingTask {
    sampling: Sampling,
    refused: Option<Refusal>,
}

impl SamplingTask {
    /// Creates the task for a request.
    ///
    /// # Errors
    /// Returns an error if the request is not valid.
    pub(crate) fn new(request: SampleStatesRequest) -> Result<Self, Refusal> {
        Ok(Self { sampling: Sampling::new(request).map_err(refusal_of_problem)?, refused: None })
    }

    /// Returns the samples of a finished task.
    pub(crate) fn into_answer(self) -> Result<SampleStatesResponse, Refusal> {
        match self.refused {
            Some(refusal) => Err(refusal),
            None => Ok(self.sampling.into_response()),
        }
    }
}

impl Task for SamplingTask {
    fn run_while(&mut self, should_continue: &mut dyn FnMut() -> bool) -> bool {
        match self.sampling.work(should_continue) {
            Ok(is_done) => is_done,
            Err(problem) => {
                self.refused = Some(refusal_of_problem(problem));
                true
            }
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refused = Some(refusal);
    }
}

/// A session's request, together with the session's positions.
pub(crate) struct BatchTask {
    session: Session<RulesPermit>,
    batch: Batch,
    budget: RulesBudget,
    wait: Option<Duration>,
}

impl BatchTask {
    pub(crate) fn new(
        session: Session<RulesPermit>,
        request: OpenSessionRequest,
        budget: RulesBudget,
    ) -> Self {
        Self { session, batch: Batch::new(request), budget, wait: None }
    }

    /// The time until the caller has CPU time again; `None` while it has CPU time left.
    pub(crate) fn wait(&self) -> Option<Duration> {
        self.wait
    }

    /// Returns the session and the response.
    pub(crate) fn into_answer(self) -> (Session<RulesPermit>, OpenSessionResponse) {
        (self.session, self.batch.into_response())
    }
}

impl Task for BatchTask {
    fn run_while(&mut self, should_continue: &mut dyn FnMut() -> bool) -> bool {
        let budget = &self.budget;
        let mut acquire_permit = || budget.acquire_position();
        self.session.work(&mut self.batch, &mut acquire_permit, should_continue)
    }

    /// Refuses the next operation, but retains the positions.
    fn refuse(&mut self, refusal: Refusal) {
        self.wait = refusal.retry_after();
        let problem = Problem::new(refusal.reason(), "", refusal.message());
        self.batch.refuse(problem);
    }
}
