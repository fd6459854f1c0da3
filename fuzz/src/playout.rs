//! Play that follows from nothing but the state.

use bridgemaster_games::{ChanceStream, Game, NoEvents, settle};

/// Decisions that are played: past the setup's own surprises, and quick.
const MOST_DECISIONS: u32 = 60;

/// Plays on from a state that the rules let in: then everything listed must apply.
pub(crate) fn play_on<G: Game>(state: &mut G::State) {
    let mut stream = ChanceStream::new(&7.into(), 1 << 40);
    let mut legal = Vec::new();
    for _ in 0..MOST_DECISIONS {
        settle::<G>(state, &mut stream, &mut NoEvents);
        let Some(seat) = G::owing(state).iter().next() else {
            assert!(
                G::outcome(state).is_some(),
                "nobody owes, and there is no outcome"
            );
            return;
        };
        G::legal(state, seat, &mut legal);
        let decision = &legal[stream.below(legal.len() as u32) as usize];
        if let Err(refusal) = G::apply(state, seat, decision, &mut NoEvents) {
            panic!("{decision} is listed and refused: {refusal}");
        }
    }
}
