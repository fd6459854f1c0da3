//! The rulings A1 to A10, one by one, and refused decisions.

use bridgemaster_games::alhambra::{
    Alhambra, Category, Config, Decision, DummyPlaces, Money, Phase, RowCards, Scoring,
    WithoutBuildings,
};
use bridgemaster_games::{Rules, Sample, Seed, Viewer};

use crate::position::{Play, Position, cards, every_card, seat, seats};

fn scored(play: &Play, scoring: Scoring, category: Category) -> Vec<u8> {
    let view = play.view();
    let seats = view.seats.iter().map(|seat| seat.points);
    let dummy = view.dummy.iter().map(|dummy| dummy.points);
    let all = seats.chain(dummy);
    all.map(|points| points[scoring.index()][category.index()])
        .collect()
}

#[test]
fn a1_slots_are_blue_green_orange_yellow_and_refilled_from_the_left() {
    let mut play = Position::new(3)
        .yard(["pavilion 2", "seraglio 3", "arcades 4", "chambers 5"])
        .hand(0, "b2 y6")
        .play();
    let mut takes = play.clone();
    takes.decide(0, &["take b9"]);
    assert_eq!(
        takes.laid(),
        Vec::<String>::new(),
        "nothing is laid into a full yard"
    );
    play.decide(0, &["buy blue 2", "buy yellow 6"]);
    let laid = play.laid();
    assert_eq!(laid.len(), 2);
    assert!(laid[0].ends_with("into the blue slot"), "{laid:?}");
    assert!(laid[1].ends_with("into the yellow slot"), "{laid:?}");
    assert_eq!(
        play.yard()[1..3],
        ["seraglio 3", "arcades 4"],
        "cards never move"
    );
}

impl Play {
    /// The buildings added to the yard.
    fn laid(&self) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines.filter(|line| line.contains(" is laid ")).collect()
    }
}

#[test]
fn a4_a_building_given_to_the_dummy_changes_nothing_else() {
    let position = Position::new(2).hand(0, "b5 b5 b6");
    let mut keeps = position.play();
    let mut gives = position.play();
    keeps.decide(0, &["buy blue 5 5"]);
    gives.decide(0, &["buy blue 5 5 give"]);
    let (kept, given) = (keeps.view(), gives.view());
    assert_eq!(kept.seats[0].buildings.len(), 1);
    assert_eq!(given.seats[0].buildings.len(), 0);
    assert_eq!(given.dummy.unwrap().buildings, kept.seats[0].buildings);
    assert_eq!(given.phase, kept.phase, "it is still the turn of seat 0");
    assert_eq!(given.discard, kept.discard);

    let mut gives_over = position.play();
    gives_over.decide(0, &["buy blue 6 5 give"]);
    assert_eq!(gives_over.turn(), Some(1), "paid too much: the turn ends");
}

#[test]
fn a5_a_seat_that_can_do_nothing_passes_and_only_then() {
    // All money is in hands: the pile, the discard and therefore the row are empty.
    let all = every_card(1);
    let mut play = Position::new(3)
        .row("")
        .hand(0, "b1")
        .hand(1, &format!("{all} {}", all.replacen("b1 ", "", 1)))
        .hand(2, &all)
        .play();
    assert_eq!(play.legal(0), ["pass"]);
    play.decide(0, &["pass"]);
    assert_eq!(play.turn(), Some(1));
    assert!(
        play.view().row.is_empty(),
        "there is still no money to draw"
    );
    let refusal = play.refusal(1, "pass");
    let expected = "decision: a pass is legal only when nothing can be taken or bought";
    assert_eq!(refusal, expected);
    // The payment of seat 1 is shuffled, and the row gets those cards (A7).
    play.decide(1, &["buy blue 9 2"]);
    assert_eq!(play.view().phase, Phase::Shuffle { seat: seat(1) });
    assert!(Alhambra::seats_to_decide(&play.state).is_empty());
    play.resolve_chance();
    assert_eq!(play.turn(), Some(2));
    assert_eq!(play.view().row.cards().collect::<Vec<_>>(), cards("b2 b9"));
}

#[test]
fn a5_after_exact_purchases_a_pass_ends_the_turn_as_usual() {
    let all = every_card(1);
    let without_2 = all.replacen("b2 ", "", 1);
    let mut play = Position::new(3)
        .yard(["pavilion 2", "tower 13", "arcades 8", "chambers 11"])
        .row("")
        .hand(0, "b2")
        .hand(1, &format!("{all} {without_2}"))
        .hand(2, &all)
        .play();
    play.decide(0, &["buy blue 2"]);
    assert_eq!(play.legal(0), ["pass"]);
    play.decide(0, &["pass"]);
    assert_ne!(play.yard()[0], "-");
    play.resolve_chance();
    assert_eq!(play.view().row.cards().collect::<Vec<_>>(), cards("b2"));
    assert_eq!(play.turn(), Some(1));
}

#[test]
fn a6_a_pile_just_emptied_with_the_yard_full_goes_on() {
    let mut play = Position::new(3)
        .yard(["pavilion 2", "tower 13", "arcades 8", "chambers 11"])
        .hand(0, "b3")
        .buildings_left("tower 12")
        .play();
    play.decide(0, &["buy blue 3"]);
    assert_eq!(play.turn(), Some(1));
    assert_eq!(play.yard()[0], "tower 12");
    assert!(play.view().unseen_buildings.is_empty());
    // No seat buys anything, so the yard stays full.
    play.decide(1, &["take b9"]);
    assert_eq!(play.turn(), Some(2));
}

#[test]
fn a6_a_yard_that_cannot_be_filled_ends_the_match_before_the_money_refill() {
    let mut play = Position::new(3)
        .yard(["pavilion 2", "seraglio 3", "arcades 8", "chambers 11"])
        .hand(0, "b2 g4")
        .scoring_cards([0, 0], [2, 2])
        .buildings_left("tower 12")
        .play();
    play.decide(0, &["buy blue 2", "buy green 4"]);
    let view = play.view();
    assert_eq!(view.phase, Phase::Over);
    assert_eq!(
        play.lines_with("tower 12 is laid").len(),
        1,
        "what is left is still laid"
    );
    assert!(
        play.lines_with("scoring A").is_empty(),
        "scoring card A is never drawn"
    );
    assert_eq!(play.lines_with("scoring C").len(), 3);
    assert!(play.legal(1).is_empty());
    assert_eq!(play.refusal(0, "take b9"), "decision: the match is over");
}

#[test]
fn at_the_end_the_most_money_of_a_slot_gets_its_building_whatever_the_price() {
    let mut play = Position::new(3)
        .yard(["pavilion 2", "tower 13", "arcades 8", "chambers 11"])
        .row("b9 b9 b9 b8")
        .hand(0, "b3 g1 o5")
        .hand(1, "o2 o3")
        .hand(2, "g2")
        .buildings_left("")
        .play();
    let before = play.seat(2).hand;
    play.decide(0, &["buy blue 3"]);
    let lines: Vec<String> = play
        .lines()
        .into_iter()
        .filter(|l| l.contains(" goes to "))
        .collect();
    let expected = [
        "tower 13 of the green slot goes to seat 2",
        "arcades 8 of the orange slot goes to nobody",
        "chambers 11 of the yellow slot goes to nobody",
    ];
    assert_eq!(lines, expected, "most, tied, and nobody has any");
    assert_eq!(play.seat(2).hand, before, "nothing is paid");
    assert_eq!(play.yard(), ["-", "-", "arcades 8", "chambers 11"]);
}

#[test]
fn a8_seats_without_a_building_take_no_place_unless_the_config_says_so() {
    let position = Position::new(3)
        .buildings(0, "tower 7")
        .scoring_card_b([0, 0]);
    let mut strict = position.play();
    strict.decide(0, &["take b9"]);
    assert_eq!(scored(&strict, Scoring::B, Category::Tower), [13, 0, 0]);
    assert_eq!(scored(&strict, Scoring::B, Category::Garden), [0, 0, 0]);

    let config = Config {
        without_buildings: WithoutBuildings::Place,
        ..Config::default()
    };
    let mut shared = position.config(config).play();
    shared.decide(0, &["take b9"]);
    assert_eq!(scored(&shared, Scoring::B, Category::Tower), [13, 3, 3]);
    // (12 + 5) / 3, rounded down.
    assert_eq!(scored(&shared, Scoring::B, Category::Garden), [5, 5, 5]);
}

#[test]
fn a9_the_dummy_takes_every_place_unless_the_config_says_first_places_only() {
    let position = Position::new(2)
        .buildings(0, "tower 7, tower 8, garden 6")
        .buildings(1, "garden 7, arcades 4")
        .dummy("tower 9, garden 8, arcades 5, chambers 5")
        .scoring_card_b([0, 0]);
    let mut play = position.play();
    play.decide(0, &["take b9"]);
    let of = |play: &Play, category| scored(play, Scoring::B, category);
    assert_eq!(of(&play, Category::Tower), [13, 0, 6]);
    assert_eq!(of(&play, Category::Garden), [5, 5, 5]);
    assert_eq!(of(&play, Category::Arcades), [0, 6, 6]);
    assert_eq!(of(&play, Category::Chambers), [0, 0, 11]);

    let config = Config {
        dummy_places: DummyPlaces::FirstOnly,
        ..Config::default()
    };
    let mut play = position.config(config).play();
    play.decide(0, &["take b9"]);
    assert_eq!(
        of(&play, Category::Tower),
        [13, 0, 0],
        "passed over as second"
    );
    assert_eq!(
        of(&play, Category::Garden),
        [5, 5, 5],
        "a shared first place counts"
    );
    assert_eq!(of(&play, Category::Chambers), [0, 0, 11]);
}

#[test]
fn a9_the_dummy_has_no_place_in_the_result_and_equal_points_share_one() {
    let mut play = Position::new(2)
        .yard(["pavilion 2", "tower 13", "arcades 8", "chambers 11"])
        .row("b9 b9 g9 g9")
        .hand(0, "b3")
        .buildings_left("")
        .play();
    play.decide(0, &["buy blue 3 give"]);
    let dummy = play.view().dummy.unwrap();
    assert_eq!(dummy.points[2], [16, 17, 18, 19, 20, 21]);
    let outcome = play.outcome();
    assert_eq!(outcome.seats.len(), 2);
    let places: Vec<(u8, i32)> = outcome.seats.iter().map(|s| (s.place, s.score)).collect();
    assert_eq!(places, [(1, 0), (1, 0)]);
    assert_eq!(outcome.seats[0].breakdown.len(), 18);
}

#[test]
fn a10_every_viewer_sees_all_hands() {
    let play = Position::new(4).hand(2, "b1 g2").play();
    let spectator = play.view();
    assert_eq!(
        spectator.seats[2].hand.cards().collect::<Vec<_>>(),
        cards("b1 g2")
    );
    for number in 0..4 {
        let viewer = Viewer::Seat(seat(number));
        let mut own = Alhambra::observe(&play.state, viewer);
        own.viewer = Viewer::Spectator;
        assert_eq!(own, spectator);
    }
}

#[test]
fn the_dummy_draws_6_buildings_after_a_and_a_third_of_the_pile_after_b() {
    let mut play = Position::new(2).scoring_cards([0, 0], [1, 1]).play();
    let left = play.view().unseen_buildings.len();
    play.decide(0, &["take b9"]);
    let view = play.view();
    assert_eq!(view.dummy.unwrap().buildings.len(), 6);
    assert_eq!(view.unseen_buildings.len(), left - 6);
    assert_eq!(view.row.len(), 4, "the next money card comes in its place");
    // A is drawn, and B is now the top card.
    assert_eq!(view.scoring_cards[0], None);
    assert_eq!(
        view.scoring_cards[1].map(|range| (range.first, range.last)),
        Some((0, 0))
    );
    play.decide(1, &["take g9"]);
    let view = play.view();
    assert_eq!((left - 6) % 3, 2, "the third is rounded down");
    assert_eq!(view.dummy.unwrap().buildings.len(), 6 + (left - 6) / 3);
    let draws = play.lines_with("the dummy draws").len();
    assert_eq!(draws, 2);
}

#[test]
fn the_dummy_draws_the_remaining_buildings_and_takes_none_of_the_yard() {
    let mut play = Position::new(2)
        .scoring_cards([0, 0], [3, 3])
        .buildings_left("tower 7, tower 8")
        .play();
    let owned = play.view().dummy.unwrap().buildings.len();
    play.decide(0, &["take b9"]);
    assert_eq!(play.view().dummy.unwrap().buildings.len(), owned + 2);
    assert_eq!(play.turn(), Some(1), "the yard is full: the match goes on");
    assert!(!play.yard().contains(&"-".to_owned()));
}

#[test]
fn scoring_cards_can_be_drawn_in_the_middle_of_a_refill() {
    let mut play = Position::new(3)
        .row("b1 g1 o1 y9")
        .buildings(0, "tower 7")
        .scoring_cards([1, 1], [9, 9])
        .play();
    play.decide(0, &["take b1 g1 o1"]);
    let lines = play.lines();
    let place = |start: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    let opened: Vec<usize> = (0..lines.len())
        .filter(|&i| lines[i].ends_with("comes into the open row"))
        .collect();
    assert_eq!(opened.len(), 3);
    let scoring = place("scoring A: seat 0 gets 6: tower 6");
    assert!(opened[0] < scoring && scoring < opened[1], "{lines:?}");
    assert_eq!(play.view().scoring_cards[0], None);
}

#[test]
fn what_is_refused_names_the_field() {
    let mut play = Position::new(3).hand(0, "b5 b5 b6 g9").play();
    let expected = [
        (
            1,
            "take b9",
            "seat: not your turn, seat 1 owes no decision; expected: seat 0",
        ),
        (
            0,
            "take b8",
            "take.cards: b8 is not in the open row as often as it is taken",
        ),
        (
            0,
            "take b9 b9",
            "take.cards: b9 is not in the open row as often as it is taken",
        ),
        (
            0,
            "buy blue 5",
            "buy.payment: garden 10 costs at least 10; these cards are worth 5",
        ),
        (
            0,
            "buy blue 6 6",
            "buy.payment: the hand does not have 2 x b6, it has 1",
        ),
        (
            0,
            "buy blue 9 8",
            "buy.payment: the hand does not have 1 x b9, it has 0",
        ),
        (
            0,
            "buy green 9 4",
            "buy.payment: the hand does not have 1 x g4, it has 0",
        ),
        (
            0,
            "buy blue 5 5 give",
            "buy.give: only a table of two seats has a dummy to give to",
        ),
        (
            0,
            "pass",
            "decision: a pass is legal only when nothing can be taken or bought",
        ),
    ];
    for (number, text, message) in expected {
        assert_eq!(play.refusal(number, text), message);
    }
    let nothing = Decision::Take(RowCards::default());
    assert_eq!(
        play.try_apply(0, &nothing).unwrap_err().to_string(),
        "take.cards: at least one card is taken"
    );
    play.decide(0, &["buy blue 5 5"]);
    assert_eq!(
        play.refusal(0, "buy blue 6"),
        "buy.slot: the blue slot is empty"
    );
}

#[test]
fn a_pass_of_another_seat_waits_for_the_shuffle() {
    let mut play = Position::new(3).hand(0, "b5 b6").pile("").play();
    play.decide(0, &["buy blue 6 5"]);
    assert_eq!(play.turn(), Some(1), "the row is full: nothing is drawn");
    play.decide(1, &["take b9"]);
    assert_eq!(play.view().phase, Phase::Shuffle { seat: seat(1) });
    let expected =
        "seat: not your turn, seat 2 owes no decision; expected: none before the chance result";
    assert_eq!(play.refusal(2, "pass"), expected);
}

#[test]
fn a3_the_fewest_cards_then_the_lowest_total_then_the_lowest_seat_begins() {
    let config = Config::default();
    let mut by_rule = [0; 3];
    for seed in (0..400).map(Seed::from) {
        let setup = Alhambra::draw_setup(&config, seats(4), &seed).unwrap();
        let mut events = Vec::new();
        let state = Alhambra::start(&config, seats(4), &setup, &mut events).unwrap();
        let view = Alhambra::observe(&state, Viewer::Spectator);
        let Phase::Turn { seat: first } = view.phase else {
            panic!("no turn begins");
        };
        let key = |hand: &Money| (hand.len(), hand.total());
        let own = key(&view.seats[first.index()].hand);
        let keys: Vec<_> = view.seats.iter().map(|seat| key(&seat.hand)).collect();
        assert!(keys.iter().all(|other| *other >= own));
        assert!(!keys[..first.index()].contains(&own));
        let as_few = keys.iter().filter(|other| other.0 == own.0).count();
        let as_low = keys.iter().filter(|other| **other == own).count();
        by_rule[usize::from(as_few > 1) + usize::from(as_low > 1)] += 1;
    }
    assert!(by_rule.iter().all(|&count| count > 5), "{by_rule:?}");
}
