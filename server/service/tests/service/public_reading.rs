//! Read access on a server that requires keys: without a key, and with a key that has few scopes.

use std::{collections::BTreeMap, io::Read as _};

use bridgemaster_proto::v1::{
    ExportReplaysRequest, Ladder, LadderMatch, LadderReplays, LadderState, MatchState,
    OfferPurpose, WatchMatchesRequest,
};
use bridgemaster_server::{
    ServerOptions,
    identity::{
        ApiKey, KEY_METADATA,
        KeyScope::{Admin, Create, Play, Read},
        PublicRead,
    },
};
use tonic::Status;

use crate::{
    caller::{Caller, play_by, positions_of},
    delayed_law::forking,
    keys::locked_methods,
    ladder_fixture::{NAME, advance, league, make, matches},
    raw_call::call,
    streams::{next, outcome, reason, rest, until},
    test_server::{TestServer, of_two},
};

const PAGE: &str = include_str!("../../../../docs/reference/visibility.md");
const LEVELS: [PublicRead; 4] =
    [PublicRead::None, PublicRead::Results, PublicRead::Matches, PublicRead::All];

/// Starts a server that requires keys and permits reading without one up to this level.
async fn readable(public_read: PublicRead) -> TestServer {
    TestServer::locked(ServerOptions { public_read, ..ServerOptions::default() }).await
}

/// Adds the keys of two bots.
async fn bots(server: &TestServer) -> [Caller; 2] {
    [server.caller("ada", &[Play]).await, server.caller("bob", &[Play]).await]
}

/// Returns the table of the operators' manual, which states for each level whether a call needs a
/// key.
fn documented() -> BTreeMap<String, [bool; 4]> {
    let (_, rest) = PAGE.split_once("| call without a key |").unwrap();
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
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
    assert_eq!(documented.len(), 16, "{documented:?}");
    for (place, level) in LEVELS.into_iter().enumerate() {
        let server = readable(level).await;
        // Causes an update on the stream of matches in play.
        server.caller("maker", &[Create]).await.create(of_two()).await;
        let methods = locked_methods().into_iter();
        for path in methods.filter(|path| !path.contains("RulesService")) {
            let name = path.rsplit('/').next().unwrap();
            let is_answered = documented.get(name).is_some_and(|levels| levels[place]);
            let called = outcome(call(&server, &path, &[]).await);
            let is_refused = called == "KEY_MISSING";
            assert_eq!(is_refused, !is_answered, "{level:?} {path}: {called}");
            // An invalid key is refused even where no key is required.
            let forged = ApiKey::generate().reveal();
            let called = call(&server, &path, &[(KEY_METADATA, &*forged)]).await;
            assert_eq!(outcome(called), "KEY_UNKNOWN", "{path}");
        }
    }
}

/// Returns the reasons for which a match, its positions and its replay are refused, or "OK".
async fn outcomes(caller: &Caller, match_id: &str) -> [String; 3] {
    let positions = positions_of(match_id, &[]);
    [
        outcome(caller.try_info(match_id).await),
        outcome(caller.positions(positions).await),
        outcome(caller.replay(match_id).await),
    ]
}

#[tokio::test]
async fn a_match_of_others_is_visible_as_scope_and_server_allow() {
    let no_key = "KEY_MISSING";
    let unknown = ["MATCH_UNKNOWN"; 3];
    let scope = "SCOPE_MISSING";
    for (level, guest, stranger) in [
        (PublicRead::None, [no_key; 3], unknown),
        (PublicRead::Results, [no_key; 3], unknown),
        (PublicRead::Matches, ["OK", no_key, no_key], ["OK", scope, scope]),
        (PublicRead::All, ["OK"; 3], ["OK"; 3]),
    ] {
        let server = readable(level).await;
        let maker = server.caller("maker", &[Create]).await;
        let [ada, bob] = bots(&server).await;
        let reader = server.caller("reader", &[Read]).await;
        let other = server.caller("other", &[Play, Create]).await;
        let seated = maker.create(of_two()).await;
        let id = &*seated.match_id;
        // This stream is not read before the match has ended.
        let watched = server.positions(positions_of(id, &[])).await;
        play_by(&[&ada, &bob], &seated).await;
        assert_eq!(outcomes(&server, id).await, guest, "{level:?}");
        assert_eq!(outcomes(&other, id).await, stranger, "{level:?}");
        for caller in [&maker, &reader, &ada, &bob] {
            assert_eq!(outcomes(caller, id).await, ["OK"; 3], "{level:?}");
        }
        // A match whose replay is withheld cannot be forked.
        let forked = outcome(other.create_by(forking(id)).await);
        assert_eq!(forked, stranger[2], "{level:?}");
        maker.create_by(forking(id)).await.unwrap();
        let shows_matches = guest[0] == "OK";
        assert_eq!(watched.is_ok(), shows_matches, "{level:?}");
        if let Ok(watched) = watched {
            let positions = rest(watched).await.into_iter();
            let played = positions.filter_map(|update| update.position?.played);
            let decided: Vec<bool> = played.map(|played| played.decision.is_some()).collect();
            // Decisions that are withheld after the match were not sent during it either.
            let has_decisions = level == PublicRead::All;
            assert!(!decided.is_empty() && (has_decisions || !decided.contains(&true)));
        }
    }
}

#[tokio::test]
async fn the_overview_contains_only_matches_that_the_caller_may_see() {
    for (level, sees_all) in [(PublicRead::None, false), (PublicRead::Matches, true)] {
        let server = readable(level).await;
        let maker = server.caller("maker", &[Create]).await;
        let other = server.caller("other", &[Create]).await;
        let of_maker = maker.create(of_two()).await.match_id;
        let of_other = other.create(of_two()).await.match_id;
        // The newest match is sent first.
        let newest = async |caller: &Caller| {
            let watching = caller.overview(WatchMatchesRequest::default()).await;
            let update = next(&mut watching?).await?.unwrap();
            Ok::<_, Status>(update.r#match.unwrap().match_id)
        };
        let seen = if sees_all { &of_other } else { &of_maker };
        assert_eq!(newest(&maker).await.unwrap(), *seen, "{level:?}");
        match newest(&server).await {
            Ok(first) => assert!(sees_all && first == of_other),
            Err(refused) => {
                assert!(!sees_all, "{refused:?}");
                assert_eq!(reason(&refused), "KEY_MISSING");
            }
        }
    }
}

/// Starts a ladder with two bots that attend it.
async fn play_ladder(server: &TestServer, ladder: Ladder) -> (Caller, [Caller; 2]) {
    let admin = server.caller("organiser", &[Admin]).await;
    make(&admin, ladder).await.unwrap();
    let bots = bots(server).await;
    for bot in &bots {
        bot.attend(NAME, "named by its key", "1", 1);
    }
    (admin, bots)
}

/// Returns the first rated match of the ladder that has ended, as this caller sees it.
async fn ended_match(caller: &Caller) -> LadderMatch {
    let mut found = None;
    until("a match ends", async || {
        let mut oldest_first = matches(caller, "").await.into_iter().rev();
        found = oldest_first.find(|one| {
            let info = one.r#match.as_ref().unwrap();
            one.purpose() == OfferPurpose::Rated && info.state() == MatchState::Ended
        });
        found.is_some()
    })
    .await;
    found.unwrap()
}

/// Returns the files of an archive of replays, by name.
async fn archive(
    caller: &Caller,
    bot_name: &str,
    against: &str,
) -> Result<BTreeMap<String, Vec<u8>>, Status> {
    let export = ExportReplaysRequest {
        ladder_id: NAME.to_owned(),
        bot_name: bot_name.to_owned(),
        against_bot_name: against.to_owned(),
    };
    let mut parts = caller.ladders().export_replays(export).await?.into_inner();
    let mut bytes = Vec::new();
    while let Some(part) = next(&mut parts).await? {
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

#[tokio::test]
async fn replays_of_a_ladder_follow_its_rule_and_others_get_results_only() {
    let server = readable(PublicRead::All).await;
    let reader = server.caller("reader", &[Read]).await;
    let withheld = Ladder { replays: LadderReplays::AfterSeason.into(), ..league() };
    let (admin, [ada, bob]) = play_ladder(&server, withheld).await;
    let guest: &Caller = &server;
    let one = ended_match(guest).await.r#match.unwrap();
    let id = &*one.match_id;
    for caller in [guest, &reader] {
        let hidden = ["OK", "SCOPE_MISSING", "SCOPE_MISSING"];
        assert_eq!(outcomes(caller, id).await, hidden);
        let files = archive(caller, "ada", "").await.unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["league/left-out.csv"]);
        let left_out = String::from_utf8(files["league/left-out.csv"].clone()).unwrap();
        let line = left_out.lines().find(|line| line.contains(id)).unwrap();
        assert!(line.ends_with(",SCOPE_MISSING"), "{line}");
    }
    for caller in [&admin, &ada, &bob] {
        assert_eq!(outcomes(caller, id).await, ["OK"; 3]);
        let files = archive(caller, "ada", "bob").await.unwrap();
        let (_, archived) = files.iter().find(|(name, _)| name.contains(id)).unwrap();
        assert_eq!(*archived, caller.replay_file(id).await.unwrap());
    }
    for (bot, against, why) in
        [("", "", "INVALID_FIELD"), ("nobody", "", "BOT_UNKNOWN"), ("ada", "nobody", "BOT_UNKNOWN")]
    {
        assert_eq!(outcome(archive(&admin, bot, against).await), why);
    }
    advance(&admin, LadderState::Closed).await.unwrap();
    assert_eq!(outcomes(guest, id).await, ["OK"; 3]);
    let files = archive(guest, "ada", "").await.unwrap();
    assert!(files.keys().any(|name| name.contains(id)));
}

#[tokio::test]
async fn a_key_without_read_scope_gets_results_of_ladder_matches_of_others() {
    let server = readable(PublicRead::Results).await;
    let other = server.caller("other", &[Play]).await;
    let (admin, [ada, _]) = play_ladder(&server, league()).await;
    for (caller, sees_all) in [(&*server, false), (&other, false), (&admin, true), (&ada, true)] {
        let info = ended_match(caller).await.r#match.unwrap();
        // A list of results contains the places, but not the seed.
        assert_eq!(!info.seed_commitment.is_empty(), sees_all);
        let result = info.result.unwrap();
        let mut names: Vec<_> = result.seats.iter().map(|seat| &*seat.bot_name).collect();
        names.sort_unstable();
        assert_eq!(names, ["ada", "bob"]);
        assert!(result.seats.iter().all(|seat| seat.place > 0));
    }
}
