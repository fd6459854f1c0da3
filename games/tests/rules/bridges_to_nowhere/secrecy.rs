//! The visibility of facts during a building phase.

use bridgemaster_games::bridges_to_nowhere::{BridgesToNowhere, Config, Contract, Event};
use bridgemaster_games::{ChanceStream, Game, Sample, Seed, Viewer};

use crate::bridges_to_nowhere::position::{Play, Position};
use crate::play::seat;

/// Seat 0 to build with a pillar, a bridge card and a monument; seat 1 with some on the table.
fn building() -> Play {
    let position = Position::new().round(1).row(1, 1, 0, "| T1 T3 |");
    position.cards(0, "S2 M S3").cards(1, "T5 M C4").play()
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
    assert!(samples.iter().all(|[(one, _), (other, _)]| !(*one && *other)));
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
            opened[config.edition.cards().iter().position(|other| other == card).unwrap()] += 1;
        }
        let second = play.view(0);
        contracts[second.contract.unwrap().index()] += 1;
        first_drafters[second.first_drafter.index()] += 1;
    }
    // 6 of 18 cards, one of 5 contracts, one of 2 seats.
    let seen = opened.iter().filter(|&&count| count > 0);
    assert!(seen.clone().all(|count| (880..1120).contains(count)), "{opened:?}");
    assert_eq!(seen.count(), 18);
    assert_eq!(contracts[view.contract.unwrap().index()], 0);
    for contract in Contract::ALL.iter().filter(|other| view.contract != Some(**other)) {
        assert!((500..700).contains(&contracts[contract.index()]), "{contracts:?}");
    }
    assert!(first_drafters.iter().all(|count| (1380..1620).contains(count)), "{first_drafters:?}");
}
