//! `RulesService`: access to the rules of the games over gRPC, for bots without the rules library.

use std::{pin::Pin, sync::Arc, time::Duration};

use async_stream::try_stream;
use bridgemaster_edge::{
    identity::{Authenticator, Caller, KeyScope},
    refusal::Refusal,
    transport::{Call, CallerId, RulesBudget, RulesPermit},
};
use bridgemaster_proto::v1::{
    ApplyDecisionsRequest, ApplyDecisionsResponse, ConvertNotationRequest, ConvertNotationResponse,
    GetObservationRequest, GetObservationResponse, GetOutcomeRequest, GetOutcomeResponse,
    ListLegalDecisionsRequest, ListLegalDecisionsResponse, OpenSessionRequest, OpenSessionResponse,
    RefusalReason, SampleStatesRequest, SampleStatesResponse, rules_service_server::RulesService,
};
use bridgemaster_rules::{Problem, Session, answers};
use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};

use crate::rules::{BatchTask, SamplingTask, UnaryTask, Workers};

/// The longest delay of a response to a session whose caller has used up its CPU time. Without a
/// delay, a caller that retries at once would keep the server busy with refusals.
const MAX_THROTTLE_DELAY: Duration = Duration::from_millis(100);

/// The implementation of `RulesService`. Worker threads compute the responses.
#[derive(Clone)]
pub(crate) struct RulesRpc {
    workers: Arc<Workers>,
    authenticator: Authenticator,
    /// The time after which a session without requests ends.
    idle: Duration,
    stopping: CancellationToken,
}

/// A call that was admitted.
struct AdmittedCall {
    caller: Caller,
    caller_id: Option<CallerId>,
    budget: RulesBudget,
    _permit: RulesPermit,
}

impl RulesRpc {
    pub(crate) fn new(
        workers: Arc<Workers>,
        authenticator: Authenticator,
        idle: Duration,
        stopping: CancellationToken,
    ) -> Self {
        Self { workers, authenticator, idle, stopping }
    }

    async fn admit(&self, metadata: &MetadataMap) -> Result<AdmittedCall, Refusal> {
        let caller = self.authenticator.caller(metadata).await?;
        caller.require_scope(KeyScope::Rules)?;
        let call = Call::current();
        let budget = match &call {
            Some(call) => call.rules_budget(),
            None => RulesBudget::unlimited(),
        };
        Ok(AdmittedCall {
            caller,
            caller_id: call.map(|call| call.caller_id()),
            _permit: budget.acquire_call()?,
            budget,
        })
    }

    /// Handles a unary call.
    async fn answer<Q, A>(
        &self,
        request: Request<Q>,
        answer: fn(&Q) -> Result<A, Problem>,
    ) -> Result<Response<A>, Status>
    where
        Q: Send + 'static,
        A: Send + 'static,
    {
        let call = self.admit(request.metadata()).await?;
        let task = UnaryTask::new(request.into_inner(), answer);
        let done = self.workers.run(call.caller_id.clone(), task).await?;
        Ok(Response::new(done.into_answer()?))
    }

    /// Reads the next request in a session; `None` at the session's end.
    async fn next_request(
        &self,
        requests: &mut Streaming<OpenSessionRequest>,
    ) -> Result<Option<OpenSessionRequest>, Status> {
        match timeout(self.idle, requests.message()).await {
            Ok(request) => request,
            Err(_) => {
                let time_ms = self.idle.as_millis();
                let refusal = Refusal::new(
                    RefusalReason::LimitReached,
                    format!("no request arrived for {time_ms} ms (limit rules_idle)"),
                );
                let refusal = refusal.with("limit", "rules_idle");
                Err(refusal.with("value", time_ms.to_string()).into())
            }
        }
    }
}

#[tonic::async_trait]
impl RulesService for RulesRpc {
    async fn list_legal_decisions(
        &self,
        request: Request<ListLegalDecisionsRequest>,
    ) -> Result<Response<ListLegalDecisionsResponse>, Status> {
        self.answer(request, answers::list_legal_decisions).await
    }

    async fn apply_decisions(
        &self,
        request: Request<ApplyDecisionsRequest>,
    ) -> Result<Response<ApplyDecisionsResponse>, Status> {
        self.answer(request, answers::apply_decisions).await
    }

    async fn sample_states(
        &self,
        request: Request<SampleStatesRequest>,
    ) -> Result<Response<SampleStatesResponse>, Status> {
        let call = self.admit(request.metadata()).await?;
        let task = SamplingTask::new(request.into_inner())?;
        let done = self.workers.run(call.caller_id.clone(), task).await?;
        Ok(Response::new(done.into_answer()?))
    }

    async fn get_outcome(
        &self,
        request: Request<GetOutcomeRequest>,
    ) -> Result<Response<GetOutcomeResponse>, Status> {
        self.answer(request, answers::get_outcome).await
    }

    async fn get_observation(
        &self,
        request: Request<GetObservationRequest>,
    ) -> Result<Response<GetObservationResponse>, Status> {
        self.answer(request, answers::get_observation).await
    }

    async fn convert_notation(
        &self,
        request: Request<ConvertNotationRequest>,
    ) -> Result<Response<ConvertNotationResponse>, Status> {
        self.answer(request, answers::convert_notation).await
    }

    type OpenSessionStream =
        Pin<Box<dyn Stream<Item = Result<OpenSessionResponse, Status>> + Send>>;

    async fn open_session(
        &self,
        request: Request<Streaming<OpenSessionRequest>>,
    ) -> Result<Response<Self::OpenSessionStream>, Status> {
        let call = self.admit(request.metadata()).await?;
        let mut requests = request.into_inner();
        let rpc = self.clone();
        Ok(Response::new(Box::pin(try_stream! {
            // The whole call is moved into the stream, so that its permit is held until the stream
            // ends.
            let call = call;
            let refused = call.caller.until_revoked();
            tokio::pin!(refused);
            let mut session = Session::default();
            loop {
                // A single future reads the request and computes the response, so both stop when
                // the stream ends.
                let answered = async {
                    let Some(request) = rpc.next_request(&mut requests).await? else {
                        return Ok(None);
                    };
                    let previous = std::mem::take(&mut session);
                    let task = BatchTask::new(previous, request, call.budget.clone());
                    let done = rpc.workers.run(call.caller_id.clone(), task).await?;
                    if let Some(wait) = done.wait() {
                        sleep(wait.min(MAX_THROTTLE_DELAY)).await;
                    }
                    Ok::<_, Status>(Some(done.into_answer()))
                };
                let answered = select! {
                    biased;
                    refusal = &mut refused => Err(refusal.into()),
                    () = rpc.stopping.cancelled() => Err(Refusal::stopping().into()),
                    answered = answered => answered,
                };
                let Some((next, response)) = answered? else { return };
                session = next;
                yield response;
            }
        })))
    }
}
