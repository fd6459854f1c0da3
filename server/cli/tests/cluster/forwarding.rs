//! Servers of a cluster, of which callers know one alone: it forwards calls to the others.

use bridgemaster_proto::v1::{
    CancelMatchRequest, ExpireSeatRequest, GetMatchRequest, ListLaddersRequest, MatchState,
    SeatState, WatchMatchRequest, ladder_service_client::LadderServiceClient,
    match_service_client::MatchServiceClient,
};
use tokio::time::timeout;
use tonic::{Request, Status, metadata::MetadataValue, transport::Channel};

use crate::{
    counted_play::{Ended, Playing},
    nodes::{free_address, node},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served, serve},
};

const GAMES: [&str; 2] = ["carcassonne", "alhambra"];
const MATCHES: usize = 4;

/// Two servers; the first leads.
fn two_servers() -> (Served, Served) {
    let database = PostgresServer::shared().fresh();
    let start = |name| node(&database, name, &free_address(), &[]);
    (start("one"), start("two"))
}

/// Matches on a server, whose bots know another one alone.
async fn begin(on: &Served, known: &Served) -> Playing {
    let mut playing = Playing::default();
    for number in 0..MATCHES {
        let game = GAMES[number % GAMES.len()];
        let seed = format!("{game}-{number}");
        playing.begin(on, &known.url, game, &seed).await;
    }
    playing
}

/// Returns the outcomes of the matches on an undisturbed server.
async fn undisturbed() -> Ended {
    let flags = ["--listen", "127.0.0.1:0", "--no-page"];
    let server = Served::of(serve(flags).spawn().unwrap());
    begin(&server, &server).await.end(&[&server]).await
}

fn get(match_id: &str) -> GetMatchRequest {
    GetMatchRequest {
        match_id: match_id.to_owned(),
        ..GetMatchRequest::default()
    }
}

pub(crate) async fn bots_that_know_one_server_play_the_matches_of_another() {
    let expected = undisturbed().await;
    let (one, two) = two_servers();
    // Both ways.
    for (on, known) in [(&two, &one), (&one, &two)] {
        let playing = begin(on, known).await;
        playing
            .end(&[&one, &two])
            .await
            .assert_as_undisturbed(&expected);
    }
}

pub(crate) async fn bots_that_know_one_server_go_on_when_that_of_their_matches_is_killed() {
    let expected = undisturbed().await;
    let (one, two) = two_servers();
    let playing = begin(&two, &one).await;
    playing.reaches(expected.decisions / 3).await;
    two.kill();
    playing.end(&[&one]).await.assert_as_undisturbed(&expected);
}

pub(crate) async fn bots_go_on_when_the_server_of_their_matches_drains() {
    let expected = undisturbed().await;
    let (one, two) = two_servers();
    let playing = begin(&two, &one).await;
    playing.reaches(expected.decisions / 3).await;
    two.signal("-TERM");
    assert_eq!(two.end().status.code(), Some(0));
    playing.end(&[&one]).await.assert_as_undisturbed(&expected);
}

pub(crate) async fn callers_and_spectators_are_answered_at_any_server() {
    let (one, two) = two_servers();
    let (match_id, _) = two.create("alhambra", "a").await;
    let mut matches = one.matches().await;
    let got = matches.get_match(get(&match_id)).await.unwrap();
    assert_eq!(got.into_inner().r#match.unwrap().match_id, match_id);
    let request = WatchMatchRequest {
        match_id: match_id.clone(),
    };
    let mut news = matches.watch_match(request).await.unwrap().into_inner();
    let first = timeout(PATIENCE, news.message()).await.unwrap().unwrap();
    assert_eq!(first.unwrap().r#match.unwrap().state(), MatchState::Waiting);
    let request = ExpireSeatRequest {
        match_id: match_id.clone(),
        ..ExpireSeatRequest::default()
    };
    matches.expire_seat(request).await.unwrap();
    let got = matches.get_match(get(&match_id)).await.unwrap();
    let seat = got.into_inner().r#match.unwrap().seats[0].state();
    assert_eq!(seat, SeatState::Forfeited);
    let request = CancelMatchRequest {
        match_id: match_id.clone(),
        ..CancelMatchRequest::default()
    };
    let cancelled = matches.cancel_match(request).await.unwrap().into_inner();
    assert_eq!(cancelled.r#match.unwrap().state(), MatchState::Cancelled);
    for server in [&one, &two] {
        let listed = server.all_matches().await;
        let ids: Vec<&str> = listed.iter().map(|info| &*info.match_id).collect();
        assert_eq!(ids, [&*match_id]);
    }
    let mut last = MatchState::Unspecified;
    while let Some(message) = timeout(PATIENCE, news.message()).await.unwrap().unwrap() {
        last = message.r#match.unwrap().state();
    }
    assert_eq!(last, MatchState::Cancelled, "the spectator sees the end");
    // What the leader keeps.
    let channel = Channel::from_shared(two.url.clone()).unwrap();
    let mut ladders = LadderServiceClient::new(channel.connect().await.unwrap());
    let listed = ladders.list_ladders(ListLaddersRequest::default()).await;
    assert!(listed.unwrap().into_inner().ladders.is_empty());
    // A refusal of the other server comes as it is.
    let unknown = matches.get_match(get("unknown")).await.unwrap_err();
    assert_eq!(unknown.code(), tonic::Code::NotFound);
}

pub(crate) async fn nobody_gains_by_saying_that_his_call_was_passed_on() {
    let (one, two) = two_servers();
    let (match_id, _) = two.create("alhambra", "a").await;
    let channel = Channel::from_shared(one.url.clone()).unwrap();
    let channel = channel.connect().await.unwrap();
    let forged = |mut request: Request<()>| -> Result<Request<()>, Status> {
        let said = format!("{} 192.0.2.7 60000000", "0".repeat(64));
        let said = MetadataValue::try_from(said).unwrap();
        request
            .metadata_mut()
            .insert("bridgemaster-passed-on", said);
        Ok(request)
    };
    let mut matches = MatchServiceClient::with_interceptor(channel, forged);
    // It is answered as if nothing had been said: neither refused nor sent on.
    let got = matches.get_match(get(&match_id)).await.unwrap();
    assert_eq!(got.into_inner().r#match.unwrap().match_id, match_id);
}
