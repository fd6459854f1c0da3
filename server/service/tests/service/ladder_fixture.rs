//! Helpers for ladders: bots that attend, and requests about them.

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, AttendRequest, AttendResponse, CreateLadderRequest, ExportResultsRequest,
    GetLadderRequest, Ladder, LadderBotRef, LadderMatch, LadderState, ListLadderMatchesRequest,
    ListStandingsRequest, MatchConfig, Offer, Standing, WatchLadderRequest, WatchLadderResponse,
    attend_response, ladder_service_client::LadderServiceClient,
    lobby_service_client::LobbyServiceClient,
};
use bridgemaster_sdk::{AttendOptions, PlayError};
use tokio::{task::JoinHandle, time::timeout};
use tonic::{Status, Streaming, transport::Channel};

use crate::test_server::{GAMES, PATIENCE, TestServer, config};

pub(crate) const NAME: &str = "league";

pub(crate) fn ladder(config: MatchConfig) -> Ladder {
    Ladder {
        ladder_id: NAME.to_owned(),
        config: Some(MatchConfig {
            seed: None,
            ..config
        }),
        ..Ladder::default()
    }
}

pub(crate) fn of_two() -> Ladder {
    ladder(config(GAMES[0], 2))
}

pub(crate) fn client(server: &TestServer) -> LadderServiceClient<Channel> {
    LadderServiceClient::new(server.channel.clone())
}

pub(crate) async fn make(server: &TestServer, ladder: Ladder) -> Result<Ladder, Status> {
    let request = CreateLadderRequest {
        ladder: Some(ladder),
    };
    let made = client(server).create_ladder(request).await?;
    Ok(made.into_inner().ladder.unwrap())
}

/// Starts a bot that attends until the test ends.
pub(crate) fn attend(
    server: &TestServer,
    name: &str,
    version: &str,
    slots: u32,
) -> JoinHandle<Result<(), PlayError>> {
    let options = AttendOptions {
        slots,
        bot_version: version.to_owned(),
        ..AttendOptions::new(&server.url, NAME, name)
    };
    let mut number = 0;
    let new_bot = move || {
        number += 1;
        Random::new(&Seed::from(number))
    };
    tokio::spawn(bridgemaster_sdk::attend(new_bot, options))
}

pub(crate) async fn get(server: &TestServer) -> Ladder {
    let ladder_id = NAME.to_owned();
    let got = client(server)
        .get_ladder(GetLadderRequest { ladder_id })
        .await;
    got.unwrap().into_inner().ladder.unwrap()
}

pub(crate) async fn watch(server: &TestServer) -> Streaming<WatchLadderResponse> {
    let ladder_id = NAME.to_owned();
    let mut client = client(server);
    let watched = client.watch_ladder(WatchLadderRequest { ladder_id }).await;
    watched.unwrap().into_inner()
}

/// Watches a ladder until the condition holds.
pub(crate) async fn until(server: &TestServer, is_so: impl Fn(&WatchLadderResponse) -> bool) {
    let mut updates = watch(server).await;
    let followed = async {
        while let Some(update) = updates.message().await.unwrap() {
            if is_so(&update) {
                return;
            }
        }
        panic!("the stream ended");
    };
    timeout(PATIENCE, followed)
        .await
        .expect("it comes to be so");
}

pub(crate) async fn until_counted(server: &TestServer, matches: u64) {
    until(server, |update| {
        update.ladder.as_ref().unwrap().matches >= matches
    })
    .await;
}

pub(crate) async fn advance(server: &TestServer, state: LadderState) -> Result<Ladder, Status> {
    let request = AdvanceLadderRequest {
        ladder_id: NAME.to_owned(),
        state: state.into(),
    };
    let advanced = client(server).advance_ladder(request).await?;
    Ok(advanced.into_inner().ladder.unwrap())
}

pub(crate) async fn standings(server: &TestServer, all_versions: bool) -> Vec<Standing> {
    let request = ListStandingsRequest {
        ladder_id: NAME.to_owned(),
        all_versions,
        ..ListStandingsRequest::default()
    };
    let listed = client(server).list_standings(request).await.unwrap();
    listed.into_inner().standings
}

/// Lists all matches in small pages, the newest first.
pub(crate) async fn matches(server: &TestServer, bot_name: &str) -> Vec<LadderMatch> {
    let mut all = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListLadderMatchesRequest {
            ladder_id: NAME.to_owned(),
            bot_name: bot_name.to_owned(),
            page_size: 3,
            page_token,
            ..ListLadderMatchesRequest::default()
        };
        let page = client(server).list_ladder_matches(request).await.unwrap();
        let page = page.into_inner();
        all.extend(page.matches);
        if page.next_page_token.is_empty() {
            return all;
        }
        page_token = page.next_page_token;
    }
}

pub(crate) async fn csv(server: &TestServer) -> String {
    let ladder_id = NAME.to_owned();
    let mut client = client(server);
    let export = client
        .export_results(ExportResultsRequest { ladder_id })
        .await;
    let mut parts = export.unwrap().into_inner();
    let mut file = Vec::new();
    while let Some(part) = parts.message().await.unwrap() {
        file.extend(part.chunk);
    }
    String::from_utf8(file).unwrap()
}

pub(crate) fn bot(name: &str) -> LadderBotRef {
    LadderBotRef {
        bot_name: name.to_owned(),
        ..LadderBotRef::default()
    }
}

/// Attends without a bot, and returns the stream.
pub(crate) async fn attend_by_hand(
    server: &TestServer,
    name: &str,
    version: &str,
) -> Streaming<AttendResponse> {
    let request = AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: name.to_owned(),
        bot_version: version.to_owned(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    lobby.attend(request).await.unwrap().into_inner()
}

/// Attends without a bot, and returns the stream and the first offer.
pub(crate) async fn first_offer(
    server: &TestServer,
    name: &str,
    version: &str,
) -> (Streaming<AttendResponse>, Offer) {
    let mut stream = attend_by_hand(server, name, version).await;
    let offer = next_offer(&mut stream).await;
    (stream, offer)
}

/// Returns the next offer of a stream.
pub(crate) async fn next_offer(stream: &mut Streaming<AttendResponse>) -> Offer {
    let offered = timeout(PATIENCE, async {
        loop {
            let response = stream
                .message()
                .await
                .unwrap()
                .expect("the stream continues");
            if let Some(attend_response::Message::Offer(offer)) = response.message {
                return offer;
            }
        }
    });
    offered.await.expect("it is offered a seat")
}
