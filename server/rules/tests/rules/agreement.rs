//! Responses agree with the rules.

use bridgemaster_games::{GAME_IDS, NoEvents, Rules as _, Viewer, alhambra, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ApplyDecisionsRequest, ConvertNotationRequest, GetObservationRequest, GetOutcomeRequest,
        ListLegalDecisionsRequest, RefusalReason, RulesPosition, SampleStatesRequest,
    },
};
use bridgemaster_rules::{Sampling, answers};

use crate::{
    of_every_game,
    playthrough::{Playthrough, by_index, resolve_chance},
};

of_every_game! {
    start_and_decisions_reproduce_the_match as a_seed_and_the_decisions_reproduce_the_match,
    observations_determine_legal_decisions as an_observation_determines_legal_decisions_and_their_effects,
    samples_have_the_same_view as samples_have_the_same_observation_for_their_seat,
    notation_agrees_with_the_rules as notation_is_converted_both_ways,
}

fn observed(
    position: RulesPosition,
    viewer_seat: Option<u32>,
) -> bridgemaster_proto::v1::GameObservation {
    let request = GetObservationRequest { position: Some(position), viewer_seat };
    answers::get_observation(&request).unwrap().observation.unwrap()
}

fn start_and_decisions_reproduce_the_match<G: WireGame>() {
    for mut playthrough in Playthrough::<G>::for_each_seat_count() {
        while let Some(seat) = playthrough.turn() {
            playthrough.step(seat);
            // Positions grow with the match, so rebuilding them takes longer and longer.
            if !playthrough.decisions.len().is_multiple_of(23) && playthrough.turn().is_some() {
                continue;
            }
            let position = playthrough.position_from_start();
            for seat in playthrough.seats.seats() {
                let seen = G::observe(&playthrough.state, Viewer::Seat(seat));
                let response = observed(position.clone(), Some(seat.number().into()));
                assert_eq!(response, G::observation_to_wire(&seen), "{}", G::ID);
            }
            let seen = G::observe(&playthrough.state, Viewer::Spectator);
            assert_eq!(observed(position, None), G::observation_to_wire(&seen));
        }
        let request = GetOutcomeRequest { position: Some(playthrough.position_from_start()) };
        let status = answers::get_outcome(&request).unwrap().status.unwrap();
        assert!(status.seats_to_decide.is_empty());
        let outcome = G::outcome(&playthrough.state).unwrap();
        for (response, seat) in status.outcome.unwrap().seats.iter().zip(&outcome.seats) {
            assert_eq!((response.place, response.score), (seat.place.into(), seat.score));
            let points: i32 = response.breakdown.iter().map(|line| line.points).sum();
            assert_eq!(points, seat.score);
        }
    }
}

fn observations_determine_legal_decisions<G: WireGame>() {
    for mut playthrough in Playthrough::<G>::for_each_seat_count() {
        while let Some(seat) = playthrough.turn() {
            // Only every third decision is checked, because rebuilding a position takes a hundred
            // times as long as a decision.
            if !playthrough.decisions.len().is_multiple_of(3) {
                playthrough.step(seat);
                continue;
            }
            let position = playthrough.as_seen_by(Viewer::Seat(seat), "sample");
            let legal = playthrough.legal(seat);
            let listed = answers::list_legal_decisions(&ListLegalDecisionsRequest {
                position: Some(position.clone()),
                seat: Some(seat.number().into()),
            });
            let listed = listed.unwrap();
            let expected: Vec<_> = legal.iter().map(G::decision_to_wire).collect();
            assert_eq!(listed.legal_decisions, expected, "{}", G::ID);
            // It may be hidden whether other seats have to decide too.
            let seats_to_decide = listed.status.unwrap().seats_to_decide;
            assert!(seats_to_decide.contains(&seat.number().into()), "{}", G::ID);

            let index = playthrough.below(legal.len());
            check_decision_effect::<G>(&position, seat, index);
            playthrough.step(seat);
        }
    }
}

/// A decision changes the sample as it changes the same state here.
fn check_decision_effect<G: WireGame>(
    position: &RulesPosition,
    seat: bridgemaster_games::Seat,
    index: usize,
) {
    use bridgemaster_games::{ChanceStream, Seed};
    const SAMPLE_STREAM: u64 = 1 << 41;
    let config = G::config_from_wire(position.config.as_ref().unwrap().game.as_ref().unwrap());
    let config = config.unwrap();
    let known = G::observation_from_wire(position.observation.as_ref().unwrap(), &config).unwrap();
    let seed: Seed = position.sample_seed.parse().unwrap();
    let mut chance = ChanceStream::new(&seed, SAMPLE_STREAM);
    let mut state = G::sample_state(&config, &known, &mut chance).unwrap();
    let mut legal = Vec::new();
    G::legal(&state, seat, &mut legal);
    G::apply(&mut state, seat, &legal[index], &mut NoEvents).unwrap();
    resolve_chance::<G>(&mut state, &seed);
    let applied = answers::apply_decisions(&ApplyDecisionsRequest {
        position: Some(RulesPosition {
            decisions: vec![by_index(seat, index)],
            ..position.clone()
        }),
        viewer_seat: Some(seat.number().into()),
    });
    let seen = G::observe(&state, Viewer::Seat(seat));
    let applied = applied.unwrap();
    assert_eq!(applied.observation, Some(G::observation_to_wire(&seen)), "{}", G::ID);
    assert_eq!(applied.status.unwrap().outcome.is_some(), G::outcome(&state).is_some());
}

fn samples_have_the_same_view<G: WireGame>() {
    for mut playthrough in Playthrough::<G>::for_each_seat_count() {
        for _ in 0..9 {
            playthrough.turn().into_iter().for_each(|seat| playthrough.step(seat));
        }
        let Some(seat) = playthrough.turn() else {
            continue;
        };
        let position = playthrough.as_seen_by(Viewer::Seat(seat), "several");
        let request = SampleStatesRequest { position: Some(position.clone()), samples: 5 };
        let mut sampling = Sampling::new(request).unwrap();
        while !sampling.work(&mut || false).unwrap() {}
        let samples = sampling.into_response().samples;
        assert_eq!(samples.len(), 5);
        for sample in samples {
            let seen = &sample.observations[seat.index()];
            assert_eq!(Some(seen), position.observation.as_ref(), "{}", G::ID);
            let again = RulesPosition { sample_seed: sample.sample_seed, ..position.clone() };
            for (seat, seen) in (0..).zip(&sample.observations) {
                assert_eq!(observed(again.clone(), Some(seat)), *seen, "{}", G::ID);
            }
        }
    }
}

fn notation_agrees_with_the_rules<G: WireGame>() {
    let mut playthrough = Playthrough::<G>::new(*G::SEATS.end(), 3);
    for _ in 0..12 {
        let Some(seat) = playthrough.turn() else {
            break;
        };
        let legal = playthrough.legal(seat);
        let decisions: Vec<_> = legal.iter().take(500).map(G::decision_to_wire).collect();
        let request = ConvertNotationRequest {
            game_id: G::ID.to_owned(),
            decisions: decisions.clone(),
            texts: legal.iter().take(500).map(ToString::to_string).collect(),
        };
        let response = answers::convert_notation(&request).unwrap();
        assert_eq!(response.texts, request.texts);
        assert_eq!(response.decisions, decisions);
        playthrough.step(seat);
    }
}

#[test]
fn notation_without_an_argument_is_refused_both_ways() {
    let refused = |request: ConvertNotationRequest| {
        let problem = answers::convert_notation(&request).unwrap_err();
        (problem.error.field, problem.error.problem)
    };
    for (game, text, expected) in [
        ("alhambra", "take", "`take CARD ...` with at least one card"),
        ("alhambra", "buy green", "`buy SLOT VALUE ... [give]` with at least one value"),
        ("old_london_bridge", "take_cards", "`take_cards COUNTxVALUE ...` with at least one card"),
    ] {
        let (field, detail) = refused(ConvertNotationRequest {
            game_id: game.to_owned(),
            texts: vec![text.to_owned()],
            ..ConvertNotationRequest::default()
        });
        assert_eq!(field, "texts[0]");
        assert!(detail.contains(expected), "{detail}");
    }
    let nothing = alhambra::Decision::Take(alhambra::RowCards::default());
    let (field, _) = refused(ConvertNotationRequest {
        game_id: alhambra::Alhambra::ID.to_owned(),
        decisions: vec![alhambra::Alhambra::decision_to_wire(&nothing)],
        ..ConvertNotationRequest::default()
    });
    assert_eq!(field, "decisions[0]");
}

#[test]
fn a_refusal_names_the_field_and_the_valid_values() {
    type Change = fn(&mut RulesPosition);
    let cases: [(&str, RefusalReason, Change); 8] = [
        ("position.config", RefusalReason::InvalidField, |position| position.config = None),
        ("position.config.game", RefusalReason::InvalidField, |position| {
            position.config.as_mut().unwrap().game = None;
        }),
        ("position.config.seats", RefusalReason::InvalidField, |position| {
            position.config.as_mut().unwrap().seats = 9;
        }),
        ("position.config.seats", RefusalReason::PositionInvalid, |position| {
            position.config.as_mut().unwrap().seats = 3;
        }),
        ("position.sample_seed", RefusalReason::InvalidField, |position| {
            position.sample_seed.clear();
        }),
        ("position.decisions[0].index", RefusalReason::PositionInvalid, |position| {
            position.decisions.push(by_index(bridgemaster_games::Seat::new(0).unwrap(), 9_999));
        }),
        ("position.decisions[0].seat", RefusalReason::InvalidField, |position| {
            position
                .decisions
                .push(bridgemaster_proto::v1::RulesDecision { seat: 7, ..Default::default() });
        }),
        ("position.decisions[0]", RefusalReason::InvalidField, |position| {
            position.decisions.push(Default::default());
        }),
    ];
    with_game!(GAME_IDS[0], G => {
        let playthrough = Playthrough::<G>::new(2, 1);
        let seat = playthrough.turn().unwrap();
        for (field, reason, change) in cases {
            let mut position = playthrough.as_seen_by(Viewer::Seat(seat), "a");
            change(&mut position);
            let request = GetOutcomeRequest { position: Some(position) };
            let problem = answers::get_outcome(&request).unwrap_err();
            assert_eq!((problem.error.field.as_str(), problem.reason), (field, reason), "{problem}");
            assert!(!problem.error.problem.is_empty());
        }
    });
}
