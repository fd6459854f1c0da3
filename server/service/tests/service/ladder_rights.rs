//! Which bots a ladder pairs, and who may change and enter it.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AttendRequest, CreateLadderRequest, DeleteQueueRequest, GetLadderRequest, Ladder, MatchState,
    OfferPurpose, RequestMatchRequest, Standing, WatchLadderRequest,
    lobby_service_client::LobbyServiceClient,
};
use bridgemaster_sdk::AttendOptions;
use bridgemaster_server::identity::{
    ApiKey, KEY_METADATA,
    KeyScope::{Admin, Create, Play},
};
use tokio::{task::JoinHandle, time::timeout};
use tonic::Request;

use crate::{
    ladder_fixture::{NAME, bot, client, make, of_two},
    locked_server::LockedServer,
    raw_bot::reason,
    test_server::{PATIENCE, TestServer},
};

#[tokio::test]
async fn bots_of_one_owner_are_not_paired_in_rated_matches_if_the_ladder_forbids_it() {
    let apart = Ladder {
        owners_apart: true,
        ..of_two()
    };
    let open = TestServer::open().await;
    let refused = make(&open, apart.clone()).await.unwrap_err();
    assert!(
        refused.message().contains("owners_apart"),
        "without keys nobody has an owner: {refused}"
    );
    let locked = LockedServer::open().await;
    let server = &locked.server;
    let admin = locked.key("organizer", &[Admin, Play]).await;
    fn by<T>(key: &ApiKey, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let shown = key.reveal().parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, shown);
        request
    }
    let create = CreateLadderRequest {
        ladder: Some(apart),
    };
    client(server)
        .create_ladder(by(&admin, create))
        .await
        .unwrap();
    let keys = [
        locked.key_of("ada", "ada-1", &[Play]).await,
        locked.key_of("ada", "ada-2", &[Play]).await,
        locked.key("bob", &[Play]).await,
    ];
    let bots = keys.each_ref().map(|key| {
        let options = AttendOptions {
            slots: 2,
            key: Some(key.reveal().parse().unwrap()),
            ..AttendOptions::new(&server.url, NAME, "named by its key")
        };
        tokio::spawn(bridgemaster_sdk::attend(
            || Random::new(&Seed::from(1)),
            options,
        ))
    });
    let ladder_id = NAME.to_owned();
    let watch = WatchLadderRequest { ladder_id };
    let mut owners = BTreeMap::new();
    let (mut rated, mut of_two_owners) = (BTreeSet::new(), BTreeSet::new());
    let followed = async {
        let mut updates = client(server)
            .watch_ladder(by(&admin, watch))
            .await
            .unwrap()
            .into_inner();
        while rated.len() < 12 || owners.len() < 3 || of_two_owners.len() < 3 {
            let update = updates.message().await.unwrap().unwrap();
            let standings = update.standings.into_iter();
            owners.extend(standings.map(|standing| (standing.bot_name, standing.owner)));
            let rated_match = update
                .r#match
                .filter(|one| one.purpose() == OfferPurpose::Rated);
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
    };
    timeout(PATIENCE, followed).await.expect("they play");
    assert_eq!(of_two_owners.len(), 3, "{of_two_owners:?}");
    let expected = [("ada-1", "ada"), ("ada-2", "ada"), ("bob", "bob")];
    let expected = expected.map(|(name, owner)| (name.to_owned(), owner.to_owned()));
    assert_eq!(owners, BTreeMap::from(expected));
    bots.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn a_ladder_is_changed_by_admins_and_entered_by_admitted_keys() {
    let locked = LockedServer::open().await;
    let admin = locked.key("organizer", &[Admin, Create]).await;
    let [ada, eve] = [
        locked.key("ada", &[Play]).await,
        locked.key("eve", &[Play]).await,
    ];
    let server = &locked.server;
    let key_metadata = |key: &ApiKey| key.reveal().parse().unwrap();
    let create = |key: &ApiKey| {
        let mut admitting = of_two();
        admitting.key_names = vec!["ada".to_owned()];
        let mut request = Request::new(CreateLadderRequest {
            ladder: Some(admitting),
        });
        request
            .metadata_mut()
            .insert(KEY_METADATA, key_metadata(key));
        request
    };
    let refused = client(server)
        .create_ladder(create(&ada))
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), "SCOPE_MISSING");
    client(server).create_ladder(create(&admin)).await.unwrap();
    let ladder_id = NAME.to_owned();
    let request = GetLadderRequest { ladder_id };
    let nobody = client(server)
        .get_ladder(request.clone())
        .await
        .unwrap_err();
    assert_eq!(reason(&nobody), "KEY_MISSING");
    let mut seen = Request::new(request);
    seen.metadata_mut().insert(KEY_METADATA, key_metadata(&ada));
    client(server).get_ladder(seen).await.unwrap();
    let attend = |key: &ApiKey| {
        let mut request = Request::new(AttendRequest {
            queue_id: NAME.to_owned(),
            slots: 1,
            protocol_revision: 1,
            ..AttendRequest::default()
        });
        request
            .metadata_mut()
            .insert(KEY_METADATA, key_metadata(key));
        request
    };
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    lobby.attend(attend(&ada)).await.unwrap();
    let refused = lobby.attend(attend(&eve)).await.unwrap_err();
    assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
    let mut delete = Request::new(DeleteQueueRequest {
        queue_id: NAME.to_owned(),
    });
    delete
        .metadata_mut()
        .insert(KEY_METADATA, key_metadata(&admin));
    let refused = lobby.delete_queue(delete).await.unwrap_err();
    assert!(refused.message().starts_with("queue_id"), "{refused}");
    let is_known = |standings: &[Standing]| standings.iter().any(|one| one.bot_name == "ada");
    let request_by = |key: &ApiKey| {
        let mut request = Request::new(RequestMatchRequest {
            ladder_id: NAME.to_owned(),
            bots: vec![bot("ada"), bot("ada")],
        });
        request
            .metadata_mut()
            .insert(KEY_METADATA, key_metadata(key));
        request
    };
    let entered = timeout(PATIENCE, async {
        let mut request = Request::new(WatchLadderRequest {
            ladder_id: NAME.to_owned(),
        });
        request
            .metadata_mut()
            .insert(KEY_METADATA, key_metadata(&ada));
        let mut updates = client(server)
            .watch_ladder(request)
            .await
            .unwrap()
            .into_inner();
        while !is_known(&updates.message().await.unwrap().unwrap().standings) {}
    });
    entered.await.expect("it enters");
    let refused = client(server).request_match(request_by(&eve)).await;
    let refused = refused.unwrap_err();
    assert!(refused.message().starts_with("bots"), "{refused}");
    let refused = client(server).request_match(request_by(&admin)).await;
    assert_eq!(reason(&refused.unwrap_err()), "SCOPE_MISSING");
}
