//! Tests of two-seat matches across one or more restarts of the server.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_proto::v1::{AnnulmentReason, OfferPurpose};
use bridgemaster_referee::{HistoryId, MatchRules, RESTART_GRACE_MS, Time};
use bridgemaster_replay::SigningKey;
use bridgemaster_replay::wire::SeedSalt;

use super::*;
use crate::{
    Effect, Entries, Header, HistoryStart, JoinRequest, Match, MatchId, OfferedSeat, Origin,
    Report, SeatInput, ServerTime, StreamNumber, TicketHash, recover,
};

/// A time in ms after which a bot can no longer reconnect.
const LATER_MS: u32 = RESTART_GRACE_MS + 1_000;

fn key() -> Arc<SigningKey> {
    Arc::new(SigningKey::new(&[3; 32]))
}

/// A match and its stored data.
struct StoredMatch {
    played: Match<OldLondonBridge>,
    header: Header,
    entries: Vec<Vec<u8>>,
    streams: BTreeMap<Seat, StreamNumber>,
    now_ms: u32,
    starts: u8,
}

impl StoredMatch {
    /// A running match with both bots connected.
    fn running(purpose: OfferPurpose) -> Self {
        let seats = SeatCount::new(2).unwrap();
        let rules = MatchRules::standard(seats, Seed::from(1));
        let offered = OfferedSeat {
            queue_id: "league".to_owned(),
            bot_name: "ada".to_owned(),
            bot_version: String::new(),
            purpose,
        };
        let tickets = seats.seats();
        let tickets = tickets.map(|seat| TicketHash::new([seat.number(); 32]));
        let id = MatchId::new("0123456789abcdef").unwrap();
        let origin = Origin {
            offered: seats.seats().map(|seat| (seat, offered.clone())).collect(),
            ..Origin::new(id, SeedSalt::new([1; 32]), tickets.collect())
        };
        let created_at = ServerTime { time: Time(0), lag_us: 0 };
        let history = HistoryId::new([2; 16]);
        let played = Match::new(origin, rules, created_at, history, true, key()).unwrap();
        let mut stored = Self {
            header: Header::read(&played.header()).unwrap(),
            played,
            entries: Vec::new(),
            streams: BTreeMap::new(),
            now_ms: 0,
            starts: 2,
        };
        stored.connect(0);
        stored.connect(1);
        stored
    }

    fn now(&self) -> ServerTime {
        ServerTime { time: Time(0).plus_ms(self.now_ms), lag_us: 0 }
    }

    fn store(&mut self, effects: Vec<Effect>) {
        let now = self.now().time;
        for effect in effects {
            if let Effect::Store(entry) = effect {
                self.entries.push(entry.bytes);
                // Stored at once, so that there is no lag.
                self.played.mark_stored(Entries(entry.number + 1), now);
            }
        }
    }

    fn connect(&mut self, seat: u8) {
        let seat = Seat::new(seat).unwrap();
        let (mut reports, mut effects) = (Vec::new(), Vec::new());
        let arrived = (self.now(), &mut reports);
        let joined = self.played.join(arrived, seat, JoinRequest::default(), &mut effects);
        self.streams.insert(seat, joined.unwrap().stream);
        self.store(effects);
    }

    fn report(&mut self, seat: u8, input: SeatInput) {
        let seat = Seat::new(seat).unwrap();
        let report = Report { moment: self.now(), seat, stream: self.streams[&seat], input };
        let mut effects = Vec::new();
        self.played.handle_reports(&mut vec![report], &mut effects);
        self.store(effects);
    }

    fn advance(&mut self, ms: u32) {
        self.now_ms += ms;
        let (now, mut effects) = (self.now(), Vec::new());
        self.played.tick((now, &mut Vec::new()), &mut effects);
        self.store(effects);
    }

    /// Kills the server, and recovers the match from the stored data.
    fn restart(&mut self) {
        let id = MatchId::new("0123456789abcdef").unwrap();
        let recovered = recover(id, &self.header, &self.entries).unwrap();
        self.played = Match::from_recovered(recovered, key());
        self.starts += 1;
        let next = HistoryStart { history_id: HistoryId::new([self.starts; 16]), unix_ms: 0 };
        let (now, mut effects) = (self.now(), Vec::new());
        self.played.restart(now, next, &mut effects);
        self.store(effects);
    }

    /// Ends the match through the remaining bot. Returns the reason for the annulment, if any.
    fn annulment(mut self) -> Option<AnnulmentReason> {
        self.report(0, SeatInput::Resign);
        let info = self.played.match_info();
        assert!(info.result.is_some(), "the match is over");
        info.annulment.map(|annulment| annulment.reason())
    }
}

#[test]
fn a_match_whose_bot_does_not_return_after_a_restart_is_annulled() {
    for purpose in [OfferPurpose::Rated, OfferPurpose::Validation, OfferPurpose::Requested] {
        let mut stored = StoredMatch::running(purpose);
        stored.restart();
        stored.connect(0);
        stored.advance(LATER_MS);
        assert_eq!(stored.annulment(), Some(AnnulmentReason::ServerCrash));
    }
}

#[test]
fn a_match_is_annulled_even_if_the_server_restarts_again() {
    for expires_before_restart in [false, true] {
        let mut stored = StoredMatch::running(OfferPurpose::Rated);
        stored.restart();
        stored.connect(0);
        if expires_before_restart {
            stored.advance(LATER_MS);
        }
        stored.restart();
        stored.connect(0);
        stored.advance(LATER_MS);
        assert_eq!(stored.annulment(), Some(AnnulmentReason::ServerCrash));
    }
}

#[test]
fn a_bot_that_returned_and_left_again_forfeits() {
    let mut stored = StoredMatch::running(OfferPurpose::Rated);
    stored.restart();
    stored.connect(0);
    stored.connect(1);
    stored.report(1, SeatInput::Left);
    stored.advance(LATER_MS);
    assert_eq!(stored.annulment(), None);
}

#[test]
fn a_bot_that_was_expired_before_the_restart_forfeits() {
    let mut stored = StoredMatch::running(OfferPurpose::Rated);
    stored.report(1, SeatInput::Left);
    stored.advance(LATER_MS);
    stored.restart();
    stored.connect(0);
    stored.advance(LATER_MS);
    assert_eq!(stored.annulment(), None);
}

#[test]
fn contest_matches_are_never_annulled() {
    let mut stored = StoredMatch::running(OfferPurpose::Contest);
    stored.restart();
    stored.connect(0);
    stored.advance(LATER_MS);
    assert_eq!(stored.annulment(), None);
}
