//! Playouts that depend only on the start state.

use bridgemaster_games::{ChanceStream, Game, NoEvents, resolve_chance};

/// The maximum number of decisions of a playout, enough to get past the setup of a game.
const MAX_DECISIONS: u32 = 60;

/// Plays from a state that the rules accepted. Every legal decision must apply.
pub(crate) fn play_some<G: Game>(state: &mut G::State) {
    let mut stream = ChanceStream::new(&7.into(), 1 << 40);
    let mut legal = Vec::new();
    for _ in 0..MAX_DECISIONS {
        resolve_chance::<G>(state, &mut stream, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(state).iter().next() else {
            assert!(
                G::outcome(state).is_some(),
                "no seat owes a decision, but there is no outcome"
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
