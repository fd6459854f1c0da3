//! Which bots a ladder pairs, and who may change and enter it.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    DeleteQueueRequest, GetLadderRequest, Ladder, MatchState, OfferPurpose, RequestMatchRequest,
    WatchLadderResponse,
};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Admin, Create, Play},
};
use tokio::task::JoinHandle;

use crate::{
    caller::Caller,
    ladder_fixture::{NAME, attend_by_hand, bot, get, league, make, until, watch},
    streams::{next, outcome},
    test_server::TestServer,
};

#[tokio::test]
async fn bots_of_one_owner_are_not_paired_in_rated_matches_if_the_ladder_forbids_it() {
    let apart = Ladder { owners_apart: true, ..league() };
    let open = TestServer::open().await;
    let refused = make(&open, apart.clone()).await.unwrap_err();
    let message = refused.message();
    assert!(message.contains("owners_apart"), "no key, no owner: {refused}");
    let server = TestServer::locked(ServerOptions::default()).await;
    let admin = server.caller("organiser", &[Admin, Play]).await;
    make(&admin, apart).await.unwrap();
    let bots = [
        server.caller_with("ada-1", &[Play], Some("ada"), None).await,
        server.caller_with("ada-2", &[Play], Some("ada"), None).await,
        server.caller("bob", &[Play]).await,
    ];
    let attending = bots.each_ref().map(|bot| bot.attend(NAME, "named by its key", "1", 2));
    let mut owners = BTreeMap::new();
    let (mut rated, mut of_two_owners) = (BTreeSet::new(), BTreeSet::new());
    let mut updates = watch(&admin).await;
    while rated.len() < 12 || owners.len() < 3 || of_two_owners.len() < 3 {
        let update = next(&mut updates).await.unwrap().unwrap();
        let standings = update.standings.into_iter();
        owners.extend(standings.map(|standing| (standing.bot_name, standing.owner)));
        let rated_match = update.r#match.filter(|one| one.purpose() == OfferPurpose::Rated);
        let info = rated_match.and_then(|one| one.r#match);
        // A bot that has not joined its seat has no name in the match.
        let Some(info) = info.filter(|info| info.state() == MatchState::Ended) else {
            continue;
        };
        let seats: Vec<_> = info.seats.iter().map(|seat| &*seat.bot_name).collect();
        assert!(seats.contains(&"bob"), "bots of one owner met: {seats:?}");
        of_two_owners.extend(seats.iter().map(|name| (*name).to_owned()));
        rated.insert(info.match_id);
    }
    assert_eq!(of_two_owners.len(), 3, "{of_two_owners:?}");
    let expected = [("ada-1", "ada"), ("ada-2", "ada"), ("bob", "bob")];
    let expected = expected.map(|(name, owner)| (name.to_owned(), owner.to_owned()));
    assert_eq!(owners, BTreeMap::from(expected));
    attending.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn a_ladder_is_changed_by_admins_and_entered_by_admitted_keys() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let admin = server.caller("organiser", &[Admin, Create]).await;
    let ada = server.caller("ada", &[Play]).await;
    let eve = server.caller("eve", &[Play]).await;
    let admitting = Ladder { key_names: vec!["ada".to_owned()], ..league() };
    let refused = make(&ada, admitting.clone()).await;
    assert_eq!(outcome(refused), "SCOPE_MISSING");
    make(&admin, admitting).await.unwrap();
    let ladder_id = NAME.to_owned();
    let mut ladders = server.ladders();
    let got = ladders.get_ladder(GetLadderRequest { ladder_id });
    assert_eq!(outcome(got.await), "KEY_MISSING");
    get(&ada).await;
    let _attending = attend_by_hand(&ada, "").await.unwrap();
    let refused = attend_by_hand(&eve, "").await;
    assert_eq!(outcome(refused), "QUEUE_UNKNOWN");
    let delete = DeleteQueueRequest { queue_id: NAME.to_owned() };
    let refused = admin.lobby().delete_queue(delete).await.unwrap_err();
    assert!(refused.message().starts_with("queue_id"), "{refused}");
    let has_entered = |update: &WatchLadderResponse| {
        let mut standings = update.standings.iter();
        standings.any(|one| one.bot_name == "ada")
    };
    until(&ada, has_entered).await;
    let request_by = async |caller: &Caller| {
        let request =
            RequestMatchRequest { ladder_id: NAME.to_owned(), bots: vec![bot("ada"), bot("ada")] };
        caller.ladders().request_match(request).await
    };
    let refused = request_by(&eve).await.unwrap_err();
    assert!(refused.message().starts_with("bots"), "{refused}");
    assert_eq!(outcome(request_by(&admin).await), "SCOPE_MISSING");
}
