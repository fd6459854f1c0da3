//! Ladders: bots that attend are paired, and their matches are rated.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, AttendRequest, AttendResponse, AttendanceState, CreateLadderRequest,
    DeclineOfferRequest, DeleteQueueRequest, ExportResultsRequest, GetLadderBotRequest,
    GetLadderRequest, Hello, Ladder, LadderBotRef, LadderMatch, LadderState,
    ListHeadToHeadsRequest, ListLadderMatchesRequest, ListLaddersRequest, ListStandingsRequest,
    MatchConfig, MatchState, Offer, OfferPurpose, RequestMatchRequest, Standing, UnbenchBotRequest,
    WatchLadderRequest, WatchLadderResponse, attend_response,
    ladder_service_client::LadderServiceClient, lobby_service_client::LobbyServiceClient,
};
use bridgemaster_sdk::{AttendOptions, PlayError};
use bridgemaster_server::identity::{
    ApiKey, KEY_METADATA,
    KeyScope::{Admin, Create, Play},
};
use tokio::{task::JoinHandle, time::timeout};
use tonic::{Code, Request, Status, Streaming, transport::Channel};

use crate::{
    locked_server::LockedServer,
    metrics::scrape,
    raw_bot::{self, RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

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

/// A bot that attends until the test ends.
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

async fn watch(server: &TestServer) -> Streaming<WatchLadderResponse> {
    let ladder_id = NAME.to_owned();
    let mut client = client(server);
    let watched = client.watch_ladder(WatchLadderRequest { ladder_id }).await;
    watched.unwrap().into_inner()
}

/// Follows a ladder until it is as it should be.
pub(crate) async fn until(server: &TestServer, is_so: impl Fn(&WatchLadderResponse) -> bool) {
    let mut news = watch(server).await;
    let followed = async {
        while let Some(news) = news.message().await.unwrap() {
            if is_so(&news) {
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
    until(server, |news| {
        news.ladder.as_ref().unwrap().matches >= matches
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

/// All matches, the newest first, by small pages.
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

fn bot(name: &str) -> LadderBotRef {
    LadderBotRef {
        bot_name: name.to_owned(),
        ..LadderBotRef::default()
    }
}

#[tokio::test]
async fn bots_that_attend_are_validated_paired_and_rated() {
    let server = TestServer::open().await;
    let made = make(&server, of_two()).await.unwrap();
    assert_eq!(made.state(), LadderState::Open);
    assert_eq!((made.max_matches, made.max_slots), (16, 64));
    let bots = ["ada", "bob", "cyd"].map(|name| attend(&server, name, "1", 2));
    until_counted(&server, 9).await;
    let numbers = scrape(&server).await;
    let number = |name: &str| numbers[&format!("bridgemaster_{name}")];
    assert!(number("ladder_matches_total{outcome=\"played\"}") >= 9.0);
    // How many lag annuls is not for this test.
    assert!(number("ladder_matches_total{outcome=\"annulled\"}") >= 0.0);
    // Each of two bots, in each match.
    assert!(number("ladder_pairing_seconds_count") >= 9.0);
    assert!(number("ladder_waiting_seconds_count") >= 18.0);
    assert_eq!(number("attending_bots{queue=\"ladder\"}"), 3.0);
    assert_eq!(number("attending_bots{queue=\"other\"}"), 0.0);
    advance(&server, LadderState::Closed).await.unwrap();
    // Their streams end with the last match.
    for bot in bots {
        let left = timeout(PATIENCE, bot).await.expect("it leaves");
        left.unwrap().unwrap();
    }
    let table_of = standings(&server, false).await;
    assert_eq!(table_of.len(), 3);
    let mut sum = 0.0;
    for standing in &table_of {
        let rating = standing.rating.unwrap();
        assert!(rating.elo_low < rating.elo && rating.elo < rating.elo_high);
        assert!(rating.rank_best >= 1 && rating.rank_worst <= 3);
        // A bot with fewer than 30 matches weighs less in the mean.
        sum += rating.elo * f64::from(rating.matches.min(30));
    }
    assert!(sum.abs() < 1e-3, "the mean is 0: {table_of:?}");
    let all = matches(&server, "").await;
    let mut seeds = BTreeSet::new();
    let mut validated = BTreeSet::new();
    for one in all.iter().rev() {
        let info = one.r#match.as_ref().unwrap();
        assert_eq!(info.labels["ladder"], NAME);
        let names = info.seats.iter().map(|seat| seat.bot_name.clone());
        match one.purpose() {
            OfferPurpose::Validation => validated.extend(names),
            purpose => {
                assert_eq!(purpose, OfferPurpose::Rated);
                for name in names {
                    assert!(validated.contains(&name), "{name} is validated first");
                }
            }
        }
        if info.state() == MatchState::Ended {
            let seed = info.config.as_ref().unwrap().seed.clone().unwrap();
            assert!(seeds.insert(seed), "no seed is played twice");
        }
    }
    let of_ada = matches(&server, "ada").await;
    assert!(!of_ada.is_empty() && of_ada.len() < all.len());
    let request = ListHeadToHeadsRequest {
        ladder_id: NAME.to_owned(),
        bot: Some(bot("ada")),
        ..ListHeadToHeadsRequest::default()
    };
    let met = client(&server).list_head_to_heads(request).await.unwrap();
    let met = met.into_inner().entries;
    let ada = table_of.iter().find(|standing| standing.bot_name == "ada");
    let sum: u32 = met
        .iter()
        .map(|one| one.head_to_head.unwrap().matches)
        .sum();
    assert_eq!(sum, ada.unwrap().rating.unwrap().matches);
    let csv = csv(&server).await;
    let counted = csv.lines().filter(|line| line.contains(",rated,played,"));
    assert_eq!(counted.count() as u64, 2 * get(&server).await.matches);
    let request = GetLadderBotRequest {
        ladder_id: NAME.to_owned(),
        bot_name: "ada".to_owned(),
    };
    let versions = client(&server).get_ladder_bot(request).await.unwrap();
    let versions = versions.into_inner().versions;
    assert_eq!(versions.len(), 1);
    assert!(!versions[0].history.is_empty());
}

#[tokio::test]
async fn a_bot_that_does_not_come_to_its_seats_is_benched_until_it_is_let() {
    let server = TestServer::open().await;
    let quick = with_clock(config(GAMES[0], 2), |clock| clock.startup_ms = Some(500));
    let mut quick = ladder(quick);
    // It is never benched, however late this machine lets it come.
    quick.house_bots = vec!["good".to_owned()];
    make(&server, quick).await.unwrap();
    let _good = attend(&server, "good", "1", 4);
    let request = AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: "idle".to_owned(),
        bot_version: "1".to_owned(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let mut idle = lobby.attend(request.clone()).await.unwrap().into_inner();
    let ended = timeout(PATIENCE, async {
        loop {
            match idle.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it did not leave"),
                Err(refused) => return refused,
            }
        }
    });
    let benched = ended.await.expect("it is benched");
    assert_eq!(reason(&benched), "BOT_BENCHED");
    assert!(benched.message().contains("3 times in a row"), "{benched}");
    let refused = lobby.attend(request.clone()).await.unwrap_err();
    assert_eq!(reason(&refused), "BOT_BENCHED");
    let all = standings(&server, false).await;
    let state = |name: &str| {
        let standing = all.iter().find(|standing| standing.bot_name == name);
        standing.unwrap().state()
    };
    assert_eq!(state("idle"), AttendanceState::Benched);
    assert_ne!(state("good"), AttendanceState::Benched);
    let unbench = UnbenchBotRequest {
        ladder_id: NAME.to_owned(),
        bot: Some(bot("idle")),
    };
    client(&server).unbench_bot(unbench).await.unwrap();
    lobby.attend(request).await.unwrap();
    assert_eq!(get(&server).await.matches, 0, "nothing of it counts");
}

/// Attends by hand.
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

/// Attends by hand, and gives the first offer.
pub(crate) async fn first_offer(
    server: &TestServer,
    name: &str,
    version: &str,
) -> (Streaming<AttendResponse>, Offer) {
    let mut stream = attend_by_hand(server, name, version).await;
    let offer = next_offer(&mut stream).await;
    (stream, offer)
}

/// The next offer that a stream tells of.
pub(crate) async fn next_offer(stream: &mut Streaming<AttendResponse>) -> Offer {
    let offered = timeout(PATIENCE, async {
        loop {
            let told = stream.message().await.unwrap().expect("it attends");
            if let Some(attend_response::Message::Offer(offer)) = told.message {
                return offer;
            }
        }
    });
    offered.await.expect("it is offered a seat")
}

#[tokio::test]
async fn a_match_names_its_bots_before_they_come_to_their_seats() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (_ada, _) = first_offer(&server, "ada", "1").await;
    let paired = matches(&server, "ada").await.pop().unwrap();
    let seats = paired.r#match.unwrap().seats;
    let bots = seats
        .iter()
        .map(|seat| (&*seat.bot_name, &*seat.bot_version));
    assert_eq!(
        bots.collect::<BTreeSet<_>>(),
        BTreeSet::from([("ada", "1"), ("house", "1")])
    );
}

#[tokio::test]
async fn a_new_version_waits_while_the_one_before_it_plays_and_others_go_on() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (_first, offer) = first_offer(&server, "ada", "1").await;
    let hello = Hello {
        bot_name: "ada".to_owned(),
        ..raw_bot::hello()
    };
    // It plays, and never answers.
    let _playing = RawBot::join_with(&server, &offer.ticket, hello).await;
    let _second = attend(&server, "ada", "2", 1);
    let _other = attend(&server, "bob", "1", 1);
    until_counted(&server, 1).await;
    let cancelled = matches(&server, "ada").await.into_iter();
    let cancelled = cancelled
        .filter(|one| one.r#match.as_ref().unwrap().state() == MatchState::Cancelled)
        .count();
    assert_eq!(cancelled, 0);
}

#[tokio::test]
async fn a_bot_that_comes_with_new_versions_without_end_is_refused() {
    let server = TestServer::open().await;
    make(&server, of_two()).await.unwrap();
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let request = |version: u32| AttendRequest {
        queue_id: NAME.to_owned(),
        bot_name: "ada".to_owned(),
        bot_version: version.to_string(),
        slots: 1,
        protocol_revision: 1,
    };
    let mut attending = Vec::new();
    for version in 0..20 {
        attending.push(lobby.attend(request(version)).await.unwrap());
        until(&server, |news| {
            let mut standings = news.standings.iter();
            standings.any(|standing| standing.bot_version == version.to_string())
        })
        .await;
    }
    let refused = lobby.attend(request(20)).await.unwrap_err();
    assert_eq!(reason(&refused), "LIMIT_REACHED");
    assert!(refused.message().contains("within a day"), "{refused}");
    lobby
        .attend(request(3))
        .await
        .expect("it has entered before");
}

#[tokio::test]
async fn a_bot_that_keeps_declining_is_benched() {
    let server = TestServer::open().await;
    let mut housed = of_two();
    housed.house_bots = vec!["house".to_owned()];
    make(&server, housed).await.unwrap();
    let _house = attend(&server, "house", "1", 4);
    let (mut stream, offer) = first_offer(&server, "ada", "1").await;
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    let mut offer_id = offer.offer_id;
    let ended = timeout(PATIENCE, async {
        loop {
            let reason = "not this one".to_owned();
            let decline = DeclineOfferRequest { offer_id, reason };
            lobby.decline_offer(decline).await.unwrap();
            offer_id = loop {
                match stream.message().await {
                    Ok(Some(told)) => {
                        if let Some(attend_response::Message::Offer(offer)) = told.message {
                            break offer.offer_id;
                        }
                    }
                    Ok(None) => panic!("it did not leave"),
                    Err(refused) => return refused,
                }
            };
        }
    });
    assert_eq!(reason(&ended.await.expect("it is benched")), "BOT_BENCHED");
}

#[tokio::test]
async fn a_requested_match_is_played_and_does_not_count() {
    let server = TestServer::open().await;
    make(&server, of_two()).await.unwrap();
    let request = RequestMatchRequest {
        ladder_id: NAME.to_owned(),
        bots: vec![bot("ada"), bot("ada")],
    };
    let refused = client(&server).request_match(request.clone()).await;
    assert_eq!(reason(&refused.unwrap_err()), "BOT_UNKNOWN");
    // Alone, so that no rated match takes its slots.
    let _bot = attend(&server, "ada", "1", 4);
    until(&server, |news| {
        let mut standings = news.standings.iter();
        standings.any(|standing| standing.state() == AttendanceState::Active)
    })
    .await;
    let asked = client(&server).request_match(request).await.unwrap();
    let match_id = asked.into_inner().match_id;
    server.result(&match_id).await;
    let all = matches(&server, "").await;
    let found = all
        .iter()
        .find(|one| one.r#match.as_ref().unwrap().match_id == match_id);
    assert_eq!(found.unwrap().purpose(), OfferPurpose::Requested);
    // The result is told before the ladder has taken it in.
    let lines = timeout(PATIENCE, async {
        let mut news = watch(&server).await;
        loop {
            let csv = csv(&server).await;
            let lines = csv.lines().filter(|line| line.contains(&match_id));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            if !lines.is_empty() {
                return lines;
            }
            news.message().await.unwrap().expect("it goes on");
        }
    });
    let lines = lines.await.expect("it is taken in");
    assert_eq!(lines.len(), 2, "one for each seat: {lines:?}");
    for line in &lines {
        assert!(line.contains(",requested,played,"), "{line}");
    }
    assert_eq!(get(&server).await.matches, 0, "it does not count");
    let rated = standings(&server, true).await;
    assert!(rated.iter().all(|standing| standing.rating.is_none()));
}

#[tokio::test]
async fn a_ladder_is_frozen_and_closes_after_its_closing_round() {
    let server = TestServer::open().await;
    let mut short = of_two();
    short.closing = Some(bridgemaster_proto::v1::ClosingRule {
        settled_top: 0,
        confidence: 0.0,
        max_matches_per_bot: 3,
    });
    make(&server, short).await.unwrap();
    let _bots = ["ada", "bob"].map(|name| attend(&server, name, "1", 1));
    until_counted(&server, 1).await;
    let frozen = advance(&server, LadderState::Frozen).await.unwrap();
    assert_eq!(frozen.state(), LadderState::Frozen);
    let _late = attend(&server, "late", "1", 1);
    until(&server, |news| {
        news.ladder.as_ref().unwrap().state() == LadderState::Closed
    })
    .await;
    let names = standings(&server, true).await.into_iter();
    let names: Vec<String> = names.map(|standing| standing.bot_name).collect();
    assert!(!names.contains(&"late".to_owned()), "{names:?}");
    let again = advance(&server, LadderState::Frozen).await.unwrap_err();
    assert_eq!(reason(&again), "LADDER_CLOSED");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_the_name_of_its_field() {
    let server = TestServer::open().await;
    let mut seeded = of_two();
    seeded.config.as_mut().unwrap().seed = Some("s".to_owned());
    let of = |change: fn(&mut Ladder)| {
        let mut ladder = of_two();
        change(&mut ladder);
        ladder
    };
    for (bad, field) in [
        (
            of(|ladder| ladder.ladder_id = "No".to_owned()),
            "ladder.ladder_id",
        ),
        (of(|ladder| ladder.config = None), "ladder.config.game"),
        (seeded, "ladder.config.seed"),
        (
            of(|ladder| ladder.config.as_mut().unwrap().seats = 9),
            "ladder.config.seats",
        ),
        (
            of(|ladder| ladder.rules_version = 99),
            "ladder.rules_version",
        ),
        (
            of(|ladder| ladder.max_matches = 10_001),
            "ladder.max_matches",
        ),
        (of(|ladder| ladder.max_slots = 65), "ladder.max_slots"),
        (
            of(|ladder| ladder.house_bots = vec!["@1".to_owned()]),
            "ladder.house_bots",
        ),
        (
            of(|ladder| ladder.key_names = vec!["ada".to_owned()]),
            "ladder.key_names",
        ),
        (of(|ladder| ladder.replays = 9), "ladder.replays"),
    ] {
        let refused = make(&server, bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{field}: {refused}");
        assert!(refused.message().starts_with(field), "{field}: {refused}");
    }
    make(&server, of_two()).await.unwrap();
    let again = make(&server, of_two()).await.unwrap_err();
    assert!(again.message().starts_with("ladder.ladder_id"), "{again}");
    let ladder_id = "nothing".to_owned();
    let unknown = client(&server)
        .get_ladder(GetLadderRequest { ladder_id })
        .await;
    assert_eq!(reason(&unknown.unwrap_err()), "LADDER_UNKNOWN");
    let listed = client(&server)
        .list_ladders(ListLaddersRequest::default())
        .await;
    assert_eq!(listed.unwrap().into_inner().ladders.len(), 1);
}

#[tokio::test]
async fn bots_whose_keys_have_one_owner_meet_in_no_rated_match_if_the_ladder_says_so() {
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
        let mut news = client(server)
            .watch_ladder(by(&admin, watch))
            .await
            .unwrap()
            .into_inner();
        while rated.len() < 12 || owners.len() < 3 || of_two_owners.len() < 3 {
            let news = news.message().await.unwrap().unwrap();
            let told = news.standings.into_iter();
            owners.extend(told.map(|standing| (standing.bot_name, standing.owner)));
            let rated_match = news
                .r#match
                .filter(|one| one.purpose() == OfferPurpose::Rated);
            let info = rated_match.and_then(|one| one.r#match);
            // A bot that has not come to its seat has no name there.
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
async fn a_ladder_is_changed_with_the_scope_admin_and_entered_by_the_keys_that_it_admits() {
    let locked = LockedServer::open().await;
    let admin = locked.key("organizer", &[Admin, Create]).await;
    let [ada, eve] = [
        locked.key("ada", &[Play]).await,
        locked.key("eve", &[Play]).await,
    ];
    let server = &locked.server;
    let showing = |key: &ApiKey| key.reveal().parse().unwrap();
    let create = |key: &ApiKey| {
        let mut admitting = of_two();
        admitting.key_names = vec!["ada".to_owned()];
        let mut request = Request::new(CreateLadderRequest {
            ladder: Some(admitting),
        });
        request.metadata_mut().insert(KEY_METADATA, showing(key));
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
    seen.metadata_mut().insert(KEY_METADATA, showing(&ada));
    client(server).get_ladder(seen).await.unwrap();
    let attend = |key: &ApiKey| {
        let mut request = Request::new(AttendRequest {
            queue_id: NAME.to_owned(),
            slots: 1,
            protocol_revision: 1,
            ..AttendRequest::default()
        });
        request.metadata_mut().insert(KEY_METADATA, showing(key));
        request
    };
    let mut lobby = LobbyServiceClient::new(server.channel.clone());
    lobby.attend(attend(&ada)).await.unwrap();
    let refused = lobby.attend(attend(&eve)).await.unwrap_err();
    assert_eq!(reason(&refused), "QUEUE_UNKNOWN");
    let mut delete = Request::new(DeleteQueueRequest {
        queue_id: NAME.to_owned(),
    });
    delete.metadata_mut().insert(KEY_METADATA, showing(&admin));
    let refused = lobby.delete_queue(delete).await.unwrap_err();
    assert!(refused.message().starts_with("queue_id"), "{refused}");
    let is_known = |standings: &[Standing]| standings.iter().any(|one| one.bot_name == "ada");
    let request_by = |key: &ApiKey| {
        let mut request = Request::new(RequestMatchRequest {
            ladder_id: NAME.to_owned(),
            bots: vec![bot("ada"), bot("ada")],
        });
        request.metadata_mut().insert(KEY_METADATA, showing(key));
        request
    };
    let entered = timeout(PATIENCE, async {
        let mut request = Request::new(WatchLadderRequest {
            ladder_id: NAME.to_owned(),
        });
        request.metadata_mut().insert(KEY_METADATA, showing(&ada));
        let mut news = client(server)
            .watch_ladder(request)
            .await
            .unwrap()
            .into_inner();
        while !is_known(&news.message().await.unwrap().unwrap().standings) {}
    });
    entered.await.expect("it enters");
    let refused = client(server).request_match(request_by(&eve)).await;
    let refused = refused.unwrap_err();
    assert!(refused.message().starts_with("bots"), "{refused}");
    let refused = client(server).request_match(request_by(&admin)).await;
    assert_eq!(reason(&refused.unwrap_err()), "SCOPE_MISSING");
}
