//! Shuffles of the discard that are drawn, refused and sampled. The recount plays them.

use bridgemaster_games::alhambra::{Alhambra, Money, Shuffle};
use bridgemaster_games::{ChanceStream, Game, Rules, Sample, Seed, Viewer};

use crate::alhambra::position::{Play, Position, cards, money};
use crate::play::seat;

/// Seat 0 has taken two cards while one remains in the pile: the refill is interrupted by a
/// shuffle.
fn waiting() -> Play {
    let mut play = Position::new(3).row("b1 g1 o9 y9").pile("b9").play();
    play.decide(0, &["take b1 g1"]);
    play
}

#[test]
fn the_discard_is_sorted_before_it_is_shuffled() {
    let play = waiting();
    let seed = Seed::from(8);
    let drawn = Alhambra::draw_chance(&play.state, &mut ChanceStream::new(&seed, 17)).unwrap();
    let mut sorted: Vec<_> = play.view().discard.cards().collect();
    assert!(sorted.is_sorted());
    ChanceStream::new(&seed, 17).shuffle(&mut sorted);
    assert_eq!(drawn.cards.as_slice(), sorted);
}

#[test]
fn a_shuffle_of_other_cards_or_when_none_is_due_is_refused_and_changes_nothing() {
    let mut play = waiting();
    let mut chance = ChanceStream::new(&Seed::from(1), 17);
    let drawn = Alhambra::draw_chance(&play.state, &mut chance).unwrap();
    let digest = Alhambra::digest(&play.state);
    let refusal = |play: &mut Play, shuffle: &Shuffle| {
        let applied = Alhambra::apply_chance(&mut play.state, shuffle, &mut play.events);
        applied.unwrap_err().to_string()
    };
    let mut short = drawn.clone();
    short.cards.pop();
    let mut other = drawn.clone();
    let last = other.cards.len() - 1;
    other.cards[last] = cards("b9")[0];
    let mut many = drawn.clone();
    many.cards.fill(cards("b5")[0]);
    for shuffle in [&short, &other, &many] {
        let message = refusal(&mut play, shuffle);
        assert_eq!(message, "cards: must be the cards of the discard");
        assert_eq!(Alhambra::digest(&play.state), digest);
    }
    play.resolve_chance();
    assert_eq!(refusal(&mut play, &drawn), "shuffle: none is due");
    assert_eq!(Alhambra::draw_chance(&play.state, &mut chance), None);
    assert_eq!(Alhambra::chance_due(&play.state), None);
}

#[test]
fn a_position_in_which_a_shuffle_is_due_can_be_sampled() {
    let play = waiting();
    let view = Alhambra::observe(&play.state, Viewer::Seat(seat(1)));
    let mut chance = ChanceStream::new(&Seed::from(3), 0);
    let config = Position::new(3).config;
    let mut sampled = Alhambra::sample_state(&config, &view, &mut chance).unwrap();
    assert_eq!(Alhambra::chance_due(&sampled), Some(17));
    let drawn = Alhambra::draw_chance(&sampled, &mut chance).unwrap();
    let all = Money::from_cards(drawn.cards.iter().copied());
    assert_eq!(all, Some(view.discard));
    assert_ne!(all, Some(money("")));
    Alhambra::apply_chance(&mut sampled, &drawn, &mut Vec::new()).unwrap();
    assert_eq!(Alhambra::chance_due(&sampled), None);
}
