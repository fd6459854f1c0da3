//! Tests of the waiting room's messages and limits.

mod fixture;
mod forwarding;

use std::time::Duration;

use bridgemaster_live::Ticket;
use bridgemaster_proto::v1::{AttendanceState as State, attend_response::Message};

use self::fixture::{Fixture, STARTUP, bot, only, queue, rules, seat};
use super::{
    super::{
        QueueRules, VersionStatus,
        messages::{QueueCursor, StreamPoll},
    },
    *,
};

#[test]
fn an_offer_is_sent_once_per_stream_and_stays_the_same() {
    let mut fixture = Fixture::new();
    let first = fixture.attend("ada", 2);
    fixture.offer("m", &["ada"]).unwrap();
    let messages = fixture.offers(first);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].time_left_ms, 30_000);
    assert!(fixture.offers(first).is_empty());
    let id = fixture.attendance("ada").unwrap().attendance_id;

    fixture.room.disconnect(first, fixture.now);
    assert_eq!(fixture.state("ada"), State::Absent);
    fixture.pass(Duration::from_secs(10));
    let second = fixture.attend("ada", 2);
    assert_eq!(fixture.attendance("ada").unwrap().attendance_id, id);
    let again = fixture.offers(second);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].offer_id, messages[0].offer_id);
    assert_eq!(again[0].ticket, messages[0].ticket);
    assert_eq!(again[0].time_left_ms, 20_000);
}

#[test]
fn a_restarted_bot_is_sent_the_seats_that_it_plays() {
    let mut fixture = Fixture::new();
    let first = fixture.attend("ada", 2);
    fixture.offer("m", &["ada"]).unwrap();
    let messages = fixture.offers(first);
    let id = MatchId::new("m").unwrap();
    fixture.room.record_taken_seat(&id, seat(0));
    assert!(fixture.offers(first).is_empty(), "it has the offer already");
    fixture.pass(2 * STARTUP);
    let second = fixture.attend("ada", 2);
    let again = fixture.offers(second);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].ticket, messages[0].ticket);
    assert_eq!(again[0].time_left_ms, 0);
    assert!(fixture.offers(second).is_empty());
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 1);
    let (other, _) = fixture.try_attend("ada", "2", 2).unwrap();
    assert!(fixture.offers(other).is_empty(), "another version plays it");
    let back = fixture.attend("ada", 2);
    fixture.room.end_match(&id, fixture.now);
    assert!(fixture.offers(back).is_empty(), "it is over");
}

#[test]
fn the_newest_stream_of_an_attendance_wins() {
    let mut fixture = Fixture::new();
    let first = fixture.attend("ada", 1);
    let second = fixture.attend("ada", 1);
    assert!(fixture.room.take_streams_with_messages().contains(&first));
    assert_eq!(fixture.messages(first), [StreamPoll::End(StreamEnd::Superseded)]);
    fixture.room.disconnect(first, fixture.now);
    assert_eq!(fixture.state("ada"), State::Active, "the second stream is open");
    assert_eq!(fixture.messages(second).len(), 1);
}

#[test]
fn a_request_that_a_client_sent_before_the_newest_one_leaves_its_attendance_alone() {
    let mut fixture = Fixture::new();
    let mut attend = |id: &str, number| {
        fixture.client_stream = ClientStream::from_client(id, number).unwrap();
        let attended = fixture.try_attend("ada", "1", 1);
        attended.map(|(stream, _)| (stream, fixture.messages(stream).len()))
    };
    let second = attend("client", 2).unwrap();
    assert_eq!(attend("client", 1), Err(LobbyError::Superseded));
    let (third, _) = attend("client", 3).unwrap();
    let (of_other, _) = attend("other", 1).unwrap();
    let (without, _) = attend("", 0).unwrap();
    assert!(third > second.0 && of_other > third && without > of_other);
    fixture.room.disconnect(without, fixture.now);
    assert_eq!(fixture.state("ada"), State::Absent);
}

#[test]
fn an_expired_offer_is_withdrawn_and_the_bot_backs_off() {
    let mut fixture = Fixture::new();
    let stream = fixture.attend("ada", 1);
    fixture.offer("m", &["ada"]).unwrap();
    let offered = fixture.offers(stream).remove(0).offer_id;
    fixture.pass(STARTUP - Duration::from_millis(1));
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 1);
    fixture.pass(Duration::from_millis(1));
    let withdrawn = only(fixture.messages(stream), |message| match message {
        Message::OfferWithdrawn(withdrawn) => Some(withdrawn),
        _ => None,
    });
    assert_eq!(withdrawn.offer_id, offered);
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 0);
    let refused = fixture.offer("n", &["ada"]).unwrap_err();
    assert!(matches!(refused, LobbyError::NotAvailable { .. }), "{refused:?}");
    fixture.pass(Duration::from_secs(1));
    fixture.offer("n", &["ada"]).unwrap();
    // The second missed offer in a row doubles the backoff.
    fixture.pass(STARTUP);
    fixture.pass(Duration::from_secs(1));
    fixture.offer("o", &["ada"]).unwrap_err();
    fixture.pass(Duration::from_secs(1));
    fixture.offer("o", &["ada"]).unwrap();
    fixture.room.record_taken_seat(&MatchId::new("o").unwrap(), seat(0));
    fixture.room.end_match(&MatchId::new("o").unwrap(), fixture.now);
    fixture.offer("p", &["ada"]).expect("an accepted offer ends the backoff");
}

#[test]
fn a_slot_is_used_from_the_offer_to_the_end_of_the_match() {
    let mut fixture = Fixture::new();
    fixture.attend("ada", 1);
    fixture.attend("bob", 2);
    fixture.offer("m", &["ada", "bob"]).unwrap();
    let refused = fixture.offer("n", &["bob", "ada"]).unwrap_err();
    let LobbyError::NotAvailable { bot: who, why } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(who, bot("ada"));
    assert!(why.contains("1 of its 1 slots"), "{why}");
    fixture.offer("n", &["bob"]).expect("no slot is reserved for a refused match");
    fixture.room.record_taken_seat(&MatchId::new("m").unwrap(), seat(0));
    fixture.offer("o", &["ada"]).unwrap_err();
    fixture.room.end_match(&MatchId::new("m").unwrap(), fixture.now);
    fixture.offer("o", &["ada"]).unwrap();
    fixture.offer("p", &["ada", "ada"]).unwrap_err();
}

#[test]
fn another_version_starts_another_attendance_and_cancels_open_offers() {
    let mut fixture = Fixture::new();
    let first = fixture.attend("ada", 3);
    fixture.offer("open", &["ada"]).unwrap();
    fixture.offer("taken", &["ada"]).unwrap();
    fixture.room.record_taken_seat(&MatchId::new("taken").unwrap(), seat(0));
    let id = fixture.attendance("ada").unwrap().attendance_id;
    let (second, off) = fixture.try_attend("ada", "2", 3).unwrap();
    assert_eq!(off, [(MatchId::new("open").unwrap(), seat(0))]);
    assert_eq!(fixture.messages(first), [StreamPoll::End(StreamEnd::Superseded)]);
    assert!(fixture.offers(second).is_empty());
    let now = fixture.attendance("ada").unwrap();
    assert_ne!(now.attendance_id, id);
    assert_eq!(now.bot_version, "2");
    assert_eq!(now.slots_used, 1, "the older version plays on");
}

#[test]
fn a_leaving_bot_is_removed_after_its_last_match() {
    let mut fixture = Fixture::new();
    let stream = fixture.attend("ada", 2);
    fixture.offer("m", &["ada"]).unwrap();
    fixture.room.record_taken_seat(&MatchId::new("m").unwrap(), seat(0));
    let id = AttendanceId::from_client(&fixture.attendance("ada").unwrap().attendance_id);
    fixture.room.leave_queue(&id, None).unwrap();
    assert_eq!(fixture.state("ada"), State::Leaving);
    fixture.offer("n", &["ada"]).unwrap_err();
    assert!(!fixture.messages(stream).contains(&StreamPoll::End(StreamEnd::Left)));
    fixture.room.end_match(&MatchId::new("m").unwrap(), fixture.now);
    assert_eq!(fixture.messages(stream), [StreamPoll::End(StreamEnd::Left)]);
    assert_eq!(fixture.attendance("ada"), None);
    let gone = fixture.room.leave_queue(&id, None);
    assert_eq!(gone, Err(LobbyError::AttendanceUnknown));
}

#[test]
fn a_paused_bot_is_not_offered_seats_and_can_change_its_slots() {
    let mut fixture = Fixture::new();
    fixture.attend("ada", 1);
    let id = AttendanceId::from_client(&fixture.attendance("ada").unwrap().attendance_id);
    let paused = fixture.room.update_attendance(&id, None, Some(2), Some(true), None).unwrap();
    assert_eq!((paused.slots, paused.state()), (2, State::Paused));
    fixture.offer("m", &["ada"]).unwrap_err();
    fixture.attend("ada", 2);
    assert_eq!(fixture.state("ada"), State::Paused, "it keeps its attendance");
    fixture.room.update_attendance(&id, None, None, Some(false), None).unwrap();
    fixture.offer("m", &["ada"]).unwrap();
    fixture.offer("n", &["ada"]).unwrap();
    let stranger = KeyName::new("bob").unwrap();
    let refused = fixture.room.update_attendance(&id, Some(&stranger), Some(3), None, None);
    assert_eq!(refused, Err(LobbyError::AttendanceUnknown));
}

#[test]
fn a_busy_slot_is_shown_and_gets_no_offer_until_the_bot_frees_it_or_reconnects() {
    let mut fixture = Fixture::new();
    fixture.attend("ada", 2);
    let id = AttendanceId::from_client(&fixture.attendance("ada").unwrap().attendance_id);
    let busy = |fixture: &mut Fixture, slots| {
        let room = &mut fixture.room;
        room.update_attendance(&id, None, None, None, Some(slots)).unwrap()
    };
    let shown = busy(&mut fixture, 1);
    assert_eq!((shown.slots_used, shown.busy_slots), (0, 1));
    assert_eq!(shown.state(), State::Active);
    assert!(shown.detail.starts_with("1 of 2 slots"), "{}", shown.detail);
    fixture.offer("m", &["ada"]).unwrap();
    fixture.offer("n", &["ada"]).unwrap_err();
    assert_eq!(busy(&mut fixture, 0).detail, "");
    fixture.offer("n", &["ada"]).unwrap();
    busy(&mut fixture, 2);
    fixture.attend("ada", 2);
    assert_eq!(fixture.attendance("ada").unwrap().busy_slots, 0);
}

#[test]
fn only_the_bot_of_an_open_offer_declines_it() {
    let mut fixture = Fixture::new();
    fixture.attend("ada", 2);
    fixture.offer("m", &["ada"]).unwrap();
    let id_of = |id: &str, number| {
        let ticket = Ticket::from_client(&format!("ticket-{id}-{number}"));
        OfferId::for_seat(&MatchId::new(id).unwrap(), seat(number), &ticket)
    };
    let (offer, now) = (id_of("m", 0), fixture.now);
    let other_ticket = Ticket::from_client("guessed");
    let guessed = OfferId::for_seat(&MatchId::new("m").unwrap(), seat(0), &other_ticket);
    let refused = fixture.room.decline_offer(&guessed, None, now);
    assert_eq!(refused, Err(LobbyError::OfferUnknown), "identifiers are unguessable");
    let stranger = KeyName::new("bob").unwrap();
    let refused = fixture.room.decline_offer(&offer, Some(&stranger), now);
    assert_eq!(refused, Err(LobbyError::OfferUnknown));
    let declined = fixture.room.decline_offer(&offer, None, now);
    assert_eq!(declined, Ok((MatchId::new("m").unwrap(), seat(0))));
    assert_eq!(fixture.attendance("ada").unwrap().slots_used, 0);
    let gone = ["m-0", "m-0-0", "m", ""].map(OfferId::from_client);
    for gone in gone.into_iter().chain([offer, id_of("m", 1)]) {
        let refused = fixture.room.decline_offer(&gone, None, now);
        assert_eq!(refused, Err(LobbyError::OfferUnknown), "{gone:?}");
    }
    fixture.pass(Duration::from_secs(1));
    fixture.offer("n", &["ada"]).unwrap();
    fixture.room.record_taken_seat(&MatchId::new("n").unwrap(), seat(0));
    let taken = fixture.room.decline_offer(&id_of("n", 0), None, fixture.now);
    assert_eq!(taken, Err(LobbyError::OfferUnknown));
}

#[test]
fn a_bot_that_reconnects_often_has_one_scheduled_action() {
    let mut fixture = Fixture::new();
    for _ in 0..100 {
        let stream = fixture.attend("ada", 1);
        fixture.room.disconnect(stream, fixture.now);
        fixture.pass(Duration::from_secs(1));
    }
    assert_eq!(fixture.room.due.len(), 1);
    fixture.attend("ada", 1);
    assert_eq!(fixture.room.due.len(), 0, "the bot is present");
}

#[test]
fn a_long_absence_ends_an_attendance_unless_a_match_is_in_play() {
    let absence = Limits::default().attendance_absence;
    let mut fixture = Fixture::new();
    let stream = fixture.attend("ada", 1);
    fixture.room.disconnect(stream, fixture.now);
    fixture.pass(absence / 2);
    let stream = fixture.attend("ada", 1);
    fixture.room.disconnect(stream, fixture.now);
    fixture.pass(absence / 2);
    assert!(fixture.attendance("ada").is_some(), "it was present meanwhile");
    fixture.pass(absence / 2);
    assert_eq!(fixture.attendance("ada"), None);

    let stream = fixture.attend("bob", 1);
    fixture.offer("m", &["bob"]).unwrap();
    fixture.room.record_taken_seat(&MatchId::new("m").unwrap(), seat(0));
    fixture.room.disconnect(stream, fixture.now);
    fixture.pass(absence * 2);
    assert!(fixture.attendance("bob").is_some());
    fixture.room.end_match(&MatchId::new("m").unwrap(), fixture.now);
    assert_eq!(fixture.attendance("bob"), None);
}

#[test]
fn a_benched_version_is_notified_and_another_version_may_attend() {
    let mut fixture = Fixture::new();
    let stream = fixture.attend("ada", 1);
    fixture.messages(stream);
    let detail = "three faults in a row".to_owned();
    let benched = VersionStatus::Benched { detail };
    fixture.room.set_status(&queue(), &bot("ada"), "1", benched);
    let messages = fixture.messages(stream);
    assert!(matches!(
        &messages[..],
        [StreamPoll::Message(_), StreamPoll::End(StreamEnd::Benched(_))]
    ));
    let refused = fixture.try_attend("ada", "1", 1).unwrap_err();
    assert_eq!(refused, LobbyError::Benched("three faults in a row".to_owned()));
    fixture.try_attend("ada", "2", 1).unwrap();
    assert_eq!(fixture.state("ada"), State::Active);
    fixture.room.set_status(&queue(), &bot("ada"), "2", VersionStatus::Validating { failed: None });
    assert_eq!(fixture.state("ada"), State::Validating);
}

#[test]
fn offers_of_an_earlier_server_wait_for_their_bots() {
    let mut fixture = Fixture::new();
    let offer = fixture.seat_offer("m", 0, &bot("ada"), "1");
    fixture.room.add_offer(&queue(), &bot("ada"), offer);
    let stream = fixture.attend("ada", 1);
    assert!(fixture.offers(stream)[0].offer_id.starts_with("m-0-"));

    let closed = QueueId::new("closed").unwrap();
    let offer = fixture.seat_offer("n", 0, &bot("bob"), "1");
    fixture.room.add_offer(&closed, &bot("bob"), offer);
    assert!(fixture.room.rules(&closed).is_some());
    assert!(!fixture.room.admits(&closed, None));
    fixture.room.end_match(&MatchId::new("n").unwrap(), fixture.now);
    assert!(fixture.room.rules(&closed).is_none());
}

#[test]
fn a_closed_queue_ends_with_the_last_of_its_matches() {
    let mut fixture = Fixture::new();
    let (ada, bob) = (fixture.attend("ada", 1), fixture.attend("bob", 1));
    fixture.offer("m", &["ada"]).unwrap();
    fixture.room.close_queue(&queue());
    assert!(fixture.messages(bob).contains(&StreamPoll::End(StreamEnd::Left)));
    assert!(!fixture.messages(ada).contains(&StreamPoll::End(StreamEnd::Left)));
    let refused = fixture.try_attend("cid", "1", 1).unwrap_err();
    assert_eq!(refused, LobbyError::QueueUnknown);
    let mut cursor = QueueCursor::default();
    assert!(fixture.room.updates(&queue(), &mut cursor).is_some());
    fixture.room.end_match(&MatchId::new("m").unwrap(), fixture.now);
    assert!(fixture.messages(ada).contains(&StreamPoll::End(StreamEnd::Left)));
    assert!(fixture.room.updates(&queue(), &mut cursor).is_none());
}

#[test]
fn names_of_queues_are_unique() {
    let mut fixture = Fixture::new();
    fixture.room.open_queue(rules()).expect("repeated call");
    let other = QueueRules { owner: Some(KeyName::new("maker").unwrap()), ..rules() };
    let taken = fixture.room.open_queue(other.clone());
    assert_eq!(taken, Err(LobbyError::QueueExists));
    let mut fixture = Fixture::with(&Limits { queues: 2, ..Limits::default() });
    let named = |name: &str| QueueRules { queue_id: QueueId::new(name).unwrap(), ..other.clone() };
    fixture.room.open_queue(named("a")).unwrap();
    let full = fixture.room.open_queue(named("b"));
    assert_eq!(full, Err(LobbyError::ServerLimit("queues", 2)));
}

#[test]
fn attendances_are_limited_and_a_returning_bot_counts_once() {
    let limits = Limits {
        // Two per caller.
        attendances: 16,
        ..Limits::default()
    };
    let mut fixture = Fixture::with(&limits);
    fixture.attend("ada", 1);
    fixture.attend("bob", 1);
    let full = fixture.try_attend("cid", "1", 1).unwrap_err();
    assert_eq!(full, LobbyError::Limit("attendances_per_caller", 2));
    fixture.attend("ada", 1);
    fixture.try_attend("bob", "2", 1).unwrap();
    let id = AttendanceId::from_client(&fixture.attendance("ada").unwrap().attendance_id);
    fixture.room.leave_queue(&id, None).unwrap();
    fixture.attend("cid", 1);
}

#[test]
fn a_watcher_is_sent_arrivals_changes_and_departures() {
    let mut fixture = Fixture::new();
    let mut cursor = QueueCursor::default();
    assert!(fixture.room.updates(&queue(), &mut cursor).unwrap().is_empty());
    let ada = fixture.attend("ada", 1);
    fixture.attend("bob", 1);
    let updates = fixture.room.updates(&queue(), &mut cursor).unwrap();
    assert_eq!(updates.len(), 2);
    assert!(fixture.room.updates(&queue(), &mut cursor).unwrap().is_empty());
    fixture.room.disconnect(ada, fixture.now);
    let updates = fixture.room.updates(&queue(), &mut cursor).unwrap();
    assert_eq!(updates.len(), 1);
    let attendance = updates[0].attendance.clone().unwrap();
    assert_eq!(attendance.state(), State::Absent);
    fixture.pass(Limits::default().attendance_absence);
    let updates = fixture.room.updates(&queue(), &mut cursor).unwrap();
    assert!(updates.len() == 1 && updates[0].ended, "{updates:?}");
}

#[test]
fn freed_slots_are_sent_with_the_next_offer_or_after_a_delay() {
    let mut fixture = Fixture::new();
    let stream = fixture.attend("ada", 2);
    let attendances = |messages: Vec<StreamPoll>| {
        let is_attendance = |messages: &&StreamPoll| match messages {
            StreamPoll::Message(message) => matches!(message.message, Some(Message::Attendance(_))),
            _ => false,
        };
        messages.iter().filter(is_attendance).count()
    };
    for id in ["m", "n"] {
        fixture.offer(id, &["ada"]).unwrap();
        fixture.room.record_taken_seat(&MatchId::new(id).unwrap(), seat(0));
    }
    fixture.messages(stream);
    fixture.room.take_streams_with_messages();
    for id in ["m", "n"] {
        fixture.room.end_match(&MatchId::new(id).unwrap(), fixture.now);
    }
    assert_eq!(fixture.room.take_streams_with_messages(), [], "nothing urgent");
    fixture.pass(Duration::from_millis(99));
    assert_eq!(fixture.room.take_streams_with_messages(), []);
    fixture.pass(Duration::from_millis(1));
    assert_eq!(fixture.room.take_streams_with_messages(), [stream]);
    assert_eq!(attendances(fixture.messages(stream)), 1, "one message for both");

    fixture.offer("o", &["ada"]).unwrap();
    let id = MatchId::new("o").unwrap();
    fixture.room.record_taken_seat(&id, seat(0));
    fixture.messages(stream);
    fixture.room.end_match(&id, fixture.now);
    fixture.room.take_streams_with_messages();
    fixture.offer("p", &["ada"]).unwrap();
    assert_eq!(fixture.room.take_streams_with_messages(), [stream]);
    assert_eq!(attendances(fixture.messages(stream)), 1);
}
