//! Matches of two seats whose server is started again, once or more often.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_proto::v1::{AnnulmentReason, OfferPurpose};
use bridgemaster_referee::{BotIdentity, HistoryId, MatchRules, RESTART_GRACE_MS, Time};
use bridgemaster_replay::SigningKey;
use bridgemaster_wire::SeedSalt;

use super::*;
use crate::{
    Beginning, Effect, Entries, Header, Match, MatchId, Moment, OfferedSeat, Origin, Report,
    SeatInput, StreamNumber, TicketHash, recover,
};

/// Later than any bot may come back.
const LATER_MS: u32 = RESTART_GRACE_MS + 1_000;

fn key() -> Arc<SigningKey> {
    Arc::new(SigningKey::new(&[3; 32]))
}

/// A match with what is stored of it.
struct Stored {
    played: Match<OldLondonBridge>,
    header: Header,
    entries: Vec<Vec<u8>>,
    streams: BTreeMap<Seat, StreamNumber>,
    now_ms: u32,
    starts: u8,
}

impl Stored {
    /// Both bots are there.
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
        let made_at = Moment {
            time: Time(0),
            lag_us: 0,
        };
        let history = HistoryId::new([2; 16]);
        let played = Match::new(origin, rules, made_at, history, true, key()).unwrap();
        let mut stored = Self {
            header: Header::read(&played.header()).unwrap(),
            played,
            entries: Vec::new(),
            streams: BTreeMap::new(),
            now_ms: 0,
            starts: 2,
        };
        stored.comes(0);
        stored.comes(1);
        stored
    }

    fn now(&self) -> Moment {
        Moment {
            time: Time(0).plus_ms(self.now_ms),
            lag_us: 0,
        }
    }

    fn take(&mut self, effects: Vec<Effect>) {
        let now = self.now().time;
        for effect in effects {
            if let Effect::Store(entry) = effect {
                self.entries.push(entry.bytes);
                // At once, so that no wait for it is lag.
                self.played.stored(Entries(entry.number + 1), now);
            }
        }
    }

    fn comes(&mut self, seat: u8) {
        let seat = Seat::new(seat).unwrap();
        let (mut reports, mut effects) = (Vec::new(), Vec::new());
        let arrived = (self.now(), &mut reports);
        let bot = BotIdentity::default();
        let joined = self
            .played
            .join(arrived, seat, bot, None, None, &mut effects);
        self.streams.insert(seat, joined.unwrap().stream);
        self.take(effects);
    }

    fn reports(&mut self, seat: u8, input: SeatInput) {
        let seat = Seat::new(seat).unwrap();
        let report = Report {
            moment: self.now(),
            seat,
            stream: self.streams[&seat],
            input,
        };
        let mut effects = Vec::new();
        self.played.handle_reports(&mut vec![report], &mut effects);
        self.take(effects);
    }

    fn time_passes(&mut self, ms: u32) {
        self.now_ms += ms;
        let (now, mut effects) = (self.now(), Vec::new());
        self.played.tick((now, &mut Vec::new()), &mut effects);
        self.take(effects);
    }

    /// The server is killed, and another goes on from what is stored.
    fn is_started_again(&mut self) {
        let id = MatchId::new("0123456789abcdef").unwrap();
        let recovered = recover(id, &self.header, &self.entries).unwrap();
        self.played = Match::recovered(recovered, key());
        self.starts += 1;
        let next = Beginning {
            history_id: HistoryId::new([self.starts; 16]),
            unix_ms: 0,
        };
        let (now, mut effects) = (self.now(), Vec::new());
        self.played.restarted(now, next, &mut effects);
        self.take(effects);
    }

    /// The bot that is left ends the match. Tells why it is annulled, if it is.
    fn annulled(mut self) -> Option<AnnulmentReason> {
        self.reports(0, SeatInput::Resign);
        let info = self.played.match_info();
        assert!(info.result.is_some(), "it is over");
        info.annulment.map(|annulment| annulment.reason())
    }
}

#[test]
fn a_match_whose_bot_does_not_come_back_after_a_start_of_the_server_is_annulled() {
    for purpose in [
        OfferPurpose::Rated,
        OfferPurpose::Validation,
        OfferPurpose::Requested,
    ] {
        let mut stored = Stored::running(purpose);
        stored.is_started_again();
        stored.comes(0);
        stored.time_passes(LATER_MS);
        assert_eq!(stored.annulled(), Some(AnnulmentReason::ServerCrash));
    }
}

#[test]
fn it_is_annulled_all_the_same_if_the_server_is_started_once_more() {
    for is_given_up_before in [false, true] {
        let mut stored = Stored::running(OfferPurpose::Rated);
        stored.is_started_again();
        stored.comes(0);
        if is_given_up_before {
            stored.time_passes(LATER_MS);
        }
        stored.is_started_again();
        stored.comes(0);
        stored.time_passes(LATER_MS);
        assert_eq!(stored.annulled(), Some(AnnulmentReason::ServerCrash));
    }
}

#[test]
fn a_bot_that_came_back_and_went_forfeits_by_its_own_fault() {
    let mut stored = Stored::running(OfferPurpose::Rated);
    stored.is_started_again();
    stored.comes(0);
    stored.comes(1);
    stored.reports(1, SeatInput::Left);
    stored.time_passes(LATER_MS);
    assert_eq!(stored.annulled(), None);
}

#[test]
fn a_bot_that_was_given_up_before_the_server_was_started_again_forfeits_by_its_own_fault() {
    let mut stored = Stored::running(OfferPurpose::Rated);
    stored.reports(1, SeatInput::Left);
    stored.time_passes(LATER_MS);
    stored.is_started_again();
    stored.comes(0);
    stored.time_passes(LATER_MS);
    assert_eq!(stored.annulled(), None);
}

#[test]
fn a_match_of_a_contest_is_left_to_whoever_runs_it() {
    let mut stored = Stored::running(OfferPurpose::Contest);
    stored.is_started_again();
    stored.comes(0);
    stored.time_passes(LATER_MS);
    assert_eq!(stored.annulled(), None);
}
