//! The rules service: access, sessions and limits.

use std::time::Duration;

use bridgemaster_proto::v1::{
    GetOutcomeRequest, ListLegalDecisionsRequest, OpenSessionRequest, OpenSessionResponse,
    RefusalReason, RulesOperation, RulesPlayouts, RulesPosition, SampleStatesRequest,
    play_response::Message, rules_operation::Operation,
};
use bridgemaster_server::{Limits, Rate, ServerOptions, identity::KeyScope};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_types::StatusExt as _;

use crate::{
    caller::Caller,
    streams::{PATIENCE, end, limit, next, outcome, reason, until},
    test_server::{TestServer, of_two, with_limits},
};

async fn with_rules(limits: Limits) -> TestServer {
    TestServer::with_options(ServerOptions { rules: true, ..with_limits(limits) }).await
}

/// Returns the initial position of a match.
fn position() -> RulesPosition {
    RulesPosition {
        config: Some(of_two()),
        sample_seed: "beginning".to_owned(),
        ..RulesPosition::default()
    }
}

fn outcome_request() -> GetOutcomeRequest {
    GetOutcomeRequest { position: Some(position()) }
}

struct Session {
    requests: UnboundedSender<OpenSessionRequest>,
    answers: Streaming<OpenSessionResponse>,
}

impl Session {
    async fn open(caller: &Caller) -> Result<Self, Status> {
        let (requests, outbound) = unbounded_channel();
        let outbound = UnboundedReceiverStream::new(outbound);
        let answers = caller.rules().open_session(outbound).await?.into_inner();
        Ok(Self { requests, answers })
    }

    fn send(&self, operations: Vec<RulesOperation>) {
        let request = OpenSessionRequest { request_id: 5, operations };
        self.requests.send(request).unwrap();
    }

    async fn run(&mut self, operations: Vec<RulesOperation>) -> OpenSessionResponse {
        self.send(operations);
        let response = next(&mut self.answers).await.unwrap().unwrap();
        assert_eq!(response.request_id, 5);
        response
    }
}

fn operation(position_number: u32, operation: Operation) -> RulesOperation {
    RulesOperation { position_number, operation: Some(operation) }
}

fn load() -> RulesOperation {
    operation(0, Operation::Load(Box::new(position())))
}

fn play_out(playouts: u32) -> RulesOperation {
    let asked = RulesPlayouts { playouts, seed: "playouts".to_owned(), ..RulesPlayouts::default() };
    operation(0, Operation::PlayOut(asked))
}

/// Returns operations that take longer than a test waits, and have small results.
fn long_operations() -> Vec<RulesOperation> {
    let mut long_operations = vec![play_out(10); 999];
    long_operations.insert(0, load());
    long_operations
}

#[tokio::test]
async fn remote_rules_return_the_same_as_local_ones() {
    let server = with_rules(Limits::default()).await;
    let request = ListLegalDecisionsRequest { position: Some(position()), seat: None };
    let response = server.rules().list_legal_decisions(request.clone()).await;
    let at_hand = bridgemaster_rules::answers::list_legal_decisions(&request).unwrap();
    assert_eq!(response.unwrap().into_inner(), at_hand);
    let request = SampleStatesRequest { position: Some(position()), samples: 3 };
    let response = server.rules().sample_states(request).await.unwrap();
    assert_eq!(response.into_inner().samples.len(), 3);
    let mut session = Session::open(&server).await.unwrap();
    let response = session.run(vec![load(), play_out(20)]).await;
    assert_eq!(response.results[1].outcomes.len(), 20);
    // A request without operations only keeps the session open.
    assert!(session.run(Vec::new()).await.results.is_empty());
    // Loaded positions remain.
    let again = session.run(vec![play_out(20)]).await;
    assert_eq!(again.results[0], response.results[1]);
    drop(session.requests);
    assert!(session.answers.message().await.unwrap().is_none());
}

#[tokio::test]
async fn a_refusal_of_the_rules_service_names_the_field() {
    let server = with_rules(Limits::default()).await;
    let mut request = outcome_request();
    request.position.as_mut().unwrap().sample_seed.clear();
    let refused = server.rules().get_outcome(request).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    let bad = refused.get_details_bad_request().unwrap();
    assert_eq!(bad.field_violations[0].field, "position.sample_seed");
}

#[tokio::test]
async fn a_server_without_the_rules_service_reports_it_as_disabled() {
    let server = TestServer::open().await;
    let refused = server.rules().get_outcome(outcome_request()).await.unwrap_err();
    assert_eq!(reason(&refused), "NOT_SUPPORTED");
    assert!(refused.message().contains("serve --rules"), "{refused:?}");
    assert_eq!(outcome(Session::open(&server).await), "NOT_SUPPORTED");
}

/// Returns the health of the rules service.
async fn health(server: &TestServer) -> Result<ServingStatus, Status> {
    let request = HealthCheckRequest { service: "bridgemaster.v1.RulesService".to_owned() };
    let mut client = HealthClient::new(server.channel.clone());
    Ok(client.check(request).await?.into_inner().status())
}

#[tokio::test]
async fn health_reports_the_rules_service_where_enabled_and_not_serving_in_a_drain() {
    let without = TestServer::open().await;
    let unknown = health(&without).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    let server = with_rules(Limits {
        // The drain must last longer than the calls, even on a busy machine.
        drain_time: PATIENCE,
        ..Limits::default()
    })
    .await;
    assert_eq!(health(&server).await.unwrap(), ServingStatus::Serving);
    let seated = server.create(of_two()).await;
    let mut playing = server.join(&seated.tickets[0]).await;
    server.drain.cancel();
    let response = playing.next().await.unwrap().unwrap();
    assert!(matches!(response, Message::Draining(_)), "{response:?}");
    assert_eq!(health(&server).await.unwrap(), ServingStatus::NotServing);
    server.stop.cancel();
}

#[tokio::test]
async fn a_key_needs_the_scope_and_its_session_ends_with_it() {
    let server =
        TestServer::locked(ServerOptions { rules: true, ..ServerOptions::default() }).await;
    let others = KeyScope::ALL.into_iter();
    let others: Vec<_> = others.filter(|scope| *scope != KeyScope::Rules).collect();
    let player = server.caller("player", &others).await;
    assert_eq!(outcome(Session::open(&player).await), "SCOPE_MISSING");
    assert_eq!(outcome(Session::open(&server).await), "KEY_MISSING");
    let searcher = server.caller("searcher", &[KeyScope::Rules]).await;
    let mut session = Session::open(&searcher).await.unwrap();
    let response = session.run(vec![load()]).await;
    assert_eq!(response.results.len(), 1);
    server.revoke(&searcher).await;
    let ended = end(&mut session.answers).await;
    assert_eq!(reason(&ended), "KEY_REVOKED");
}

#[tokio::test]
async fn calls_and_positions_of_a_caller_are_limited_and_replenished() {
    let server = with_rules(Limits {
        rules_calls_per_caller: 1,
        // Two for each caller.
        rules_positions: 8,
        ..Limits::default()
    })
    .await;
    let mut session = Session::open(&server).await.unwrap();
    let copy = |to| operation(to, Operation::CopyFromNumber(0));
    let response = session.run(vec![load(), copy(1), copy(2)]).await;
    let last = &response.results[2];
    assert_eq!(last.refusal_reason(), RefusalReason::LimitReached);
    assert!(last.detail.contains("rules_positions_per_caller = 2"));
    let refused = server.rules().get_outcome(outcome_request()).await.unwrap_err();
    assert_eq!(limit(&refused), "rules_calls_per_caller");
    drop(session);
    // The server notices the end asynchronously.
    until("the permit is free", async || {
        server.rules().get_outcome(outcome_request()).await.is_ok()
    })
    .await;
    let mut session = Session::open(&server).await.unwrap();
    let response = session.run(vec![load(), copy(1)]).await;
    let copied = response.results[1].refusal_reason();
    assert_eq!(copied, RefusalReason::Unspecified);
}

#[tokio::test]
async fn an_exhausted_cpu_budget_is_refused_with_its_retry_time() {
    let server = with_rules(Limits {
        rules_cpu_ms_per_caller: Rate { per_second: 1, burst: 1 },
        ..Limits::default()
    })
    .await;
    let mut session = Session::open(&server).await.unwrap();
    let response = session.run(long_operations()).await;
    let last = response.results.last().unwrap();
    assert_eq!(last.refusal_reason(), RefusalReason::LimitReached);
    assert!(last.detail.contains("rules_cpu_ms_per_caller"), "{last:?}");
    // Each costs more than is replenished in the meantime, even on a busy machine.
    let refused = loop {
        if let Err(refused) = server.rules().get_outcome(outcome_request()).await {
            break refused;
        }
    };
    assert_eq!(limit(&refused), "rules_cpu_ms_per_caller");
    assert!(refused.get_details_retry_info().is_some());
}

#[tokio::test]
async fn a_session_without_a_request_ends() {
    let server =
        with_rules(Limits { rules_idle: Duration::from_millis(1), ..Limits::default() }).await;
    let mut session = Session::open(&server).await.unwrap();
    let ended = end(&mut session.answers).await;
    assert_eq!(limit(&ended), "rules_idle");
}

#[tokio::test]
async fn a_busy_session_ends_with_the_server() {
    let server = with_rules(Limits::default()).await;
    let mut session = Session::open(&server).await.unwrap();
    session.send(long_operations());
    server.stop.cancel();
    let ended = end(&mut session.answers).await;
    assert_eq!(reason(&ended), "SERVER_STOPPING");
}
