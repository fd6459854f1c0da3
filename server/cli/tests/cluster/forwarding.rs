//! Tests a cluster in which callers use only one server, which forwards calls to the others.

use bridgemaster_proto::v1::{
    CancelMatchRequest, ExpireSeatRequest, MatchState, SeatState, WatchMatchRequest,
    match_service_client::MatchServiceClient,
};
use tokio::time::timeout;
use tonic::{Request, Status};

use crate::{
    counted_play::{Ended, Playing, undisturbed},
    kit::{calls::get_request, program::PATIENCE, served::Served},
    nodes::{ladders, two_servers},
};

const GAMES: [&str; 2] = ["carcassonne", "alhambra"];
const MATCHES: usize = 4;

/// Starts matches on one server with bots that connect only to another server.
async fn begin(on: &Served, known: &Served) -> Playing {
    let mut playing = Playing::default();
    for number in 0..MATCHES {
        let game = GAMES[number % GAMES.len()];
        let seed = format!("{game}-{number}");
        playing.begin(on, &known.url, game, &seed).await;
    }
    playing
}

async fn expected() -> Ended {
    undisturbed(async |server| begin(server, server).await).await
}

pub(crate) async fn bots_that_know_one_server_play_the_matches_of_another() {
    let expected = expected().await;
    let (one, two) = two_servers();
    // The servers forward in both directions.
    for (on, known) in [(&two, &one), (&one, &two)] {
        let ended = begin(on, known).await.end(&[&one, &two]).await;
        ended.assert_as_undisturbed(&expected);
    }
}

/// Plays the matches on the second server to a third, through the first one, and then ends the
/// second.
async fn play_on_without(end: impl FnOnce(Served)) {
    let expected = expected().await;
    let (one, two) = two_servers();
    let playing = begin(&two, &one).await;
    playing.reaches(expected.decisions / 3).await;
    end(two);
    playing.end(&[&one]).await.assert_as_undisturbed(&expected);
}

pub(crate) async fn bots_that_know_one_server_continue_when_the_server_of_their_matches_is_killed()
{
    play_on_without(Served::kill).await;
}

pub(crate) async fn bots_continue_when_the_server_of_their_matches_drains() {
    play_on_without(|server| drop(server.stop())).await;
}

pub(crate) async fn any_server_answers_callers_and_spectators() {
    let (one, two) = two_servers();
    let (match_id, _) = two.create("alhambra", "a").await;
    let mut matches = one.matches().await;
    assert_eq!(one.info(&match_id).await.unwrap().match_id, match_id);
    let request = WatchMatchRequest { match_id: match_id.clone() };
    let mut news = matches.watch_match(request).await.unwrap().into_inner();
    let first = timeout(PATIENCE, news.message()).await.unwrap().unwrap();
    assert_eq!(first.unwrap().r#match.unwrap().state(), MatchState::Waiting);
    let request = ExpireSeatRequest { match_id: match_id.clone(), ..ExpireSeatRequest::default() };
    matches.expire_seat(request).await.unwrap();
    let seat = one.info(&match_id).await.unwrap().seats[0].state();
    assert_eq!(seat, SeatState::Forfeited);
    let request =
        CancelMatchRequest { match_id: match_id.clone(), ..CancelMatchRequest::default() };
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
    // These calls need data that only the leader has.
    assert_eq!(ladders(&two).await.unwrap(), 0);
    // A refusal of the other server is returned unchanged.
    let unknown = one.info("unknown").await.unwrap_err();
    assert_eq!(unknown.code(), tonic::Code::NotFound);
}

pub(crate) async fn forged_metadata_of_forwarded_calls_has_no_effect() {
    let (one, two) = two_servers();
    let (match_id, _) = two.create("alhambra", "a").await;
    let forged = |mut request: Request<()>| -> Result<Request<()>, Status> {
        let said = format!("{} 192.0.2.7 60000000", "0".repeat(64));
        let metadata = request.metadata_mut();
        metadata.insert("bridgemaster-passed-on", said.parse().unwrap());
        Ok(request)
    };
    let mut matches = MatchServiceClient::with_interceptor(one.channel().await, forged);
    // Forged metadata is ignored: the call is neither refused nor forwarded.
    let got = matches.get_match(get_request(&match_id)).await.unwrap();
    assert_eq!(got.into_inner().r#match.unwrap().match_id, match_id);
}
