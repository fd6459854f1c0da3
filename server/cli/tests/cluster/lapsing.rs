//! A server that cannot renew its lease answers nobody.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        AttendRequest, AttendResponse, CreateQueueRequest, GetMatchRequest, Hello, PlayRequest,
        PlayResponse, Queue, WatchMatchRequest, lobby_service_client::LobbyServiceClient,
        play_request::Message, play_response::Message as ServerMessage,
        play_service_client::PlayServiceClient,
    },
};
use tokio::time::{sleep, timeout};
use tokio_stream::{StreamExt as _, iter, pending};
use tonic::{Request, Status, Streaming, transport::Channel};
use tonic_types::StatusExt as _;

use crate::{
    nodes::{LOOK_AGAIN, free_address, node},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served},
};

/// Opens the stream of a seat.
async fn play(server: &Served, ticket: &str) -> Result<Streaming<PlayResponse>, Status> {
    let hello = Hello {
        protocol_revision: PROTOCOL_REVISION,
        bot_name: "waiting".to_owned(),
        ..Hello::default()
    };
    let hello = PlayRequest {
        message: Some(Message::Hello(hello)),
    };
    let mut call = Request::new(iter([hello]).chain(pending()));
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    call.metadata_mut().insert("authorization", bearer);
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let mut client = PlayServiceClient::new(channel.connect().await.unwrap());
    Ok(client.play(call).await?.into_inner())
}

/// Makes a queue and has a bot attend it, and waits until it does.
async fn attend(server: &Served) -> Streaming<AttendResponse> {
    let queue = Queue {
        queue_id: "queue".to_owned(),
        ..Queue::default()
    };
    let request = AttendRequest {
        queue_id: queue.queue_id.clone(),
        bot_name: "waiting".to_owned(),
        slots: 1,
        protocol_revision: PROTOCOL_REVISION,
        ..AttendRequest::default()
    };
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let mut client = LobbyServiceClient::new(channel.connect().await.unwrap());
    let made = CreateQueueRequest { queue: Some(queue) };
    client.create_queue(made).await.unwrap();
    let mut stream = client.attend(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    stream
}

async fn look_at(server: &Served, match_id: &str) -> Result<(), Status> {
    let match_id = match_id.to_owned();
    let request = GetMatchRequest {
        match_id,
        ..GetMatchRequest::default()
    };
    server.matches().await.get_match(request).await.map(|_| ())
}

/// The refusal that ends a stream.
async fn end_of<T>(mut stream: Streaming<T>) -> Status {
    let ended = async {
        loop {
            match stream.message().await {
                Ok(message) => assert!(message.is_some(), "it ends with a refusal"),
                Err(refused) => return refused,
            }
        }
    };
    timeout(PATIENCE, ended).await.expect("the stream ends")
}

fn assert_superseded(refused: &Status) {
    let info = refused.get_details_error_info();
    let reason = info.map(|info| info.reason);
    assert_eq!(reason.as_deref(), Some("NODE_SUPERSEDED"), "{refused:?}");
}

pub(crate) async fn a_server_that_cannot_renew_its_lease_answers_nobody_until_it_can() {
    let database = PostgresServer::shared().fresh();
    let server = node(&database, "one", &free_address(), &[]);
    let (match_id, tickets) = server.create("alhambra", "a").await;
    let mut stream = play(&server, &tickets[0]).await.unwrap();
    let first = stream.message().await.unwrap().unwrap().message;
    assert!(
        matches!(first, Some(ServerMessage::Welcome(_))),
        "{first:?}"
    );
    look_at(&server, &match_id).await.unwrap();
    let attendance = attend(&server).await;
    let request = WatchMatchRequest {
        match_id: match_id.clone(),
    };
    let watched = server.matches().await.watch_match(request).await.unwrap();

    // The database is there, and does no renewal.
    let schema = database.rsplit('=').next().unwrap();
    let in_the_way = PostgresServer::shared().open_transaction(&format!(
        "SELECT 1 FROM {schema}.node WHERE node_id = 'one' FOR UPDATE"
    ));
    assert_superseded(&end_of(stream).await);
    assert_superseded(&end_of(attendance).await);
    assert_superseded(&end_of(watched.into_inner()).await);
    assert_superseded(&look_at(&server, &match_id).await.unwrap_err());
    let refused = match play(&server, &tickets[1]).await {
        Ok(stream) => end_of(stream).await,
        Err(refused) => refused,
    };
    assert_superseded(&refused);

    in_the_way.commit();
    let answers = async {
        while let Err(refused) = look_at(&server, &match_id).await {
            assert_superseded(&refused);
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, answers).await.expect("it answers again");
    let mut stream = play(&server, &tickets[0]).await.unwrap();
    let first = stream.message().await.unwrap().unwrap().message;
    assert!(
        matches!(first, Some(ServerMessage::Welcome(_))),
        "{first:?}"
    );
}
