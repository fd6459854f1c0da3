//! What the waiting room tells and counts.

mod scene;

use std::time::Duration;

use bridgemaster_proto::v1::{AttendanceState as State, attend_response::Message};

use self::scene::{STARTUP, Scene, bot, only, queue, rules, seat};
use super::*;
use crate::{
    hosting::Ticket,
    lobby::{QueueRules, Standing, telling::Told, watching::Watched},
};

#[test]
fn an_offer_comes_once_on_a_stream_and_again_on_the_next_as_the_same() {
    let mut scene = Scene::new();
    let first = scene.attend("ada", 2);
    scene.offer("m", &["ada"]).unwrap();
    let told = scene.offers(first);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].time_left_ms, 30_000);
    assert!(scene.offers(first).is_empty());
    let id = scene.shown("ada").unwrap().attendance_id;

    scene.room.lost(first, scene.now);
    assert_eq!(scene.state("ada"), State::Absent);
    scene.pass(Duration::from_secs(10));
    let second = scene.attend("ada", 2);
    assert_eq!(scene.shown("ada").unwrap().attendance_id, id);
    let again = scene.offers(second);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].offer_id, told[0].offer_id);
    assert_eq!(again[0].ticket, told[0].ticket);
    assert_eq!(again[0].time_left_ms, 20_000);
}

#[test]
fn a_bot_that_was_started_again_is_told_the_seats_that_it_plays() {
    let mut scene = Scene::new();
    let first = scene.attend("ada", 2);
    scene.offer("m", &["ada"]).unwrap();
    let told = scene.offers(first);
    let id = MatchId::new("m").unwrap();
    scene.room.joined(&id, seat(0));
    assert!(scene.offers(first).is_empty(), "it knows");
    scene.pass(2 * STARTUP);
    let second = scene.attend("ada", 2);
    let again = scene.offers(second);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].ticket, told[0].ticket);
    assert_eq!(again[0].time_left_ms, 0);
    assert!(scene.offers(second).is_empty());
    assert_eq!(scene.shown("ada").unwrap().slots_used, 1);
    let (other, _) = scene.try_attend("ada", "2", 2).unwrap();
    assert!(scene.offers(other).is_empty(), "another version plays it");
    let back = scene.attend("ada", 2);
    scene.room.over(&id, scene.now);
    assert!(scene.offers(back).is_empty(), "it is over");
}

#[test]
fn the_newest_stream_of_an_attendance_wins() {
    let mut scene = Scene::new();
    let first = scene.attend("ada", 1);
    let second = scene.attend("ada", 1);
    assert!(scene.room.take_woken().contains(&first));
    assert_eq!(scene.told(first), [Told::End(StreamEnd::Superseded)]);
    scene.room.lost(first, scene.now);
    assert_eq!(scene.state("ada"), State::Active, "the second is there");
    assert_eq!(scene.told(second).len(), 1);
}

#[test]
fn an_offer_that_is_not_taken_in_time_is_withdrawn_and_the_bot_rests() {
    let mut scene = Scene::new();
    let stream = scene.attend("ada", 1);
    scene.offer("m", &["ada"]).unwrap();
    let offered = scene.offers(stream).remove(0).offer_id;
    scene.pass(STARTUP - Duration::from_millis(1));
    assert_eq!(scene.shown("ada").unwrap().slots_used, 1);
    scene.pass(Duration::from_millis(1));
    let withdrawn = only(scene.told(stream), |message| match message {
        Message::OfferWithdrawn(withdrawn) => Some(withdrawn),
        _ => None,
    });
    assert_eq!(withdrawn.offer_id, offered);
    assert_eq!(scene.shown("ada").unwrap().slots_used, 0);
    let refused = scene.offer("n", &["ada"]).unwrap_err();
    assert!(
        matches!(refused, Refused::NotAvailable { .. }),
        "{refused:?}"
    );
    scene.pass(Duration::from_secs(1));
    scene.offer("n", &["ada"]).unwrap();
    // The second in a row costs twice as much.
    scene.pass(STARTUP);
    scene.pass(Duration::from_secs(1));
    scene.offer("o", &["ada"]).unwrap_err();
    scene.pass(Duration::from_secs(1));
    scene.offer("o", &["ada"]).unwrap();
    scene.room.joined(&MatchId::new("o").unwrap(), seat(0));
    scene.room.over(&MatchId::new("o").unwrap(), scene.now);
    scene
        .offer("p", &["ada"])
        .expect("who takes one rests no more");
}

#[test]
fn a_slot_is_used_from_the_offer_to_the_end_of_the_match() {
    let mut scene = Scene::new();
    scene.attend("ada", 1);
    scene.attend("bob", 2);
    scene.offer("m", &["ada", "bob"]).unwrap();
    let refused = scene.offer("n", &["bob", "ada"]).unwrap_err();
    let Refused::NotAvailable { bot: who, why } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(who, bot("ada"));
    assert!(why.contains("1 of its 1 slots"), "{why}");
    scene
        .offer("n", &["bob"])
        .expect("nothing is held for what was refused");
    scene.room.joined(&MatchId::new("m").unwrap(), seat(0));
    scene.offer("o", &["ada"]).unwrap_err();
    scene.room.over(&MatchId::new("m").unwrap(), scene.now);
    scene.offer("o", &["ada"]).unwrap();
    scene.offer("p", &["ada", "ada"]).unwrap_err();
}

#[test]
fn another_version_is_another_attendance_and_the_older_ones_open_offers_are_off() {
    let mut scene = Scene::new();
    let first = scene.attend("ada", 3);
    scene.offer("open", &["ada"]).unwrap();
    scene.offer("taken", &["ada"]).unwrap();
    scene.room.joined(&MatchId::new("taken").unwrap(), seat(0));
    let id = scene.shown("ada").unwrap().attendance_id;
    let (second, off) = scene.try_attend("ada", "2", 3).unwrap();
    assert_eq!(off, [(MatchId::new("open").unwrap(), seat(0))]);
    assert_eq!(scene.told(first), [Told::End(StreamEnd::Superseded)]);
    assert!(scene.offers(second).is_empty());
    let now = scene.shown("ada").unwrap();
    assert_ne!(now.attendance_id, id);
    assert_eq!(now.bot_version, "2");
    assert_eq!(now.slots_used, 1, "the older version plays on");
}

#[test]
fn who_leaves_is_gone_after_its_last_match() {
    let mut scene = Scene::new();
    let stream = scene.attend("ada", 2);
    scene.offer("m", &["ada"]).unwrap();
    scene.room.joined(&MatchId::new("m").unwrap(), seat(0));
    let id = AttendanceId::from_client(&scene.shown("ada").unwrap().attendance_id);
    scene.room.leave(&id, None).unwrap();
    assert_eq!(scene.state("ada"), State::Leaving);
    scene.offer("n", &["ada"]).unwrap_err();
    assert!(!scene.told(stream).contains(&Told::End(StreamEnd::Left)));
    scene.room.over(&MatchId::new("m").unwrap(), scene.now);
    assert_eq!(scene.told(stream), [Told::End(StreamEnd::Left)]);
    assert_eq!(scene.shown("ada"), None);
    let gone = scene.room.leave(&id, None);
    assert_eq!(gone, Err(Refused::AttendanceUnknown));
}

#[test]
fn who_pauses_is_offered_nothing_and_changes_its_slots() {
    let mut scene = Scene::new();
    scene.attend("ada", 1);
    let id = AttendanceId::from_client(&scene.shown("ada").unwrap().attendance_id);
    let paused = scene.room.update(&id, None, Some(2), Some(true)).unwrap();
    assert_eq!((paused.slots, paused.state()), (2, State::Paused));
    scene.offer("m", &["ada"]).unwrap_err();
    scene.attend("ada", 2);
    assert_eq!(scene.state("ada"), State::Paused, "it keeps its attendance");
    scene.room.update(&id, None, None, Some(false)).unwrap();
    scene.offer("m", &["ada"]).unwrap();
    scene.offer("n", &["ada"]).unwrap();
    let stranger = KeyName::new("bob").unwrap();
    let refused = scene.room.update(&id, Some(&stranger), Some(3), None);
    assert_eq!(refused, Err(Refused::AttendanceUnknown));
}

#[test]
fn only_the_bot_of_an_open_offer_declines_it() {
    let mut scene = Scene::new();
    scene.attend("ada", 2);
    scene.offer("m", &["ada"]).unwrap();
    let id_of = |id: &str, number| {
        let ticket = Ticket::from_client(&format!("ticket-{id}-{number}"));
        OfferId::of(&MatchId::new(id).unwrap(), seat(number), &ticket)
    };
    let (offer, now) = (id_of("m", 0), scene.now);
    let other_ticket = Ticket::from_client("guessed");
    let guessed = OfferId::of(&MatchId::new("m").unwrap(), seat(0), &other_ticket);
    let refused = scene.room.decline(&guessed, None, now);
    assert_eq!(
        refused,
        Err(Refused::OfferUnknown),
        "only who was told of it knows it"
    );
    let stranger = KeyName::new("bob").unwrap();
    let refused = scene.room.decline(&offer, Some(&stranger), now);
    assert_eq!(refused, Err(Refused::OfferUnknown));
    let declined = scene.room.decline(&offer, None, now);
    assert_eq!(declined, Ok((MatchId::new("m").unwrap(), seat(0))));
    assert_eq!(scene.shown("ada").unwrap().slots_used, 0);
    let gone = ["m-0", "m-0-0", "m", ""].map(OfferId::from_client);
    for gone in gone.into_iter().chain([offer, id_of("m", 1)]) {
        let refused = scene.room.decline(&gone, None, now);
        assert_eq!(refused, Err(Refused::OfferUnknown), "{gone:?}");
    }
    scene.pass(Duration::from_secs(1));
    scene.offer("n", &["ada"]).unwrap();
    scene.room.joined(&MatchId::new("n").unwrap(), seat(0));
    let taken = scene.room.decline(&id_of("n", 0), None, scene.now);
    assert_eq!(taken, Err(Refused::OfferUnknown));
}

#[test]
fn a_bot_that_comes_and_goes_leaves_one_moment_to_look_at() {
    let mut scene = Scene::new();
    for _ in 0..100 {
        let stream = scene.attend("ada", 1);
        scene.room.lost(stream, scene.now);
        scene.pass(Duration::from_secs(1));
    }
    assert_eq!(scene.room.due.len(), 1);
    scene.attend("ada", 1);
    assert_eq!(scene.room.due.len(), 0, "it is there");
}

#[test]
fn who_is_away_for_long_attends_no_more_and_a_match_in_play_keeps_its_place() {
    let absence = Limits::default().attendance_absence;
    let mut scene = Scene::new();
    let stream = scene.attend("ada", 1);
    scene.room.lost(stream, scene.now);
    scene.pass(absence / 2);
    let stream = scene.attend("ada", 1);
    scene.room.lost(stream, scene.now);
    scene.pass(absence / 2);
    assert!(scene.shown("ada").is_some(), "it was there meanwhile");
    scene.pass(absence / 2);
    assert_eq!(scene.shown("ada"), None);

    let stream = scene.attend("bob", 1);
    scene.offer("m", &["bob"]).unwrap();
    scene.room.joined(&MatchId::new("m").unwrap(), seat(0));
    scene.room.lost(stream, scene.now);
    scene.pass(absence * 2);
    assert!(scene.shown("bob").is_some());
    scene.room.over(&MatchId::new("m").unwrap(), scene.now);
    assert_eq!(scene.shown("bob"), None);
}

#[test]
fn a_benched_version_is_told_and_another_comes() {
    let mut scene = Scene::new();
    let stream = scene.attend("ada", 1);
    scene.told(stream);
    let detail = "three faults in a row".to_owned();
    let benched = Standing::Benched { detail };
    scene.room.set_standing(&queue(), &bot("ada"), "1", benched);
    let told = scene.told(stream);
    assert!(matches!(
        &told[..],
        [Told::Message(_), Told::End(StreamEnd::Benched(_))]
    ));
    let refused = scene.try_attend("ada", "1", 1).unwrap_err();
    assert_eq!(
        refused,
        Refused::Benched("three faults in a row".to_owned())
    );
    scene.try_attend("ada", "2", 1).unwrap();
    assert_eq!(scene.state("ada"), State::Active);
    scene.room.set_standing(
        &queue(),
        &bot("ada"),
        "2",
        Standing::Validating { failed: None },
    );
    assert_eq!(scene.state("ada"), State::Validating);
}

#[test]
fn offers_of_an_earlier_server_wait_for_their_bots() {
    let mut scene = Scene::new();
    let offer = scene.seat_offer("m", 0, &bot("ada"), "1");
    scene.room.place(&queue(), &bot("ada"), offer);
    let stream = scene.attend("ada", 1);
    assert!(scene.offers(stream)[0].offer_id.starts_with("m-0-"));

    let closed = QueueId::new("closed").unwrap();
    let offer = scene.seat_offer("n", 0, &bot("bob"), "1");
    scene.room.place(&closed, &bot("bob"), offer);
    assert!(scene.room.rules(&closed).is_some());
    assert!(!scene.room.admits(&closed, None));
    scene.room.over(&MatchId::new("n").unwrap(), scene.now);
    assert!(scene.room.rules(&closed).is_none());
}

#[test]
fn a_closed_queue_ends_with_the_last_of_its_matches() {
    let mut scene = Scene::new();
    let (ada, bob) = (scene.attend("ada", 1), scene.attend("bob", 1));
    scene.offer("m", &["ada"]).unwrap();
    scene.room.close_queue(&queue());
    assert!(scene.told(bob).contains(&Told::End(StreamEnd::Left)));
    assert!(!scene.told(ada).contains(&Told::End(StreamEnd::Left)));
    let refused = scene.try_attend("cid", "1", 1).unwrap_err();
    assert_eq!(refused, Refused::QueueUnknown);
    let mut watched = Watched::default();
    assert!(scene.room.news(&queue(), &mut watched).is_some());
    scene.room.over(&MatchId::new("m").unwrap(), scene.now);
    assert!(scene.told(ada).contains(&Told::End(StreamEnd::Left)));
    assert!(scene.room.news(&queue(), &mut watched).is_none());
}

#[test]
fn a_queue_belongs_to_who_opened_it_and_names_are_taken_once() {
    let mut scene = Scene::new();
    scene.room.open_queue(rules()).expect("the same call again");
    let other = QueueRules {
        owner: Some(KeyName::new("maker").unwrap()),
        ..rules()
    };
    let taken = scene.room.open_queue(other.clone());
    assert_eq!(taken, Err(Refused::QueueTaken));
    let mut scene = Scene::with(&Limits {
        queues: 2,
        ..Limits::default()
    });
    let named = |name: &str| QueueRules {
        queue_id: QueueId::new(name).unwrap(),
        ..other.clone()
    };
    scene.room.open_queue(named("a")).unwrap();
    let full = scene.room.open_queue(named("b"));
    assert_eq!(full, Err(Refused::ServerLimit("queues", 2)));
}

#[test]
fn attendances_are_limited_and_who_comes_back_counts_once() {
    let limits = Limits {
        attendances_per_caller: 2,
        ..Limits::default()
    };
    let mut scene = Scene::with(&limits);
    scene.attend("ada", 1);
    scene.attend("bob", 1);
    let full = scene.try_attend("cid", "1", 1).unwrap_err();
    assert_eq!(full, Refused::Limit("attendances_per_caller", 2));
    scene.attend("ada", 1);
    scene.try_attend("bob", "2", 1).unwrap();
    let id = AttendanceId::from_client(&scene.shown("ada").unwrap().attendance_id);
    scene.room.leave(&id, None).unwrap();
    scene.attend("cid", 1);
}

#[test]
fn a_watcher_is_told_who_is_there_what_changes_and_who_is_gone() {
    let mut scene = Scene::new();
    let mut watched = Watched::default();
    assert!(scene.room.news(&queue(), &mut watched).unwrap().is_empty());
    let ada = scene.attend("ada", 1);
    scene.attend("bob", 1);
    let news = scene.room.news(&queue(), &mut watched).unwrap();
    assert_eq!(news.len(), 2);
    assert!(scene.room.news(&queue(), &mut watched).unwrap().is_empty());
    scene.room.lost(ada, scene.now);
    let news = scene.room.news(&queue(), &mut watched).unwrap();
    assert_eq!(news.len(), 1);
    let attendance = news[0].attendance.clone().unwrap();
    assert_eq!(attendance.state(), State::Absent);
    scene.pass(Limits::default().attendance_absence);
    let news = scene.room.news(&queue(), &mut watched).unwrap();
    assert!(news.len() == 1 && news[0].ended, "{news:?}");
}

#[test]
fn a_bot_is_told_of_free_slots_with_its_next_offer_or_after_a_while() {
    let mut scene = Scene::new();
    let stream = scene.attend("ada", 2);
    let attendances = |told: Vec<Told>| {
        let is_attendance = |told: &&Told| match told {
            Told::Message(message) => matches!(message.message, Some(Message::Attendance(_))),
            _ => false,
        };
        told.iter().filter(is_attendance).count()
    };
    for id in ["m", "n"] {
        scene.offer(id, &["ada"]).unwrap();
        scene.room.joined(&MatchId::new(id).unwrap(), seat(0));
    }
    scene.told(stream);
    scene.room.take_woken();
    for id in ["m", "n"] {
        scene.room.over(&MatchId::new(id).unwrap(), scene.now);
    }
    assert_eq!(scene.room.take_woken(), [], "nothing that it waits for");
    scene.pass(Duration::from_millis(99));
    assert_eq!(scene.room.take_woken(), []);
    scene.pass(Duration::from_millis(1));
    assert_eq!(scene.room.take_woken(), [stream]);
    assert_eq!(attendances(scene.told(stream)), 1, "of both at once");

    scene.offer("o", &["ada"]).unwrap();
    let id = MatchId::new("o").unwrap();
    scene.room.joined(&id, seat(0));
    scene.told(stream);
    scene.room.over(&id, scene.now);
    scene.room.take_woken();
    scene.offer("p", &["ada"]).unwrap();
    assert_eq!(scene.room.take_woken(), [stream]);
    assert_eq!(attendances(scene.told(stream)), 1);
}
