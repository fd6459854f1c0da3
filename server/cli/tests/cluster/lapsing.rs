//! Tests that a server that cannot renew its lease refuses all calls.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        AttendRequest, AttendResponse, CreateQueueRequest, Queue, WatchMatchRequest,
        lobby_service_client::LobbyServiceClient, play_response::Message,
    },
};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{
    kit::{
        calls::reason,
        program::PATIENCE,
        seat_stream::{SeatStream, hello},
        served::Served,
    },
    nodes::{node, until},
    postgres_server::PostgresServer,
};

/// Opens the stream of a seat.
async fn play(server: &Served, ticket: &str) -> Result<SeatStream, Status> {
    SeatStream::open(server.channel().await, ticket, "", hello("waiting")).await
}

/// Opens the stream of a seat, which must be accepted.
async fn join(server: &Served, ticket: &str) -> SeatStream {
    let mut stream = play(server, ticket).await.unwrap();
    let first = stream.message().await;
    assert!(matches!(first, Message::Welcome(_)), "{first:?}");
    stream
}

/// Creates a queue, starts a bot that attends it, and waits until the bot is listed.
async fn attend(server: &Served) -> Streaming<AttendResponse> {
    let queue = Queue { queue_id: "queue".to_owned(), ..Queue::default() };
    let request = AttendRequest {
        queue_id: queue.queue_id.clone(),
        bot_name: "waiting".to_owned(),
        slots: 1,
        protocol_revision: PROTOCOL_REVISION,
        ..AttendRequest::default()
    };
    let mut client = LobbyServiceClient::new(server.channel().await);
    let made = CreateQueueRequest { queue: Some(queue) };
    client.create_queue(made).await.unwrap();
    let mut stream = client.attend(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    stream
}

/// Returns the refusal that ends a stream.
async fn end_of<T>(mut next: impl AsyncFnMut() -> Result<Option<T>, Status>) -> Status {
    let ended = async {
        loop {
            match next().await {
                Ok(message) => assert!(message.is_some(), "the stream ends with a refusal"),
                Err(refused) => return refused,
            }
        }
    };
    timeout(PATIENCE, ended).await.expect("the stream ends")
}

#[track_caller]
fn assert_superseded(refused: &Status) {
    assert_eq!(reason(refused), "NODE_SUPERSEDED", "{refused:?}");
}

pub(crate) async fn a_server_that_cannot_renew_its_lease_refuses_all_calls_until_it_can() {
    let database = PostgresServer::shared().fresh();
    let server = node(&database, "one", "");
    let (match_id, tickets) = server.create("alhambra", "a").await;
    let mut stream = join(&server, &tickets[0]).await;
    server.info(&match_id).await.unwrap();
    let mut attendance = attend(&server).await;
    let request = WatchMatchRequest { match_id: match_id.clone() };
    let watched = server.matches().await.watch_match(request).await;
    let mut watched = watched.unwrap().into_inner();

    // The database responds, but a lease cannot be renewed.
    let schema = database.rsplit('=').next().unwrap();
    let in_the_way = PostgresServer::shared()
        .open_transaction(&format!("SELECT 1 FROM {schema}.node WHERE node_id = 'one' FOR UPDATE"));
    assert_superseded(&end_of(async || stream.next().await).await);
    assert_superseded(&end_of(async || attendance.message().await).await);
    assert_superseded(&end_of(async || watched.message().await).await);
    assert_superseded(&server.info(&match_id).await.unwrap_err());
    let refused = match play(&server, &tickets[1]).await {
        Ok(mut stream) => end_of(async || stream.next().await).await,
        Err(refused) => refused,
    };
    assert_superseded(&refused);

    in_the_way.commit();
    let answers = async || match server.info(&match_id).await {
        Ok(_) => Some(()),
        Err(refused) => {
            assert_superseded(&refused);
            None
        }
    };
    until("the server answers again", answers).await;
    join(&server, &tickets[0]).await;
}
