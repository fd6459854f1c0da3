//! Read access on a server that requires keys: without a key, and with a key of few scopes.

use std::{collections::BTreeMap, io::Read as _};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, CreateLadderRequest, CreateMatchRequest, ExportReplaysRequest,
    GetMatchRequest, GetReplayRequest, Ladder, LadderMatch, LadderReplays, LadderState,
    ListLadderMatchesRequest, MatchConfig, MatchFork, MatchState, OfferPurpose,
    WatchMatchesRequest, WatchPositionsRequest, ladder_service_client::LadderServiceClient,
    match_fork::Source as ForkSource, watch_positions_request::Source,
};
use bridgemaster_sdk::AttendOptions;
use bridgemaster_server::identity::{
    ApiKey, KEY_METADATA,
    KeyScope::{Admin, Create, Play, Read},
    PublicRead,
};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};
use tonic::{Request, Status, transport::Channel};
use tonic_types::StatusExt as _;

use crate::{
    keys::{call, locked_methods},
    locked_server::LockedServer,
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer, config},
};

const PAGE: &str = include_str!("../../../../docs/operating.md");
const LEVELS: [PublicRead; 4] = [
    PublicRead::None,
    PublicRead::Results,
    PublicRead::Matches,
    PublicRead::All,
];

/// Returns the table of the operators' manual: whether each call is served without a key, by level.
fn documented() -> BTreeMap<String, [bool; 4]> {
    let (_, rest) = PAGE.split_once("| call without a key |").unwrap();
    let rows = rest
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut answered_by_level = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let answered = [cells[2], cells[3], cells[4], cells[5]].map(|cell| match cell {
            "yes" => true,
            "no" => false,
            other => panic!("{other}"),
        });
        let names = cells[1].split('`').skip(1).step_by(2);
        let names = names.filter(|name| name.starts_with(char::is_uppercase));
        answered_by_level.extend(names.map(|name| (name.to_owned(), answered)));
    }
    answered_by_level
}

#[tokio::test]
async fn without_a_key_only_the_documented_calls_are_served() {
    let documented = documented();
    assert_eq!(documented.len(), 15, "{documented:?}");
    for (place, level) in LEVELS.into_iter().enumerate() {
        let locked = LockedServer::with_public_read(level).await;
        let maker = locked.key("maker", &[Create]).await;
        // Gives the stream of matches in play an update to send.
        let made = locked.with(&maker).create(config(GAMES[0], 2)).await;
        made.unwrap();
        for path in locked_methods() {
            let name = path.rsplit('/').next().unwrap();
            let is_answered = documented.get(name).is_some_and(|levels| levels[place]);
            let status = call(&locked.server, &path, &[]).await;
            let info = status.get_details_error_info();
            let is_refused = info.is_some_and(|info| info.reason == "KEY_MISSING");
            let of_the_rules = path.contains("RulesService");
            if !of_the_rules {
                assert_eq!(is_refused, !is_answered, "{level:?} {path}: {status:?}");
            }
            // An invalid key is refused even where none is needed.
            let forged = [(KEY_METADATA, ApiKey::generate().reveal())];
            let status = call(&locked.server, &path, &forged).await;
            if !of_the_rules {
                assert_eq!(reason(&status), "KEY_UNKNOWN", "{path}");
            }
        }
    }
}

fn by<T>(key: Option<&ApiKey>, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(key) = key {
        let shown = key.reveal().parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, shown);
    }
    request
}

/// Returns the reasons for which a match, its positions and its replay are refused; `None` for each
/// that is visible.
async fn refusal_reasons(
    server: &TestServer,
    key: Option<&ApiKey>,
    match_id: &str,
) -> [Option<String>; 3] {
    let why = |refused: Option<Status>| refused.map(|refused| reason(&refused).to_owned());
    let match_id = match_id.to_owned();
    let get = GetMatchRequest {
        match_id: match_id.clone(),
        ..GetMatchRequest::default()
    };
    let positions = WatchPositionsRequest {
        source: Some(Source::MatchId(match_id.clone())),
        ..WatchPositionsRequest::default()
    };
    let replay = GetReplayRequest {
        match_id,
        ..GetReplayRequest::default()
    };
    let mut matches = server.matches();
    [
        why(matches.get_match(by(key, get)).await.err()),
        why(matches.watch_positions(by(key, positions)).await.err()),
        why(matches.get_replay(by(key, replay)).await.err()),
    ]
}

#[tokio::test]
async fn a_match_of_others_is_visible_as_scope_and_server_allow() {
    let refused = |whys: [&str; 3]| whys.map(|why| Some(why.to_owned()).filter(|why| why != "-"));
    let no_key = "KEY_MISSING";
    let unknown = "MATCH_UNKNOWN";
    for (level, guest, stranger) in [
        (PublicRead::None, [no_key; 3], [unknown; 3]),
        (PublicRead::Results, [no_key; 3], [unknown; 3]),
        (
            PublicRead::Matches,
            ["-", no_key, no_key],
            ["-", "SCOPE_MISSING", "SCOPE_MISSING"],
        ),
        (PublicRead::All, ["-"; 3], ["-"; 3]),
    ] {
        let locked = LockedServer::with_public_read(level).await;
        let maker = locked.key("maker", &[Create]).await;
        let keys = [
            locked.key("ada", &[Play]).await,
            locked.key("bob", &[Play]).await,
        ];
        let [reader, other] = [
            locked.key("reader", &[Read]).await,
            locked.key("other", &[Play]).await,
        ];
        let seated = locked
            .with(&maker)
            .create(config(GAMES[0], 2))
            .await
            .unwrap();
        let bots = keys.each_ref().map(|key| locked.with(key));
        let playing: Vec<_> = bots
            .into_iter()
            .zip(&seated.tickets)
            .map(|(caller, ticket)| caller.good_bot(ticket))
            .collect();
        for bot in playing {
            bot.await.unwrap().unwrap();
        }
        let (server, id) = (&locked.server, &*seated.match_id);
        assert_eq!(
            refusal_reasons(server, None, id).await,
            refused(guest),
            "{level:?}"
        );
        assert_eq!(
            refusal_reasons(server, Some(&other), id).await,
            refused(stranger),
            "{level:?}"
        );
        for key in [&maker, &reader, &keys[0], &keys[1]] {
            assert_eq!(
                refusal_reasons(server, Some(key), id).await,
                refused(["-"; 3]),
                "{level:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_match_whose_replay_is_withheld_cannot_be_forked() {
    let locked = LockedServer::with_public_read(PublicRead::Matches).await;
    let maker = locked.key("maker", &[Create]).await;
    let other = locked.key("other", &[Create]).await;
    let bots = [
        locked.key("ada", &[Play]).await,
        locked.key("bob", &[Play]).await,
    ];
    let seated = locked.with(&maker).create(config(GAMES[0], 2)).await;
    let seated = seated.unwrap();
    let playing: Vec<_> = bots
        .iter()
        .zip(&seated.tickets)
        .map(|(key, ticket)| locked.with(key).good_bot(ticket))
        .collect();
    for bot in playing {
        bot.await.unwrap().unwrap();
    }
    let fork = || CreateMatchRequest {
        config: Some(MatchConfig {
            seed: None,
            ..config(GAMES[0], 2)
        }),
        fork: Some(MatchFork {
            source: Some(ForkSource::MatchId(seated.match_id.clone())),
            decisions: 1,
            ..MatchFork::default()
        }),
        ..CreateMatchRequest::default()
    };
    let mut matches = locked.server.matches();
    let refused = matches.create_match(by(Some(&other), fork())).await;
    assert_eq!(reason(&refused.unwrap_err()), "SCOPE_MISSING");
    matches
        .create_match(by(Some(&maker), fork()))
        .await
        .unwrap();
}

#[tokio::test]
async fn the_overview_contains_only_matches_that_the_caller_may_see() {
    for (level, sees_all) in [(PublicRead::None, false), (PublicRead::Matches, true)] {
        let locked = LockedServer::with_public_read(level).await;
        let [maker, other] = [
            locked.key("maker", &[Create]).await,
            locked.key("other", &[Create]).await,
        ];
        let of_maker = locked.with(&maker).create(config(GAMES[0], 2)).await;
        let of_other = locked.with(&other).create(config(GAMES[0], 2)).await;
        let [of_maker, of_other] = [of_maker, of_other].map(|made| made.unwrap().match_id);
        // The newest match is sent first.
        let newest = async |key| {
            let wanted = by(key, WatchMatchesRequest::default());
            let watching = locked.server.matches().watch_matches(wanted).await?;
            let update = timeout(PATIENCE, watching.into_inner().message()).await;
            let update = update
                .expect("an update is sent")?
                .expect("the stream continues");
            Ok::<_, Status>(update.r#match.unwrap().match_id)
        };
        let first = newest(Some(&maker)).await.unwrap();
        assert_eq!(first == of_other, sees_all, "{level:?}");
        assert!(sees_all || first == of_maker);
        match newest(None).await {
            Ok(first) => assert!(sees_all && first == of_other),
            Err(refused) => {
                assert!(!sees_all, "{refused:?}");
                assert_eq!(reason(&refused), "KEY_MISSING");
            }
        }
    }
}

#[tokio::test]
async fn a_spectator_gets_no_more_of_decisions_than_a_replay_contains() {
    for (level, has_decisions) in [(PublicRead::Matches, false), (PublicRead::All, true)] {
        let locked = LockedServer::with_public_read(level).await;
        let maker = locked.key("maker", &[Create]).await;
        let keys = [
            locked.key("ada", &[Play]).await,
            locked.key("bob", &[Play]).await,
        ];
        let seated = locked.with(&maker).create(config(GAMES[0], 2)).await;
        let seated = seated.unwrap();
        let watch = WatchPositionsRequest {
            source: Some(Source::MatchId(seated.match_id.clone())),
            ..WatchPositionsRequest::default()
        };
        let mut matches = locked.server.matches();
        let watching = matches.watch_positions(watch).await.unwrap();
        let mut watching = watching.into_inner();
        // Reads nothing more until the match is over.
        watching.message().await.unwrap().unwrap();
        let bots = keys.each_ref().map(|key| locked.with(key));
        let playing: Vec<_> = bots
            .into_iter()
            .zip(&seated.tickets)
            .map(|(caller, ticket)| caller.good_bot(ticket))
            .collect();
        for bot in playing {
            bot.await.unwrap().unwrap();
        }
        let (mut played, mut decided) = (0, 0);
        while let Some(update) = watching.message().await.unwrap() {
            if let Some(decision) = update.position.and_then(|one| one.played) {
                played += 1;
                decided += usize::from(decision.decision.is_some());
            }
        }
        assert!(played > 0, "{level:?}");
        // Decisions that are withheld after the match were not sent during it either.
        assert!(
            has_decisions || decided == 0,
            "{level:?}: {decided} of {played}"
        );
    }
}

fn ladders(server: &TestServer) -> LadderServiceClient<Channel> {
    LadderServiceClient::new(server.channel.clone())
}

fn attend(server: &TestServer, key: &ApiKey) -> JoinHandle<()> {
    let options = AttendOptions {
        key: Some(key.reveal().parse().unwrap()),
        ..AttendOptions::new(&server.url, "league", "named by its key")
    };
    let attending = bridgemaster_sdk::attend(|| Random::new(&Seed::from(1)), options);
    tokio::spawn(async move {
        let _ = attending.await;
    })
}

/// Returns an ended match of the ladder as this caller sees it.
async fn ended_match(server: &TestServer, key: Option<&ApiKey>) -> LadderMatch {
    let find = async {
        loop {
            let list = ListLadderMatchesRequest {
                ladder_id: "league".to_owned(),
                page_size: 500,
                ..ListLadderMatchesRequest::default()
            };
            let page = ladders(server).list_ladder_matches(by(key, list)).await;
            // The same match for each caller: the first rated one.
            let matches = page.unwrap().into_inner().matches.into_iter().rev();
            let mut ended = matches.filter(|one| {
                let info = one.r#match.as_ref().unwrap();
                one.purpose() == OfferPurpose::Rated && info.state() == MatchState::Ended
            });
            if let Some(one) = ended.next() {
                return one;
            }
            sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, find).await.expect("a match ends")
}

/// Returns the files of an archive of replays, by name.
async fn archive(
    server: &TestServer,
    key: Option<&ApiKey>,
    bot_name: &str,
    against: &str,
) -> Result<BTreeMap<String, Vec<u8>>, Status> {
    let export = ExportReplaysRequest {
        ladder_id: "league".to_owned(),
        bot_name: bot_name.to_owned(),
        against_bot_name: against.to_owned(),
    };
    let exported = ladders(server).export_replays(by(key, export)).await?;
    let mut parts = exported.into_inner();
    let mut bytes = Vec::new();
    while let Some(part) = timeout(PATIENCE, parts.message()).await.unwrap()? {
        bytes.extend(part.chunk);
    }
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(&*bytes).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut file = Vec::new();
        entry.read_to_end(&mut file).unwrap();
        files.insert(name, file);
    }
    Ok(files)
}

async fn replay_file(server: &TestServer, key: Option<&ApiKey>, match_id: &str) -> Vec<u8> {
    let get = GetReplayRequest {
        match_id: match_id.to_owned(),
        as_file: true,
    };
    let got = server.matches().get_replay(by(key, get)).await;
    got.unwrap().into_inner().file
}

#[tokio::test]
async fn replays_of_a_ladder_follow_its_rule_and_others_get_results_only() {
    let locked = LockedServer::with_public_read(PublicRead::All).await;
    let server = &locked.server;
    let admin = locked.key("organizer", &[Admin]).await;
    let keys = [
        locked.key("ada", &[Play]).await,
        locked.key("bob", &[Play]).await,
    ];
    let reader = locked.key("reader", &[Read]).await;
    let ladder = Ladder {
        ladder_id: "league".to_owned(),
        config: Some(MatchConfig {
            seed: None,
            ..config(GAMES[0], 2)
        }),
        replays: LadderReplays::AfterSeason.into(),
        ..Ladder::default()
    };
    let create = CreateLadderRequest {
        ladder: Some(ladder),
    };
    ladders(server)
        .create_ladder(by(Some(&admin), create))
        .await
        .unwrap();
    let bots = keys.each_ref().map(|key| attend(server, key));
    let one = ended_match(server, None).await.r#match.unwrap();
    let id = &*one.match_id;
    let hidden =
        [None, Some("SCOPE_MISSING"), Some("SCOPE_MISSING")].map(|why| why.map(str::to_owned));
    let seen = [const { None::<String> }; 3];
    assert_eq!(refusal_reasons(server, None, id).await, hidden);
    assert_eq!(refusal_reasons(server, Some(&reader), id).await, hidden);
    for key in [&admin, &keys[0], &keys[1]] {
        assert_eq!(refusal_reasons(server, Some(key), id).await, seen);
        let files = archive(server, Some(key), "ada", "bob").await.unwrap();
        let (_, archived) = files.iter().find(|(name, _)| name.contains(id)).unwrap();
        assert_eq!(*archived, replay_file(server, Some(key), id).await);
    }
    for key in [None, Some(&reader)] {
        let files = archive(server, key, "ada", "").await.unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["league/left-out.csv"]);
        let left_out = String::from_utf8(files["league/left-out.csv"].clone()).unwrap();
        let line = left_out.lines().find(|line| line.contains(id)).unwrap();
        assert!(line.ends_with(",SCOPE_MISSING"), "{line}");
    }
    for (bot, against, why) in [
        ("", "", "INVALID_FIELD"),
        ("nobody", "", "BOT_UNKNOWN"),
        ("ada", "nobody", "BOT_UNKNOWN"),
    ] {
        let refused = archive(server, Some(&admin), bot, against).await;
        assert_eq!(reason(&refused.unwrap_err()), why);
    }
    let close = AdvanceLadderRequest {
        ladder_id: "league".to_owned(),
        state: LadderState::Closed.into(),
    };
    ladders(server)
        .advance_ladder(by(Some(&admin), close))
        .await
        .unwrap();
    assert_eq!(refusal_reasons(server, None, id).await, seen);
    let files = archive(server, None, "ada", "").await.unwrap();
    assert!(files.keys().any(|name| name.contains(id)));
    bots.iter().for_each(JoinHandle::abort);
}

#[tokio::test]
async fn a_key_without_read_scope_gets_results_of_ladder_matches_of_others() {
    let locked = LockedServer::with_public_read(PublicRead::Results).await;
    let server = &locked.server;
    let admin = locked.key("organizer", &[Admin]).await;
    let keys = [
        locked.key("ada", &[Play]).await,
        locked.key("bob", &[Play]).await,
    ];
    let other = locked.key("other", &[Play]).await;
    let ladder = Ladder {
        ladder_id: "league".to_owned(),
        config: Some(MatchConfig {
            seed: None,
            ..config(GAMES[0], 2)
        }),
        ..Ladder::default()
    };
    let create = CreateLadderRequest {
        ladder: Some(ladder),
    };
    ladders(server)
        .create_ladder(by(Some(&admin), create))
        .await
        .unwrap();
    let bots = keys.each_ref().map(|key| attend(server, key));
    for (key, sees_all) in [
        (None, false),
        (Some(&other), false),
        (Some(&admin), true),
        (Some(&keys[0]), true),
    ] {
        let info = ended_match(server, key).await.r#match.unwrap();
        // A list of results contains the places but not the seed.
        assert_eq!(!info.seed_commitment.is_empty(), sees_all);
        let result = info.result.unwrap();
        let names: Vec<_> = result.seats.iter().map(|seat| &*seat.bot_name).collect();
        assert!(
            names.contains(&"ada") && names.contains(&"bob"),
            "{names:?}"
        );
        assert!(result.seats.iter().all(|seat| seat.place > 0));
    }
    bots.iter().for_each(JoinHandle::abort);
}
