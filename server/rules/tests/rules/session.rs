//! Sessions.

use std::{cell::Cell, rc::Rc};

use bridgemaster_games::{ChanceStream, GAME_IDS, NoEvents, Seed, Viewer, settle, with_game};
use bridgemaster_greedy::{Rate, playout_decision};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        OpenSessionRequest, OpenSessionResponse, PlayoutPolicy, RefusalReason, RulesApply,
        RulesForget, RulesListLegal, RulesObserve, RulesOperation, RulesPlayouts, RulesPosition,
        rules_operation::Operation,
    },
};
use bridgemaster_rules::{Batch, MAX_OPERATIONS, Problem, Session};

use crate::{
    course::{Course, by_index},
    of_every_game,
};

of_every_game! {
    work_in_parts_is_work_at_once as a_batch_done_in_parts_gives_what_it_gives_at_once,
    greedy_playouts_in_parts as greedy_playouts_stop_after_any_decision_and_go_on_from_there,
    greedy_playouts_decide_as_greedy as greedy_playouts_take_what_looks_best_to_each_seat,
    a_session_follows_a_match as positions_of_a_session_follow_the_match,
}

pub(crate) fn operation(position_number: u32, operation: Operation) -> RulesOperation {
    RulesOperation {
        position_number,
        operation: Some(operation),
    }
}

pub(crate) fn load(number: u32, position: RulesPosition) -> RulesOperation {
    operation(number, Operation::Load(Box::new(position)))
}

pub(crate) fn play_out(number: u32, playouts: u32, resample: bool) -> RulesOperation {
    let asked = RulesPlayouts {
        playouts,
        seed: "playouts".to_owned(),
        resample,
        with_breakdown: resample,
        policy: PlayoutPolicy::Unspecified.into(),
    };
    operation(number, Operation::PlayOut(asked))
}

/// Playouts in which every seat decides as `greedy` would.
pub(crate) fn play_out_greedily(number: u32, playouts: u32, resample: bool) -> RulesOperation {
    let asked = RulesPlayouts {
        playouts,
        seed: "playouts".to_owned(),
        resample,
        with_breakdown: false,
        policy: PlayoutPolicy::Greedy.into(),
    };
    operation(number, Operation::PlayOut(asked))
}

fn request(operations: Vec<RulesOperation>) -> OpenSessionRequest {
    OpenSessionRequest {
        request_id: 9,
        operations,
    }
}

/// Does operations at once.
pub(crate) fn done<P>(
    session: &mut Session<P>,
    operations: Vec<RulesOperation>,
    place: &mut dyn FnMut() -> Result<P, Problem>,
) -> OpenSessionResponse {
    let mut batch = Batch::new(request(operations));
    assert!(session.work(&mut batch, place, &mut || true));
    batch.into_response()
}

fn work_in_parts_is_work_at_once<G: WireGame>() {
    let course = Course::<G>::new(2, 4);
    let seat = course.turn().unwrap();
    let operations = vec![
        load(0, course.known_to(Viewer::Seat(seat), "a")),
        operation(1, Operation::CopyFromNumber(0)),
        operation(
            1,
            Operation::Apply(RulesApply {
                decisions: vec![by_index(seat, 0)],
            }),
        ),
        play_out(1, 7, true),
        play_out(0, 4, false),
        operation(1, Operation::Observe(RulesObserve { seat: Some(0) })),
    ];
    let at_once = done(&mut Session::default(), operations.clone(), &mut || Ok(()));
    assert_eq!(at_once.request_id, 9);
    assert_eq!(at_once.results.len(), 6, "{at_once:?}");
    assert_eq!(at_once.results[3].outcomes.len(), 7);
    let with_lines = &at_once.results[3].outcomes[0].seats[0];
    assert!(!with_lines.breakdown.is_empty());
    assert!(at_once.results[4].outcomes[0].seats[0].breakdown.is_empty());

    let (mut session, mut batch) = (Session::default(), Batch::new(request(operations)));
    let mut parts = 1;
    while !session.work(&mut batch, &mut || Ok(()), &mut || false) {
        parts += 1;
    }
    assert_eq!(
        parts,
        4 + 7 + 4,
        "each operation and each playout is a part"
    );
    assert_eq!(batch.into_response(), at_once, "{}", G::ID);
}

/// A match of two seats with few decisions to come: those of `greedy` take long.
fn near_its_end<G: WireGame>() -> Course<G> {
    let mut whole = Course::<G>::new(2, 4);
    while let Some(seat) = whole.turn() {
        whole.step(seat);
    }
    let mut course = Course::<G>::new(2, 4);
    for _ in 10..whole.decisions.len() {
        let seat = course.turn().unwrap();
        course.step(seat);
    }
    course
}

fn greedy_playouts_in_parts<G: WireGame>() {
    let course = near_its_end::<G>();
    let viewer = Viewer::Seat(course.turn().unwrap());
    let operations = vec![
        load(0, course.known_to(viewer, "a")),
        play_out_greedily(0, 2, true),
    ];
    let at_once = done(&mut Session::default(), operations.clone(), &mut || Ok(()));
    assert_eq!(at_once.results[1].outcomes.len(), 2, "{at_once:?}");

    let (mut session, mut batch) = (Session::default(), Batch::new(request(operations)));
    let mut parts = 1;
    while !session.work(&mut batch, &mut || Ok(()), &mut || false) {
        parts += 1;
    }
    assert!(parts > 2 + 2, "each decision is a part, not {parts} in all");
    assert_eq!(batch.into_response(), at_once, "{}", G::ID);
}

fn greedy_playouts_decide_as_greedy<G: WireGame + Rate>() {
    let course = near_its_end::<G>();
    let playouts = 3;
    let operations = vec![
        load(0, course.since_the_beginning()),
        play_out_greedily(0, playouts, false),
    ];
    let told = done(&mut Session::default(), operations, &mut || Ok(()));
    let seed: Seed = "playouts".parse().unwrap();
    let (mut legal, mut ratings) = (Vec::new(), Vec::new());
    for (number, told) in (0..playouts).zip(&told.results[1].outcomes) {
        let mut chance = ChanceStream::new(&seed, number.into());
        let mut state = course.state.clone();
        loop {
            settle::<G>(&mut state, &mut chance, &mut NoEvents);
            let Some(seat) = G::owing(&state).iter().next() else {
                break;
            };
            G::legal(&state, seat, &mut legal);
            let (config, list) = (&course.config, &legal);
            let place =
                playout_decision::<G>(config, &state, seat, list, &mut chance, &mut ratings);
            G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
        }
        let ended = G::outcome(&state).unwrap();
        let scores: Vec<i32> = ended.seats.iter().map(|seat| seat.score).collect();
        let told: Vec<i32> = told.seats.iter().map(|seat| seat.score).collect();
        assert_eq!(told, scores, "playout {number} of {}", G::ID);
    }
}

#[test]
fn a_policy_that_does_not_exist_is_refused() {
    with_game!(GAME_IDS[0], G => {
        let position = Course::<G>::new(2, 4).since_the_beginning();
        let mut asked = play_out(0, 1, false);
        if let Some(Operation::PlayOut(playouts)) = &mut asked.operation {
            playouts.policy = 3;
        }
        let told = done(&mut Session::default(), vec![load(0, position), asked], &mut || Ok(()));
        assert_eq!(told.results[1].refusal_reason(), RefusalReason::InvalidField);
        assert!(told.results[1].detail.starts_with("operations[1].play_out.policy: 3"), "{told:?}");
    });
}

fn a_session_follows_a_match<G: WireGame>() {
    let mut course = Course::<G>::new(*G::SEATS.end(), 5);
    let mut session = Session::default();
    let loaded = done(
        &mut session,
        vec![load(3, course.since_the_beginning())],
        &mut || Ok(()),
    );
    assert!(loaded.results[0].status.is_some(), "{loaded:?}");
    while let Some(seat) = course.turn() {
        let listed = operation(3, Operation::ListLegal(RulesListLegal::default()));
        course.step(seat);
        let apply = RulesApply {
            decisions: course.decisions.last().cloned().into_iter().collect(),
        };
        let told = done(
            &mut session,
            vec![listed, operation(3, Operation::Apply(apply))],
            &mut || Ok(()),
        );
        assert_eq!(told.results.len(), 2, "{told:?}");
        let owing = G::owing(&course.state);
        let owing: Vec<u32> = owing.iter().map(|seat| seat.number().into()).collect();
        let status = told.results[1].status.as_ref();
        assert_eq!(
            status.map(|status| &status.seats_to_decide),
            Some(&owing),
            "{told:?}"
        );
    }
    let observe = operation(3, Operation::Observe(RulesObserve { seat: None }));
    let told = done(&mut session, vec![observe], &mut || Ok(()));
    let seen = G::observe(&course.state, Viewer::Spectator);
    assert_eq!(
        told.results[0].observation,
        Some(G::observation_to_wire(&seen))
    );
    assert!(told.results[0].status.as_ref().unwrap().outcome.is_some());
}

#[test]
fn an_operation_that_is_refused_ends_the_list_and_leaves_the_position_as_it_was() {
    with_game!(GAME_IDS[0], G => {
        let course = Course::<G>::new(2, 4);
        let seat = course.turn().unwrap();
        let mut session = Session::default();
        let observe = || operation(0, Operation::Observe(RulesObserve { seat: Some(0) }));
        let position = course.known_to(Viewer::Seat(seat), "a");
        let before = done(&mut session, vec![load(0, position), observe()], &mut || Ok(()));
        let decisions = vec![by_index(seat, 0), by_index(seat, 9_999)];
        let apply = operation(0, Operation::Apply(RulesApply { decisions }));
        let refused = done(&mut session, vec![apply, observe()], &mut || Ok(()));
        assert_eq!(refused.results.len(), 1);
        assert_ne!(refused.results[0].refusal_reason(), RefusalReason::Unspecified);
        assert!(refused.results[0].detail.starts_with("operations[0].apply.decisions[1]"), "{refused:?}");
        let after = done(&mut session, vec![observe()], &mut || Ok(()));
        assert_eq!(after.results[0], before.results[1]);
    });
}

#[test]
fn numbers_without_a_position_and_lists_that_are_too_long_are_refused() {
    let mut session = Session::<()>::default();
    let cases = [
        (vec![], "operations: "),
        (
            vec![RulesOperation::default(); MAX_OPERATIONS + 1],
            "operations: ",
        ),
        (vec![RulesOperation::default()], "operations[0].operation: "),
        (
            vec![play_out(5, 1, false)],
            "operations[0].position_number: ",
        ),
        (
            vec![play_out(65_536, 1, false)],
            "operations[0].position_number: 65536",
        ),
        (
            vec![operation(0, Operation::CopyFromNumber(1))],
            "operations[0].copy_from_number: ",
        ),
    ];
    for (operations, begins) in cases {
        let told = done(&mut session, operations, &mut || Ok(()));
        assert_eq!(told.results.len(), 1, "{begins}");
        assert!(told.results[0].detail.starts_with(begins), "{told:?}");
        assert_eq!(
            told.results[0].refusal_reason(),
            RefusalReason::InvalidField
        );
    }
    assert!(session.is_empty());
}

#[test]
fn a_place_is_taken_for_each_number_and_given_back() {
    with_game!(GAME_IDS[0], G => {
        let position = Course::<G>::new(2, 4).since_the_beginning();
        let place = Rc::new(());
        let most = Cell::new(2);
        let mut take = || match Rc::strong_count(&place) <= most.get() {
            true => Ok(Rc::clone(&place)),
            false => Err(Problem::new(RefusalReason::LimitReached, "", "no place is left")),
        };
        let mut session = Session::default();
        let copy = |to| operation(to, Operation::CopyFromNumber(0));
        let forget = |number| operation(number, Operation::Forget(RulesForget {}));
        let told = done(&mut session, vec![load(0, position), copy(1), copy(1), copy(2)], &mut take);
        assert_eq!(told.results.len(), 4);
        assert_eq!(told.results[3].refusal_reason(), RefusalReason::LimitReached);
        assert_eq!(session.len(), 2);
        let told = done(&mut session, vec![forget(1), copy(2)], &mut take);
        assert_eq!(told.results[1].refusal_reason(), RefusalReason::Unspecified, "{told:?}");
        drop(session);
        assert_eq!(Rc::strong_count(&place), 1);
    });
}
