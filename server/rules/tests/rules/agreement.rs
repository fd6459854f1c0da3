//! What the calls answer is what the rules say.

use bridgemaster_games::{GAME_IDS, NoEvents, Viewer, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ApplyDecisionsRequest, ConvertNotationRequest, GetObservationRequest, GetOutcomeRequest,
        ListLegalDecisionsRequest, RefusalReason, RulesPosition, SampleStatesRequest,
    },
};
use bridgemaster_rules::{Sampling, answers};

use crate::{
    course::{Course, by_index, settle},
    of_every_game,
};

of_every_game! {
    the_beginning_and_all_decisions_give_the_match as a_seed_and_the_decisions_give_the_match_whole,
    what_is_known_gives_its_legal_decisions as what_a_seat_knows_gives_its_legal_decisions_and_what_they_do,
    samples_look_the_same as samples_look_to_their_seat_as_the_position_does,
    notation_is_that_of_the_rules as notation_is_converted_both_ways,
}

fn observed(
    position: RulesPosition,
    viewer_seat: Option<u32>,
) -> bridgemaster_proto::v1::GameObservation {
    let request = GetObservationRequest {
        position: Some(position),
        viewer_seat,
    };
    answers::get_observation(&request)
        .unwrap()
        .observation
        .unwrap()
}

fn the_beginning_and_all_decisions_give_the_match<G: WireGame>() {
    for mut course in Course::<G>::at_each_table() {
        while let Some(seat) = course.turn() {
            course.step(seat);
            // Positions grow with the match, and so does the time to rebuild them.
            if !course.decisions.len().is_multiple_of(23) && course.turn().is_some() {
                continue;
            }
            let position = course.since_the_beginning();
            for seat in course.seats.seats() {
                let seen = G::observe(&course.state, Viewer::Seat(seat));
                let answer = observed(position.clone(), Some(seat.number().into()));
                assert_eq!(answer, G::observation_to_wire(&seen), "{}", G::ID);
            }
            let seen = G::observe(&course.state, Viewer::Spectator);
            assert_eq!(observed(position, None), G::observation_to_wire(&seen));
        }
        let request = GetOutcomeRequest {
            position: Some(course.since_the_beginning()),
        };
        let status = answers::get_outcome(&request).unwrap().status.unwrap();
        assert!(status.seats_to_decide.is_empty());
        let outcome = G::outcome(&course.state).unwrap();
        for (told, seat) in status.outcome.unwrap().seats.iter().zip(&outcome.seats) {
            assert_eq!((told.place, told.score), (seat.place.into(), seat.score));
            let points: i32 = told.breakdown.iter().map(|line| line.points).sum();
            assert_eq!(points, seat.score);
        }
    }
}

fn what_is_known_gives_its_legal_decisions<G: WireGame>() {
    for mut course in Course::<G>::at_each_table() {
        while let Some(seat) = course.turn() {
            // Every third decision: a rebuilt position takes a hundred times as long as a decision.
            if !course.decisions.len().is_multiple_of(3) {
                course.step(seat);
                continue;
            }
            let position = course.known_to(Viewer::Seat(seat), "sample");
            let legal = course.legal(seat);
            let listed = answers::list_legal_decisions(&ListLegalDecisionsRequest {
                position: Some(position.clone()),
                seat: Some(seat.number().into()),
            });
            let listed = listed.unwrap();
            let wanted: Vec<_> = legal.iter().map(G::decision_to_wire).collect();
            assert_eq!(listed.legal_decisions, wanted, "{}", G::ID);
            // Whether other seats owe one too may be hidden.
            let owing = listed.status.unwrap().seats_to_decide;
            assert!(owing.contains(&seat.number().into()), "{}", G::ID);

            let index = course.below(legal.len());
            decided_alike::<G>(&position, seat, index);
            course.step(seat);
        }
    }
}

/// A decision does to the sample what it does to the same state here.
fn decided_alike<G: WireGame>(
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
    settle::<G>(&mut state, &seed);
    let applied = answers::apply_decisions(&ApplyDecisionsRequest {
        position: Some(RulesPosition {
            decisions: vec![by_index(seat, index)],
            ..position.clone()
        }),
        viewer_seat: Some(seat.number().into()),
    });
    let seen = G::observe(&state, Viewer::Seat(seat));
    let applied = applied.unwrap();
    assert_eq!(
        applied.observation,
        Some(G::observation_to_wire(&seen)),
        "{}",
        G::ID
    );
    assert_eq!(
        applied.status.unwrap().outcome.is_some(),
        G::outcome(&state).is_some()
    );
}

fn samples_look_the_same<G: WireGame>() {
    for mut course in Course::<G>::at_each_table() {
        for _ in 0..9 {
            course.turn().into_iter().for_each(|seat| course.step(seat));
        }
        let Some(seat) = course.turn() else {
            continue;
        };
        let position = course.known_to(Viewer::Seat(seat), "several");
        let request = SampleStatesRequest {
            position: Some(position.clone()),
            samples: 5,
        };
        let mut sampling = Sampling::new(request).unwrap();
        while !sampling.work(&mut || false).unwrap() {}
        let samples = sampling.into_response().samples;
        assert_eq!(samples.len(), 5);
        for sample in samples {
            let seen = &sample.observations[seat.index()];
            assert_eq!(Some(seen), position.observation.as_ref(), "{}", G::ID);
            let again = RulesPosition {
                sample_seed: sample.sample_seed,
                ..position.clone()
            };
            for (seat, seen) in (0..).zip(&sample.observations) {
                assert_eq!(observed(again.clone(), Some(seat)), *seen, "{}", G::ID);
            }
        }
    }
}

fn notation_is_that_of_the_rules<G: WireGame>() {
    let mut course = Course::<G>::new(*G::SEATS.end(), 3);
    for _ in 0..12 {
        let Some(seat) = course.turn() else {
            break;
        };
        let legal = course.legal(seat);
        let decisions: Vec<_> = legal.iter().take(500).map(G::decision_to_wire).collect();
        let request = ConvertNotationRequest {
            game_id: G::ID.to_owned(),
            decisions: decisions.clone(),
            texts: legal.iter().take(500).map(ToString::to_string).collect(),
        };
        let answer = answers::convert_notation(&request).unwrap();
        assert_eq!(answer.texts, request.texts);
        assert_eq!(answer.decisions, decisions);
        course.step(seat);
    }
}

#[test]
fn a_refusal_names_the_field_and_what_would_be_valid() {
    type Change = fn(&mut RulesPosition);
    let cases: [(&str, RefusalReason, Change); 8] = [
        ("position.config", RefusalReason::InvalidField, |position| {
            position.config = None
        }),
        (
            "position.config.game",
            RefusalReason::InvalidField,
            |position| {
                position.config.as_mut().unwrap().game = None;
            },
        ),
        (
            "position.config.seats",
            RefusalReason::InvalidField,
            |position| {
                position.config.as_mut().unwrap().seats = 9;
            },
        ),
        (
            "position.config.seats",
            RefusalReason::PositionInvalid,
            |position| {
                position.config.as_mut().unwrap().seats = 3;
            },
        ),
        (
            "position.sample_seed",
            RefusalReason::InvalidField,
            |position| {
                position.sample_seed.clear();
            },
        ),
        (
            "position.decisions[0].index",
            RefusalReason::PositionInvalid,
            |position| {
                position
                    .decisions
                    .push(by_index(bridgemaster_games::Seat::new(0).unwrap(), 9_999));
            },
        ),
        (
            "position.decisions[0].seat",
            RefusalReason::InvalidField,
            |position| {
                position
                    .decisions
                    .push(bridgemaster_proto::v1::RulesDecision {
                        seat: 7,
                        ..Default::default()
                    });
            },
        ),
        (
            "position.decisions[0]",
            RefusalReason::InvalidField,
            |position| {
                position.decisions.push(Default::default());
            },
        ),
    ];
    with_game!(GAME_IDS[0], G => {
        let course = Course::<G>::new(2, 1);
        let seat = course.turn().unwrap();
        for (field, reason, change) in cases {
            let mut position = course.known_to(Viewer::Seat(seat), "a");
            change(&mut position);
            let request = GetOutcomeRequest { position: Some(position) };
            let problem = answers::get_outcome(&request).unwrap_err();
            assert_eq!((problem.field.as_str(), problem.reason), (field, reason), "{problem}");
            assert!(!problem.detail.is_empty());
        }
    });
}
