//! Sessions: batches in parts, greedy playouts, positions, and refusals.

use std::{cell::Cell, rc::Rc};

use bridgemaster_games::{
    ChanceStream, GAME_IDS, NoEvents, Seed, Viewer, resolve_chance, with_game,
};
use bridgemaster_greedy::{DecisionPoint, Rate, playout_decision};
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
    of_every_game,
    playthrough::{Playthrough, by_index},
};

of_every_game! {
    work_in_parts_equals_work_at_once as a_batch_in_parts_gives_the_same_response,
    greedy_playouts_in_parts as greedy_playouts_pause_after_any_decision_and_resume,
    greedy_playouts_decide_as_greedy as greedy_playouts_decide_as_the_greedy_bot,
    a_session_follows_a_match as positions_of_a_session_follow_the_match,
}

pub(crate) fn operation(position_number: u32, operation: Operation) -> RulesOperation {
    RulesOperation { position_number, operation: Some(operation) }
}

pub(crate) fn load(number: u32, position: RulesPosition) -> RulesOperation {
    operation(number, Operation::Load(Box::new(position)))
}

pub(crate) fn play_out(number: u32, playouts: u32, resample: bool) -> RulesOperation {
    let request = RulesPlayouts {
        playouts,
        seed: "playouts".to_owned(),
        resample,
        with_breakdown: resample,
        policy: PlayoutPolicy::Unspecified.into(),
    };
    operation(number, Operation::PlayOut(request))
}

/// Playouts in which every seat decides as `greedy` does.
pub(crate) fn play_out_greedily(number: u32, playouts: u32, resample: bool) -> RulesOperation {
    let request = RulesPlayouts {
        playouts,
        seed: "playouts".to_owned(),
        resample,
        with_breakdown: false,
        policy: PlayoutPolicy::Greedy.into(),
    };
    operation(number, Operation::PlayOut(request))
}

fn request(operations: Vec<RulesOperation>) -> OpenSessionRequest {
    OpenSessionRequest { request_id: 9, operations }
}

/// Executes operations without an interruption.
pub(crate) fn execute<P>(
    session: &mut Session<P>,
    operations: Vec<RulesOperation>,
    place: &mut dyn FnMut() -> Result<P, Problem>,
) -> OpenSessionResponse {
    let mut batch = Batch::new(request(operations));
    assert!(session.work(&mut batch, place, &mut || true));
    batch.into_response()
}

fn work_in_parts_equals_work_at_once<G: WireGame>() {
    let playthrough = Playthrough::<G>::new(2, 4);
    let seat = playthrough.turn().unwrap();
    let operations = vec![
        load(0, playthrough.as_seen_by(Viewer::Seat(seat), "a")),
        operation(1, Operation::CopyFromNumber(0)),
        operation(1, Operation::Apply(RulesApply { decisions: vec![by_index(seat, 0)] })),
        play_out(1, 7, true),
        play_out(0, 4, false),
        operation(1, Operation::Observe(RulesObserve { seat: Some(0) })),
    ];
    let at_once = execute(&mut Session::default(), operations.clone(), &mut || Ok(()));
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
    assert_eq!(parts, 4 + 7 + 4, "each operation and each playout is a part");
    assert_eq!(batch.into_response(), at_once, "{}", G::ID);
}

/// A match of two seats with few remaining decisions, because those of `greedy` take long.
fn near_the_end<G: WireGame>() -> Playthrough<G> {
    let mut whole = Playthrough::<G>::new(2, 4);
    while let Some(seat) = whole.turn() {
        whole.step(seat);
    }
    let mut playthrough = Playthrough::<G>::new(2, 4);
    for _ in 10..whole.decisions.len() {
        let seat = playthrough.turn().unwrap();
        playthrough.step(seat);
    }
    playthrough
}

fn greedy_playouts_in_parts<G: WireGame>() {
    let playthrough = near_the_end::<G>();
    let viewer = Viewer::Seat(playthrough.turn().unwrap());
    let operations =
        vec![load(0, playthrough.as_seen_by(viewer, "a")), play_out_greedily(0, 2, true)];
    let at_once = execute(&mut Session::default(), operations.clone(), &mut || Ok(()));
    assert_eq!(at_once.results[1].outcomes.len(), 2, "{at_once:?}");

    let (mut session, mut batch) = (Session::default(), Batch::new(request(operations)));
    let mut parts = 1;
    while !session.work(&mut batch, &mut || Ok(()), &mut || false) {
        parts += 1;
    }
    assert!(parts > 2 + 2, "each decision must be a part, but there are {parts} parts");
    assert_eq!(batch.into_response(), at_once, "{}", G::ID);
}

fn greedy_playouts_decide_as_greedy<G: WireGame + Rate>() {
    let playthrough = near_the_end::<G>();
    let playouts = 3;
    let operations =
        vec![load(0, playthrough.position_from_start()), play_out_greedily(0, playouts, false)];
    let response = execute(&mut Session::default(), operations, &mut || Ok(()));
    let seed: Seed = "playouts".parse().unwrap();
    let (mut legal, mut ratings) = (Vec::new(), Vec::new());
    for (number, response) in (0..playouts).zip(&response.results[1].outcomes) {
        let mut chance = ChanceStream::new(&seed, number.into());
        let mut state = playthrough.state.clone();
        loop {
            resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
            let Some(seat) = G::seats_to_decide(&state).iter().next() else {
                break;
            };
            G::legal(&state, seat, &mut legal);
            let point = DecisionPoint {
                config: &playthrough.config,
                state: &state,
                seat,
                decisions: &legal,
            };
            let place = playout_decision::<G>(&point, &mut chance, &mut ratings);
            G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
        }
        let ended = G::outcome(&state).unwrap();
        let scores: Vec<i32> = ended.seats.iter().map(|seat| seat.score).collect();
        let response: Vec<i32> = response.seats.iter().map(|seat| seat.score).collect();
        assert_eq!(response, scores, "playout {number} of {}", G::ID);
    }
}

#[test]
fn an_unknown_policy_is_refused() {
    with_game!(GAME_IDS[0], G => {
        let position = Playthrough::<G>::new(2, 4).position_from_start();
        let mut invalid = play_out(0, 1, false);
        if let Some(Operation::PlayOut(playouts)) = &mut invalid.operation {
            playouts.policy = 3;
        }
        let response = execute(&mut Session::default(), vec![load(0, position), invalid], &mut || Ok(()));
        assert_eq!(response.results[1].refusal_reason(), RefusalReason::InvalidField);
        assert!(response.results[1].detail.starts_with("operations[1].play_out.policy: 3"), "{response:?}");
    });
}

fn a_session_follows_a_match<G: WireGame>() {
    let mut playthrough = Playthrough::<G>::new(*G::SEATS.end(), 5);
    let mut session = Session::default();
    let loaded =
        execute(&mut session, vec![load(3, playthrough.position_from_start())], &mut || Ok(()));
    assert!(loaded.results[0].status.is_some(), "{loaded:?}");
    while let Some(seat) = playthrough.turn() {
        let listed = operation(3, Operation::ListLegal(RulesListLegal::default()));
        playthrough.step(seat);
        let apply =
            RulesApply { decisions: playthrough.decisions.last().cloned().into_iter().collect() };
        let response =
            execute(&mut session, vec![listed, operation(3, Operation::Apply(apply))], &mut || {
                Ok(())
            });
        assert_eq!(response.results.len(), 2, "{response:?}");
        let seats_to_decide = G::seats_to_decide(&playthrough.state);
        let seats_to_decide: Vec<u32> =
            seats_to_decide.iter().map(|seat| seat.number().into()).collect();
        let status = response.results[1].status.as_ref();
        assert_eq!(
            status.map(|status| &status.seats_to_decide),
            Some(&seats_to_decide),
            "{response:?}"
        );
    }
    let observe = operation(3, Operation::Observe(RulesObserve { seat: None }));
    let response = execute(&mut session, vec![observe], &mut || Ok(()));
    let seen = G::observe(&playthrough.state, Viewer::Spectator);
    assert_eq!(response.results[0].observation, Some(G::observation_to_wire(&seen)));
    assert!(response.results[0].status.as_ref().unwrap().outcome.is_some());
}

#[test]
fn a_refused_operation_ends_the_batch_and_keeps_the_position() {
    with_game!(GAME_IDS[0], G => {
        let playthrough = Playthrough::<G>::new(2, 4);
        let seat = playthrough.turn().unwrap();
        let mut session = Session::default();
        let observe = || operation(0, Operation::Observe(RulesObserve { seat: Some(0) }));
        let position = playthrough.as_seen_by(Viewer::Seat(seat), "a");
        let before = execute(&mut session, vec![load(0, position), observe()], &mut || Ok(()));
        let decisions = vec![by_index(seat, 0), by_index(seat, 9_999)];
        let apply = operation(0, Operation::Apply(RulesApply { decisions }));
        let refused = execute(&mut session, vec![apply, observe()], &mut || Ok(()));
        assert_eq!(refused.results.len(), 1);
        assert_ne!(refused.results[0].refusal_reason(), RefusalReason::Unspecified);
        assert!(refused.results[0].detail.starts_with("operations[0].apply.decisions[1]"), "{refused:?}");
        let after = execute(&mut session, vec![observe()], &mut || Ok(()));
        assert_eq!(after.results[0], before.results[1]);
    });
}

#[test]
fn unknown_positions_and_too_long_batches_are_refused() {
    let mut session = Session::<()>::default();
    let cases = [
        (vec![RulesOperation::default(); MAX_OPERATIONS + 1], "operations: "),
        (vec![RulesOperation::default()], "operations[0].operation: "),
        (vec![play_out(5, 1, false)], "operations[0].position_number: "),
        (vec![play_out(65_536, 1, false)], "operations[0].position_number: 65536"),
        (vec![operation(0, Operation::CopyFromNumber(1))], "operations[0].copy_from_number: "),
    ];
    for (operations, prefix) in cases {
        let response = execute(&mut session, operations, &mut || Ok(()));
        assert_eq!(response.results.len(), 1, "{prefix}");
        assert!(response.results[0].detail.starts_with(prefix), "{response:?}");
        assert_eq!(response.results[0].refusal_reason(), RefusalReason::InvalidField);
    }
    // A heartbeat of the client.
    assert_eq!(execute(&mut session, vec![], &mut || Ok(())).results, []);
    assert!(session.is_empty());
}

#[test]
fn each_position_takes_a_permit_and_releases_it() {
    with_game!(GAME_IDS[0], G => {
        let position = Playthrough::<G>::new(2, 4).position_from_start();
        let place = Rc::new(());
        let most = Cell::new(2);
        let mut take = || if Rc::strong_count(&place) <= most.get() { Ok(Rc::clone(&place)) } else { Err(Problem::new(RefusalReason::LimitReached, "", "no permit for a position is left")) };
        let mut session = Session::default();
        let copy = |to| operation(to, Operation::CopyFromNumber(0));
        let forget = |number| operation(number, Operation::Forget(RulesForget {}));
        let response = execute(&mut session, vec![load(0, position), copy(1), copy(1), copy(2)], &mut take);
        assert_eq!(response.results.len(), 4);
        assert_eq!(response.results[3].refusal_reason(), RefusalReason::LimitReached);
        assert_eq!(session.len(), 2);
        let response = execute(&mut session, vec![forget(1), copy(2)], &mut take);
        assert_eq!(response.results[1].refusal_reason(), RefusalReason::Unspecified, "{response:?}");
        drop(session);
        assert_eq!(Rc::strong_count(&place), 1);
    });
}
