//! Any position is refused or can be played: nothing panics.

use bridgemaster_games::{ChanceStream, GAME_IDS, Seed, Viewer, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ApplyDecisionsRequest, OpenSessionRequest, RulesListLegal, RulesObserve, RulesPosition,
        rules_operation::Operation,
    },
};
use bridgemaster_rules::{Batch, Position, Session, answers};
use proptest::prelude::*;
use prost::Message as _;

use crate::{
    playthrough::{Playthrough, by_index},
    session::{load, operation, play_out, play_out_greedily},
};

/// A position after a random number of decisions, in the view of a seat or a spectator.
fn random_position<G: WireGame>(seed: u64) -> RulesPosition {
    let mut chance = ChanceStream::new(&Seed::from(seed), 0);
    let (least, most) = (*G::SEATS.start(), *G::SEATS.end());
    let seats = least + chance.below(u32::from(most - least) + 1) as u8;
    let mut playthrough = Playthrough::<G>::new(seats, seed);
    for _ in 0..chance.below(150) {
        let Some(seat) = playthrough.turn() else {
            break;
        };
        playthrough.step(seat);
    }
    let viewer = match (chance.below(4), playthrough.turn()) {
        (1.., Some(seat)) => Viewer::Seat(seat),
        _ => Viewer::Spectator,
    };
    let mut position = playthrough.as_seen_by(viewer, "some");
    if let Some(seat) = playthrough.turn() {
        position.decisions.push(by_index(seat, 0));
    }
    position
}

/// Uses a position in every operation.
fn try_every_operation(position: RulesPosition) {
    let refused = Position::rebuild(&position).err();
    if let Some(problem) = &refused {
        assert!(
            !problem.error.field.is_empty() && !problem.error.problem.is_empty(),
            "{problem:?}"
        );
    }
    let request = ApplyDecisionsRequest { position: Some(position.clone()), viewer_seat: Some(1) };
    let applied = answers::apply_decisions(&request);
    assert!(refused.is_none() || applied.is_err());
    let mut batch = Batch::new(OpenSessionRequest {
        request_id: 0,
        operations: vec![
            load(0, position),
            operation(0, Operation::ListLegal(RulesListLegal { seat: None })),
            operation(0, Operation::Observe(RulesObserve { seat: Some(0) })),
            play_out(0, 2, false),
            play_out(0, 2, true),
        ],
    });
    let mut session = Session::default();
    while !session.work(&mut batch, &mut || Ok(()), &mut || true) {}
    let response = batch.into_response();
    let is_whole = response.results.len() == 5 && response.results[4].detail.is_empty();
    assert_eq!(is_whole, refused.is_none(), "{response:?}");
    // Only a few decisions, because they take long.
    let mut greedily = Batch::new(OpenSessionRequest {
        request_id: 1,
        operations: vec![play_out_greedily(0, 1, true)],
    });
    let mut checks = 0;
    let mut some = || {
        checks += 1;
        checks < 8
    };
    session.work(&mut greedily, &mut || Ok(()), &mut some);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_corrupted_position_is_refused_or_can_be_played(
        game in 0..GAME_IDS.len(),
        seed in 0..50_u64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..40_u8), 1..4),
    ) {
        let position = with_game!(GAME_IDS[game], G => random_position::<G>(seed)).unwrap();
        let mut bytes = position.encode_to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(changed) = RulesPosition::decode(&*bytes) {
            try_every_operation(changed);
        }
    }
}
