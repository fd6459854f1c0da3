//! An answer that is handled later than it was decoded.
#![allow(clippy::unwrap_used)]

use std::thread::yield_now;

use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_proto::v1::{Decision, decision::Choice};

use bridgemaster_referee::BotIdentity;

use super::*;
use crate::{
    hosting::{HostedMatch as _, ids::draw_seed_salt},
    limits::Limits,
    metrics::Metrics,
};

#[tokio::test]
async fn an_answer_that_was_decoded_before_the_deadline_is_in_time_after_it() {
    let matches = Arc::new(Matches::new(
        Limits::default(),
        Arc::new(Metrics::new()),
        None,
        None,
        crate::replays::signing_key::draw(),
    ));
    let mut rules =
        MatchRules::<OldLondonBridge>::standard(SeatCount::new(2).unwrap(), Seed::from(1));
    rules.clock.cap_ms = 30;
    let (id, salt) = (MatchId::draw(), draw_seed_salt());
    let live = LiveMatch::new(id, rules, salt, None, Vec::new(), &matches).unwrap();
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let streams = seats.map(|seat| live.join(seat, BotIdentity::default(), None, None).unwrap());
    for (seat, joined) in seats.into_iter().zip(&streams) {
        live.report(seat, joined.number, SeatInput::HandedOver { request_id: 1 });
    }
    // As a stream does that finds the match busy.
    let answer = SeatInput::Decision(Decision {
        match_id: live.id.to_string(),
        request_id: 1,
        choice: Some(Choice::Index(0)),
        ..Decision::default()
    });
    live.inbox
        .put(matches.clock(), seats[0], streams[0].number, answer);
    let last_deadline = live.table().referee.deadline().unwrap().plus_ms(30);
    while matches.clock().now().time < last_deadline {
        yield_now();
    }
    live.tick();
    let table = live.table();
    let strikes = seats.map(|seat| table.referee.seat_info(seat).unwrap().strikes);
    assert_eq!(strikes, [0, 1], "only seat 1 gave no answer");
}
