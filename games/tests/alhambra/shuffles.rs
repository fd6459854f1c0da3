//! Shuffles of the discard: when they are due, their effects, and refusals.

use bridgemaster_games::alhambra::{Alhambra, Event, Money, Phase, Shuffle};
use bridgemaster_games::{ChanceStream, Game, Rules, Sample, Seed, Viewer};

use crate::position::{Play, Position, cards, every_card, money, seat};

/// Seat 0 has taken two cards while one remains in the pile: the refill is interrupted by a
/// shuffle.
fn waiting() -> Play {
    let mut play = Position::new(3).row("b1 g1 o9 y9").pile("b9").play();
    play.decide(0, &["take b1 g1"]);
    play
}

#[test]
fn a_shuffle_falls_due_in_the_middle_of_a_refill() {
    let mut play = waiting();
    assert_eq!(play.view().phase, Phase::Shuffle { seat: seat(0) });
    assert_eq!(
        play.view().row.cards().collect::<Vec<_>>(),
        cards("b9 o9 y9")
    );
    assert_eq!(
        Alhambra::chance_due(&play.state),
        Some(17),
        "shuffle 1: one is over"
    );
    assert_eq!(Alhambra::outcome(&play.state), None);
    assert!(Alhambra::seats_to_decide(&play.state).is_empty());
    let discard = play.view().discard;
    play.resolve_chance();
    let view = play.view();
    assert_eq!((view.row.len(), view.shuffles), (4, 2));
    assert_eq!(view.phase, Phase::Turn { seat: seat(1) });
    assert_eq!(view.unseen_money.len(), discard.len() - 1);
    assert!(view.discard.is_empty());
    let line = format!(
        "the discard of {} is shuffled into a new pile",
        discard.len()
    );
    assert_eq!(play.lines_with("the discard"), [line]);
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
fn the_event_of_a_shuffle_does_not_reveal_the_order() {
    let shuffled = |seed: u64| {
        let mut play = waiting();
        let mut chance = ChanceStream::new(&Seed::from(seed), 17);
        let mut drawn = Alhambra::draw_chance(&play.state, &mut chance).unwrap();
        // The first card is revealed at once, so it is the same in both.
        let first = drawn
            .cards
            .iter()
            .position(|&card| card == cards("o3")[0])
            .unwrap();
        drawn.cards.swap(0, first);
        Alhambra::apply_chance(&mut play.state, &drawn, &mut play.events).unwrap();
        play
    };
    let (one, other) = (shuffled(1), shuffled(2));
    assert_ne!(Alhambra::digest(&one.state), Alhambra::digest(&other.state));
    assert_eq!(one.events, other.events);
    assert!(
        one.events
            .iter()
            .any(|event| matches!(event, Event::MoneyShuffled { .. }))
    );
    assert_eq!(one.view(), other.view());
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
fn a7_with_an_empty_discard_the_row_stays_short_until_money_is_paid() {
    // Seats 1 and 2 have nearly everything; three cards are in the row.
    let rest = every_card(1).replacen("b1 b2 b3", "", 1);
    let mut play = Position::new(3)
        .row("b1 b2 b3")
        .hand(1, &every_card(2))
        .hand(2, &rest)
        .play();
    play.decide(0, &["take b1"]);
    assert_eq!(play.view().row.len(), 2, "there is nothing to draw");
    play.decide(1, &["buy blue 9 1"]);
    assert_eq!(play.turn(), Some(1), "the refill comes after the turn");
    play.decide(1, &["take b2"]).resolve_chance();
    let view = play.view();
    assert_eq!(view.row.cards().collect::<Vec<_>>(), cards("b1 b3 b9"));
    assert!(view.unseen_money.is_empty() && view.discard.is_empty());
    assert_eq!(view.phase, Phase::Turn { seat: seat(2) });
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
    let all = Money::of(drawn.cards.iter().copied());
    assert_eq!(all, Some(view.discard));
    assert_ne!(all, Some(money("")));
    Alhambra::apply_chance(&mut sampled, &drawn, &mut Vec::new()).unwrap();
    assert_eq!(Alhambra::chance_due(&sampled), None);
}
