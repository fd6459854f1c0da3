//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use std::collections::HashSet;

use arrayvec::ArrayVec;
use bridgemaster_games::alhambra::{
    Alhambra, Building, Buildings, Config, Currency, Money, MoneyCard, Observation, Phase,
    PlaceRange, Purchase, RowCards, TurnPurchase, ValueCounts,
};
use bridgemaster_games::{
    ChanceStream, Game, NoEvents, Rules, Sample, Seed, Show, Viewer, resolve_chance,
};

use crate::position::{Position, building, cards, money, seat, seats};

/// A multiset of money close to `near`.
fn any_money(near: Money, chance: &mut ChanceStream) -> Money {
    let mut cards: Vec<MoneyCard> = near.cards().collect();
    match chance.below(3) {
        0 => drop(cards.pop()),
        1 => cards.push(any_card(chance)),
        _ => cards.truncate(chance.below(20) as usize),
    }
    Money::of(cards).unwrap_or(near)
}

fn any_card(chance: &mut ChanceStream) -> MoneyCard {
    let currency = Currency::ALL[chance.below(4) as usize];
    MoneyCard::new(currency, 1 + chance.below(9) as u8).unwrap()
}

fn any_building(chance: &mut ChanceStream) -> Building {
    Building::all().nth(chance.below(42) as usize).unwrap()
}

/// A multiset of buildings close to `near`.
fn any_buildings(near: Buildings, chance: &mut ChanceStream) -> Buildings {
    let mut all: Vec<Building> = near.iter().collect();
    match chance.below(2) {
        0 => drop(all.pop()),
        _ => all.push(any_building(chance)),
    }
    Buildings::of(all).unwrap_or(near)
}

/// Changes one random field of an observation.
fn mutate(view: &mut Observation, chance: &mut ChanceStream) {
    let player = chance.below(view.seats.len() as u32) as usize;
    let byte = chance.below(40) as u8;
    let random_seat = seat(chance.below(8) as u8);
    let slot = chance.below(4) as usize;
    let seats = &mut view.seats;
    match chance.below(17) {
        0 => view.viewer = Viewer::Seat(random_seat),
        1 => view.phase = Phase::Turn { seat: random_seat },
        2 => view.phase = Phase::Shuffle { seat: random_seat },
        3 => view.phase = Phase::Over,
        4 => {
            let (building, slot) = (any_building(chance), Currency::ALL[slot]);
            let payment = ValueCounts::new([byte % 4, 1, 0, 0, byte % 2, 0, 0, 0, 0]).unwrap();
            let purchase = Purchase {
                slot,
                payment,
                give: byte < 13,
            };
            let entry = TurnPurchase { building, purchase };
            if view.turn_purchases.try_push(entry).is_err() {
                view.turn_purchases.clear();
            }
        }
        5 => seats[player].hand = any_money(seats[player].hand, chance),
        6 => seats[player].buildings = any_buildings(seats[player].buildings, chance),
        7 => seats[player].points[slot % 3][usize::from(byte % 6)] = byte,
        8 => view.dummy = None,
        9 => view.yard[slot] = None,
        10 => view.yard[slot] = Some(any_building(chance)),
        11 => {
            let more = view.row.cards().chain([any_card(chance)]);
            view.row = RowCards::of(more).unwrap_or(RowCards::EMPTY);
        }
        12 => view.discard = any_money(view.discard, chance),
        13 => view.unseen_money = any_money(view.unseen_money, chance),
        14 => view.unseen_buildings = any_buildings(view.unseen_buildings, chance),
        15 => {
            let (first, last) = (byte, chance.below(60) as u8);
            let range = (slot > 0).then_some(PlaceRange { first, last });
            view.scoring_cards[slot % 2] = range;
        }
        _ => view.shuffles = byte * 3,
    }
    // Moving a card from one place to another preserves the counts.
    if chance.below(3) == 0 {
        let card = view.unseen_money.cards().next();
        let moved: Option<Money> = card.and_then(|card| {
            let hand = view.seats[player].hand.cards().chain([card]);
            Money::of(hand)
        });
        if let Some(hand) = moved {
            view.seats[player].hand = hand;
            view.unseen_money = Money::of(view.unseen_money.cards().skip(1)).unwrap();
        }
    }
}

/// Plays a match to its end with uniform random decisions.
fn finish(state: &mut <Alhambra as Rules>::State, chance: &mut ChanceStream) {
    let mut list = Vec::new();
    resolve_chance::<Alhambra>(state, chance, &mut NoEvents);
    while let Some(player) = Alhambra::seats_to_decide(state).iter().next() {
        Alhambra::legal(state, player, &mut list);
        assert!(
            !list.is_empty(),
            "seat {player} owes a decision and has none"
        );
        let choice = &list[chance.below(list.len() as u32) as usize];
        Alhambra::apply(state, player, choice, &mut NoEvents).unwrap();
        resolve_chance::<Alhambra>(state, chance, &mut NoEvents);
    }
    assert!(Alhambra::outcome(state).is_some());
}

#[test]
fn an_altered_observation_is_refused_or_plays_on_without_a_panic() {
    let config = Config::default();
    let (mut refused, mut sampled) = (0, 0);
    for seed in 0..100u64 {
        let count = seats(2 + (seed % 5) as u8);
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1000);
        let setup = Alhambra::draw_setup(&config, count, &seed).unwrap();
        let mut state = Alhambra::start(&config, count, &setup, &mut NoEvents).unwrap();
        let mut list = Vec::new();
        while let Some(player) = Alhambra::seats_to_decide(&state).iter().next() {
            for _ in 0..6 {
                let mut view = Alhambra::observe(&state, Viewer::Seat(player));
                for _ in 0..1 + chance.below(2) {
                    mutate(&mut view, &mut chance);
                }
                Alhambra::render(&config, &view, &mut String::new()).unwrap();
                let progress = Alhambra::progress(&view).unwrap();
                assert!(progress.done <= progress.total, "{progress:?}");
                match Alhambra::sample_state(&config, &view, &mut chance) {
                    Err(error) => {
                        assert!(error.to_string().contains(": "), "{error} names no field");
                        refused += 1;
                    }
                    Ok(mut other) => {
                        assert_eq!(Alhambra::observe(&other, view.viewer), view);
                        finish(&mut other, &mut chance);
                        sampled += 1;
                    }
                }
            }
            Alhambra::legal(&state, player, &mut list);
            let choice = &list[chance.below(list.len() as u32) as usize];
            Alhambra::apply(&mut state, player, choice, &mut NoEvents).unwrap();
            resolve_chance::<Alhambra>(&mut state, &mut chance, &mut NoEvents);
        }
    }
    assert!(
        refused > 1000 && sampled > 1000,
        "{refused} refused, {sampled} sampled"
    );
}

fn sample_error(position: &Position, change: impl FnOnce(&mut Observation)) -> String {
    let mut view = position.completed();
    change(&mut view);
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let sampled = Alhambra::sample_state(&position.config, &view, &mut chance);
    sampled.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_refused_observation_names_its_field() {
    let start = Position::new(3)
        .hand(0, "b5 b5 o4 o4")
        .buildings(1, "tower 7")
        .scoring_cards([3, 9], [20, 30]);
    let error = |change: fn(&mut Observation)| sample_error(&start, change);
    let refused = [
        (
            error(|view| view.seats.clear()),
            "seats: must have an entry for each seat of a match",
        ),
        (
            error(|view| view.seats.truncate(1)),
            "seats: 1 is out of range (2..=6)",
        ),
        (
            error(|view| view.viewer = Viewer::Seat(seat(3))),
            "viewer: is a seat that is not at the table",
        ),
        (
            error(|view| view.phase = Phase::Turn { seat: seat(7) }),
            "phase.seat: is a seat that is not at the table",
        ),
        (
            sample_error(&Position::new(2), |view| view.dummy = None),
            "dummy: \"None\" contradicts the other fields",
        ),
        (
            error(|view| view.seats[2].hand = money("b5")),
            "unseen_money: with hands, open row and discard there are 4 of b5 instead of 3",
        ),
        (
            error(|view| view.yard[0] = Some(building("tower 13"))),
            "unseen_buildings: with owners and yard there are 2 of garden 10 instead of 3",
        ),
        (
            error(|view| {
                view.yard[1] = None;
                let more = view.unseen_buildings.iter().chain([building("tower 13")]);
                view.unseen_buildings = Buildings::of(more).unwrap();
            }),
            "yard: must be full, except for the slots of this turn's purchases",
        ),
        (
            error(|view| view.phase = Phase::Shuffle { seat: seat(0) }),
            "phase: a shuffle is due only with a short row, an empty pile and a discard",
        ),
        (
            error(|view| view.shuffles = 54),
            "shuffles: is not below the number of buildings",
        ),
        (
            error(|view| view.scoring_cards[0] = Some(PlaceRange { first: 4, last: 3 })),
            "scoring_cards[0]: `first` must not exceed `last`",
        ),
    ];
    for (message, expected) in refused {
        assert!(
            message.starts_with(expected),
            "{message}; expected {expected}"
        );
    }
}

#[test]
fn the_place_of_each_scoring_card_is_in_the_digest() {
    let (config, count) = (Config::default(), seats(3));
    let mut setup = Alhambra::draw_setup(&config, count, &Seed::from(4)).unwrap();
    let mut digests = HashSet::new();
    for [a, b] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        (setup.scoring_a_place, setup.scoring_b_place) = (a, b);
        let state = Alhambra::start(&config, count, &setup, &mut NoEvents).unwrap();
        digests.insert(Alhambra::digest(&state));
    }
    assert_eq!(digests.len(), 4);
}

/// Samples a position 1400 times, continues each state with decisions in notation, and counts the
/// revealed items by the index that `shown` assigns to them.
fn drawn<const N: usize>(
    position: &Position,
    decisions: &[(u8, &str)],
    shown: impl Fn(&Observation) -> usize,
) -> [u32; N] {
    let mut chance = ChanceStream::new(&Seed::from(9), 0);
    let view = position.completed();
    let mut counts = [0; N];
    for _ in 0..1400 {
        let mut state = Alhambra::sample_state(&position.config, &view, &mut chance).unwrap();
        for (number, text) in decisions {
            let decision = text.parse().unwrap();
            Alhambra::apply(&mut state, seat(*number), &decision, &mut NoEvents).unwrap();
        }
        counts[shown(&Alhambra::observe(&state, Viewer::Spectator))] += 1;
    }
    counts
}

/// True if counts of 1400 draws fit equal shares within 4 standard deviations.
fn fit<const N: usize>(counts: [u32; N]) -> bool {
    let share = 1.0 / N as f64;
    let deviation = (1400.0 * share * (1.0 - share)).sqrt();
    let fits = |count: &u32| (f64::from(*count) - 1400.0 * share).abs() <= 4.0 * deviation;
    counts.iter().all(fits)
}

#[test]
fn the_next_building_is_drawn_uniformly_from_the_pile() {
    let left = [
        "garden 6",
        "tower 7",
        "arcades 4",
        "chambers 5",
        "garden 7",
        "pavilion 2",
    ];
    let start = Position::new(3)
        .hand(0, "b9 b9")
        .buildings_left(&left.join(", "));
    let counts: [u32; 6] = drawn(&start, &[(0, "buy blue 9 9")], |view| {
        let laid = view.yard[0].unwrap();
        left.iter().position(|text| building(text) == laid).unwrap()
    });
    assert!(fit(counts), "{counts:?}");
}

#[test]
fn the_next_money_card_is_drawn_uniformly_from_the_pile() {
    let left = cards("b1 g2 o3 y4 b5");
    let start = Position::new(3).pile("b1 g2 o3 y4 b5");
    let counts: [u32; 5] = drawn(&start, &[(0, "take b9")], |view| {
        let open: Vec<MoneyCard> = view.row.cards().collect();
        left.iter().position(|card| open.contains(card)).unwrap()
    });
    assert!(fit(counts), "{counts:?}");
}

#[test]
fn scoring_card_b_lies_at_each_place_of_its_range_equally_often() {
    let start = Position::new(3)
        .row("b1 g1 o1 y1")
        .buildings(0, "tower 7")
        .scoring_card_b([0, 3]);
    let decisions = [(0, "take b1 g1 o1 y1")];
    // Under 0 to 3 cards, it is drawn in this refill of four; each number is equally likely.
    let counts: [u32; 2] = drawn(&start, &decisions, |view| {
        usize::from(view.scoring_cards[1].is_some())
    });
    assert_eq!(counts, [1400, 0]);
    let later = start.scoring_card_b([2, 5]);
    let counts: [u32; 2] = drawn(&later, &decisions, |view| {
        usize::from(view.scoring_cards[1].is_some())
    });
    assert!(fit(counts), "{counts:?}");
}

#[test]
fn a_new_turn_has_an_empty_list_of_purchases() {
    let mut play = Position::new(3).hand(0, "b5 b5").play();
    play.decide(0, &["buy blue 5 5", "take b9"]);
    assert_eq!(play.view().turn_purchases, ArrayVec::new());
}
