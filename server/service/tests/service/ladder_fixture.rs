//! Fixtures for ladders: attending bots, and requests about them.

use bridgemaster_proto::v1::{
    AdvanceLadderRequest, AttendRequest, AttendResponse, CreateLadderRequest, ExportResultsRequest,
    GetLadderRequest, Hello, Ladder, LadderBotRef, LadderMatch, LadderState,
    ListLadderMatchesRequest, ListStandingsRequest, MatchConfig, Offer, Standing,
    WatchLadderRequest, WatchLadderResponse, attend_response,
};
use bridgemaster_sdk::PlayError;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Status, Streaming};

use crate::{
    caller::Caller,
    raw_bot::{RawBot, hello},
    streams::{find, next, rest},
    test_server::of_two,
};

pub(crate) const NAME: &str = "league";

pub(crate) fn ladder(config: MatchConfig) -> Ladder {
    Ladder {
        ladder_id: NAME.to_owned(),
        config: Some(MatchConfig { seed: None, ..config }),
        ..Ladder::default()
    }
}

pub(crate) fn league() -> Ladder {
    ladder(of_two())
}

/// Creates a ladder with a house bot that attends until the test ends.
pub(crate) async fn make_housed(caller: &Caller) -> AbortOnDropHandle<Result<(), PlayError>> {
    let mut housed = league();
    housed.house_bots = vec!["house".to_owned()];
    make(caller, housed).await.unwrap();
    AbortOnDropHandle::new(caller.attend(NAME, "house", "1", 4))
}

pub(crate) async fn make(caller: &Caller, ladder: Ladder) -> Result<Ladder, Status> {
    let request = CreateLadderRequest { ladder: Some(ladder) };
    let made = caller.ladders().create_ladder(request).await?;
    Ok(made.into_inner().ladder.unwrap())
}

pub(crate) async fn get(caller: &Caller) -> Ladder {
    let ladder_id = NAME.to_owned();
    let got = caller.ladders().get_ladder(GetLadderRequest { ladder_id }).await;
    got.unwrap().into_inner().ladder.unwrap()
}

pub(crate) async fn watch(caller: &Caller) -> Streaming<WatchLadderResponse> {
    let ladder_id = NAME.to_owned();
    let request = WatchLadderRequest { ladder_id };
    let watched = caller.ladders().watch_ladder(request).await;
    watched.unwrap().into_inner()
}

/// Watches a ladder until the condition holds.
pub(crate) async fn until(caller: &Caller, is_so: impl Fn(&WatchLadderResponse) -> bool) {
    let mut updates = watch(caller).await;
    find(&mut updates, |update| is_so(&update).then_some(())).await;
}

pub(crate) async fn until_counted(caller: &Caller, matches: u64) {
    let is_counted = |update: &WatchLadderResponse| {
        let ladder = update.ladder.as_ref();
        ladder.is_some_and(|ladder| ladder.matches >= matches)
    };
    until(caller, is_counted).await;
}

pub(crate) async fn advance(caller: &Caller, state: LadderState) -> Result<Ladder, Status> {
    let request = AdvanceLadderRequest { ladder_id: NAME.to_owned(), state: state.into() };
    let advanced = caller.ladders().advance_ladder(request).await?;
    Ok(advanced.into_inner().ladder.unwrap())
}

pub(crate) async fn standings(caller: &Caller, all_versions: bool) -> Vec<Standing> {
    let request = ListStandingsRequest {
        ladder_id: NAME.to_owned(),
        all_versions,
        ..ListStandingsRequest::default()
    };
    let listed = caller.ladders().list_standings(request).await.unwrap();
    listed.into_inner().standings
}

/// Lists all matches in small pages, the newest first.
pub(crate) async fn matches(caller: &Caller, bot_name: &str) -> Vec<LadderMatch> {
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
        let page = caller.ladders().list_ladder_matches(request).await.unwrap();
        let page = page.into_inner();
        all.extend(page.matches);
        if page.next_page_token.is_empty() {
            return all;
        }
        page_token = page.next_page_token;
    }
}

pub(crate) async fn csv(caller: &Caller) -> String {
    let ladder_id = NAME.to_owned();
    let request = ExportResultsRequest { ladder_id };
    let export = caller.ladders().export_results(request).await;
    let parts = rest(export.unwrap().into_inner()).await;
    let file = parts.into_iter().flat_map(|part| part.chunk).collect();
    String::from_utf8(file).unwrap()
}

pub(crate) fn bot(name: &str) -> LadderBotRef {
    LadderBotRef { bot_name: name.to_owned(), ..LadderBotRef::default() }
}

pub(crate) fn attending(name: &str, version: &str) -> AttendRequest {
    AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: name.to_owned(),
        bot_version: version.to_owned(),
        slots: 1,
        protocol_revision: 1,
        ..AttendRequest::default()
    }
}

/// Attends without a bot, and returns the stream.
pub(crate) async fn attend_by_hand(
    caller: &Caller,
    name: &str,
) -> Result<Streaming<AttendResponse>, Status> {
    let attended = caller.lobby().attend(attending(name, "1")).await?;
    Ok(attended.into_inner())
}

/// Attends without a bot, and returns the stream and the first offer.
pub(crate) async fn first_offer(caller: &Caller, name: &str) -> (Streaming<AttendResponse>, Offer) {
    let mut stream = attend_by_hand(caller, name).await.unwrap();
    let offer = next_offer(&mut stream).await.unwrap();
    (stream, offer)
}

/// Returns the next offer of a stream.
pub(crate) async fn next_offer(stream: &mut Streaming<AttendResponse>) -> Result<Offer, Status> {
    loop {
        let response = next(stream).await?.expect("the stream continues");
        if let Some(attend_response::Message::Offer(offer)) = response.message {
            return Ok(offer);
        }
    }
}

/// Joins the seat of an offer.
pub(crate) async fn join_offered(caller: &Caller, name: &str, offer: &Offer) -> RawBot {
    let hello = Hello { bot_name: name.to_owned(), ..hello() };
    RawBot::join_with(caller, &offer.ticket, hello).await
}
