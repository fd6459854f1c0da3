//! The visibility of facts during a building phase.

use bridgemaster_games::bridges_to_nowhere::{
    BridgesToNowhere, CARDS_PER_DRAFT, Card, Config, Contract, Event, Observation, Placement, Setup,
};
use bridgemaster_games::{ChanceStream, Game, Rules, Sample, SeatCount, Seed, Viewer};

use crate::position::{Play, Position, piece, seat};

/// Seat 0 to build with a pillar, a bridge card and a monument; seat 1 with some on the table.
fn building() -> Play {
    let position = Position::new().round(1).row(1, 1, 0, "| T1 T3 |");
    position.cards(0, "S2 M S3").cards(1, "T5 M C4").play()
}

fn others_see(play: &Play, of: u8) -> [Observation; 2] {
    [Viewer::Seat(seat(1 - of)), Viewer::Spectator]
        .map(|viewer| BridgesToNowhere::observe(&play.state, viewer))
}

#[test]
fn during_building_other_viewers_see_the_last_published_structure() {
    let mut play = building();
    let before = others_see(&play, 1);
    for (name, level, column) in [("T5", 2, 1), ("|", 2, 0), ("M", 2, 2), ("|", 2, 3)] {
        play.place(1, name, level, column);
        assert_eq!(others_see(&play, 1), before);
    }
    assert_eq!(play.decide(1, "end"), []);
    assert_eq!(others_see(&play, 1), before);
    assert_eq!(before[0].seats[1].structure.len(), 4);
    assert_eq!(before[0].seats[1].cards.len(), CARDS_PER_DRAFT);
}

#[test]
fn a_seat_sees_its_own_work_in_the_order_of_its_placements() {
    let mut play = building();
    play.place(1, "T5", 2, 1);
    play.place(1, "|", 1, 5);
    play.decide(1, "end");
    let own = &play.view(1).seats[1];
    let placed: Vec<_> = own.placed.iter().map(|placed| placed.piece).collect();
    assert_eq!(placed, [piece("T5"), piece("|")]);
    let in_structure = |placed: &Placement| own.structure.contains(placed);
    assert!(own.placed.iter().all(in_structure));
    assert_eq!(
        (own.structure.len(), own.pillars, own.cards.len()),
        (6, 3, 2)
    );
    assert!(own.has_ended);
}

#[test]
fn n13_events_of_seat_0_come_first_whichever_seat_ended_first() {
    let mut play = building();
    play.place(1, "T5", 2, 1);
    play.place(0, "S2", 1, 0);
    play.place(1, "|", 2, 0);
    play.decide(1, "end");
    let events = play.decide(0, "end");
    let lines: Vec<String> = events.iter().take(5).map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "seat 0 had placed suspension 2 fish bird at 1 0",
            "seat 0 has ended, discards: suspension 3 bird boat, monument",
            "seat 1 had placed truss 5 boat boat at 2 1",
            "seat 1 had placed pillar at 2 0",
            "seat 1 has ended, discards: cable 4 bird fish, monument",
        ]
    );
    let view = play.view(0);
    assert_eq!(view.seats[1].structure.len(), 6);
    assert_eq!((view.seats[1].pillars, view.seats[1].cards.len()), (3, 0));
    assert!(
        view.seats
            .iter()
            .all(|seat| seat.placed.is_empty() && !seat.has_ended)
    );
}

#[test]
fn a_seat_that_has_ended_waits_and_learns_no_more_than_that_the_other_goes_on() {
    let mut play = building();
    play.decide(0, "end");
    assert_eq!(
        play.refusal(0, "end"),
        "seat: not your turn, seat 0 owes no decision; expected: seat 1"
    );
    let refusal = |play: &mut Play| play.refusal(0, "place pillar at 1 0");
    let before = refusal(&mut play);
    play.place(1, "T5", 2, 1);
    assert_eq!(refusal(&mut play), before);
}

#[test]
fn two_secret_buildings_differ_in_the_digest_and_in_no_observation_of_others() {
    let (mut one, mut other) = (building(), building());
    one.place(1, "T5", 2, 1);
    other.decide(1, "end");
    assert_eq!(others_see(&one, 1), others_see(&other, 1));
    let digest = |play: &Play| BridgesToNowhere::digest(&play.state);
    assert_ne!(digest(&one), digest(&other));
    assert_ne!(digest(&building()), digest(&other));
    assert_eq!(one.legal(0), other.legal(0));
}

/// Samples the other seats' secrets many times: for each seat, whether it had ended the phase and
/// the number of pieces it had placed.
fn sampled(play: &Play, viewer: Viewer) -> Vec<[(bool, usize); 2]> {
    let view = BridgesToNowhere::observe(&play.state, viewer);
    let mut chance = ChanceStream::new(&Seed::from(5), 0);
    let sample = |_| {
        let config = Config::default();
        let state = BridgesToNowhere::sample_state(&config, &view, &mut chance).unwrap();
        [0, 1].map(|number| {
            let own = BridgesToNowhere::observe(&state, Viewer::Seat(seat(number)));
            let own = &own.seats[usize::from(number)];
            (own.has_ended, own.placed.len())
        })
    };
    (0..2000).map(sample).collect()
}

#[test]
fn the_other_seat_may_have_built_anything_and_ended_while_the_viewer_still_builds() {
    let mut play = building();
    play.place(0, "|", 1, 0);
    let samples = sampled(&play, Viewer::Seat(seat(0)));
    assert!(samples.iter().all(|[own, _]| *own == (false, 1)));
    let ended = samples.iter().filter(|[_, (ended, _)]| *ended).count();
    assert!((150..1000).contains(&ended), "{ended}");
    for placed in 0..=4 {
        let count = samples.iter().filter(|[_, (_, count)]| *count == placed);
        assert!(count.count() > 50, "{placed} pieces");
    }
}

#[test]
fn for_a_viewer_that_has_ended_the_other_seat_has_not() {
    let mut play = building();
    play.decide(0, "end");
    let samples = sampled(&play, Viewer::Seat(seat(0)));
    assert!(samples.iter().all(|[(own, _), (other, _)]| *own && !other));
    assert!(samples.iter().any(|[_, (_, placed)]| *placed > 3));
}

#[test]
fn for_a_spectator_not_both_seats_have_ended() {
    let samples = sampled(&building(), Viewer::Spectator);
    let ended = |number: usize| samples.iter().filter(|seats| seats[number].0).count();
    assert!(
        samples
            .iter()
            .all(|[(one, _), (other, _)]| !(*one && *other))
    );
    assert!((100..700).contains(&ended(0)), "{}", ended(0));
    assert!((100..700).contains(&ended(1)), "{}", ended(1));
}

#[test]
fn unseen_cards_contracts_and_later_deals_are_drawn_uniformly() {
    let play = Play::start(&Config::default(), 3);
    let view = play.view(0);
    let mut chance = ChanceStream::new(&Seed::from(6), 0);
    let (mut opened, mut contracts, mut first_drafters) = ([0; 24], [0; 6], [0; 2]);
    let config = Config::default();
    for _ in 0..3000 {
        let state = BridgesToNowhere::sample_state(&config, &view, &mut chance).unwrap();
        let mut play = Play { state };
        let mut events = Vec::new();
        // Both seats take the first card and build nothing, until the second game starts.
        while play.view(0).game == 0 {
            let to_move = u8::from(play.legal(0).is_empty());
            let legal = play.legal(to_move);
            let end = legal.iter().find(|decision| *decision == "end");
            events.extend(play.decide(to_move, end.unwrap_or(&legal[0])));
        }
        let rounds: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::RoundStarted { opened, .. } => Some(opened.clone()),
                _ => None,
            })
            .collect();
        for card in &rounds[0] {
            assert!(view.unseen.contains(card));
            opened[config
                .edition
                .cards()
                .iter()
                .position(|other| other == card)
                .unwrap()] += 1;
        }
        let second = play.view(0);
        contracts[second.contract.unwrap().index()] += 1;
        first_drafters[second.first_drafter.index()] += 1;
    }
    // 6 of 18 cards, one of 5 contracts, one of 2 seats.
    let seen = opened.iter().filter(|&&count| count > 0);
    assert!(
        seen.clone().all(|count| (880..1120).contains(count)),
        "{opened:?}"
    );
    assert_eq!(seen.count(), 18);
    assert_eq!(contracts[view.contract.unwrap().index()], 0);
    for contract in Contract::ALL
        .iter()
        .filter(|other| view.contract != Some(**other))
    {
        assert!(
            (500..700).contains(&contracts[contract.index()]),
            "{contracts:?}"
        );
    }
    assert!(
        first_drafters
            .iter()
            .all(|count| (1380..1620).contains(count)),
        "{first_drafters:?}"
    );
}

#[test]
fn what_is_to_come_is_in_the_digest_and_in_no_observation() {
    let config = Config::default();
    let seats = SeatCount::new(2).unwrap();
    let drawn = BridgesToNowhere::draw_setup(&config, seats, &Seed::from(7)).unwrap();
    let start = |setup: &Setup| {
        let mut events = Vec::new();
        let state = BridgesToNowhere::start(&config, seats, setup, &mut events).unwrap();
        let views = [
            Viewer::Seat(seat(0)),
            Viewer::Seat(seat(1)),
            Viewer::Spectator,
        ]
        .map(|viewer| BridgesToNowhere::observe(&state, viewer));
        (BridgesToNowhere::digest(&state), (events, views))
    };
    let (digest, seen) = start(&drawn);
    let changes: [fn(&mut Setup); 4] = [
        |setup| setup.contracts.as_mut().unwrap().swap(1, 2),
        |setup| setup.deals[0].deck.swap(6, 23),
        |setup| setup.deals[5].deck.swap(0, 23),
        |setup| {
            let first = &mut setup.deals[1].first_drafter;
            *first = seat(1 - first.number());
        },
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut other = drawn.clone();
        change(&mut other);
        let (other_digest, other_seen) = start(&other);
        assert_ne!(other_digest, digest, "change {i}");
        assert_eq!(other_seen, seen, "change {i}");
    }
}

#[test]
fn a_monument_that_was_taken_and_discarded_is_not_seen_again() {
    let mut play = building();
    let events = play.end_both();
    let discards = events.iter().filter(|event| {
        matches!(event, Event::BuildingEnded { discarded, .. } if discarded.contains(&Card::Monument))
    });
    assert_eq!(discards.count(), 2);
    assert_eq!(play.view(0).monuments, 1);
}
