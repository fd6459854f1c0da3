//! The printed summary, sentence by sentence.

use bridgemaster_games::bridges_to_nowhere::{
    Card, Config, Contract, Event, GameResult, MONUMENTS, PILLARS, Phase, SeatScore,
};
use bridgemaster_games::{Seat, Viewer};

use crate::position::{Play, Position, bridge_card, one_twice, score, seat};

/// A segment of seat 0 on level 1 between two pillars, at the end of a game.
fn segment(cards: &str) -> Position {
    level_1(&format!("| {cards} |"))
}

fn level_1(row: &str) -> Position {
    Position::last(Contract::Triple).row(0, 1, 0, row)
}

/// The points of seat 0 by category: numbers, tolls, monuments, symbols, contract.
fn points(position: Position) -> [u16; 5] {
    let SeatScore {
        numbers,
        tolls,
        monuments,
        symbols,
        contract,
    } = score(position);
    [numbers, tolls, monuments, symbols, contract]
}

#[test]
fn each_player_starts_with_six_pillars_and_six_bridge_cards_and_three_monuments_lie_open() {
    let view = Play::start(&Config::default(), 1).view(0);
    assert_eq!(view.seats.each_ref().map(|seat| seat.pillars), [6, 6]);
    assert_eq!((view.open.len(), view.monuments), (6, 3));
    assert_eq!(view.unseen.len(), 18);
    assert!(view.contract.is_some());
    assert_eq!((PILLARS, MONUMENTS), (6, 3));
}

#[test]
fn players_take_cards_in_turn_until_both_have_three() {
    let mut play = Play::start(&Config::default(), 1);
    let first = play.view(0).first_drafter;
    let other = Seat::new(1 - first.number()).unwrap();
    for taken in 0..6 {
        let to_move = [first, other][taken % 2];
        let view = play.view(0);
        assert_eq!(view.phase, Phase::Draft { seat: to_move });
        assert_eq!(play.legal(1 - to_move.number()), [""; 0]);
        let card = play.legal(to_move.number())[0].clone();
        play.decide(to_move.number(), &card);
    }
    let view = play.view(0);
    assert_eq!(view.phase, Phase::Build);
    assert_eq!(view.seats.each_ref().map(|seat| seat.cards.len()), [3, 3]);
}

#[test]
fn left_over_cards_are_discarded_monuments_stay_and_six_new_cards_come() {
    let mut play = Play::start(&Config::default(), 1);
    let first = play.view(0).first_drafter.number();
    let mut events = play.decide(first, "take monument");
    let opened = play.view(0).open;
    for taken in 1..6 {
        let to_move = (first + taken) % 2;
        let card = play.legal(to_move)[0].clone();
        events = play.decide(to_move, &card);
    }
    let left_over: Vec<_> = opened[5..].to_vec();
    let discarded = left_over.iter().copied().collect();
    let before = play.view(0);
    let next_cards = before.open.clone();
    let ended = Event::DraftEnded {
        discarded,
        next_cards,
    };
    assert_eq!(events.last(), Some(&ended));
    assert_eq!((before.open.len(), before.monuments), (6, 2));
    assert!(!before.open.contains(&left_over[0]));
    play.end_both();
    let after = play.view(0);
    assert_eq!((after.monuments, after.round), (2, 1));
    assert_eq!(after.open, before.open);
    assert_eq!(after.unseen.len(), 12);
}

#[test]
fn a_pillar_may_lie_on_a_pillar_and_never_under_one() {
    let mut play = Position::new().play();
    play.place(0, "|", 1, 0);
    play.place(0, "|", 2, 0);
    assert!(play.is_legal(0, "|", 3, 0));
    let mut hanging = Position::new().play();
    hanging.place(0, "|", 1, 0);
    assert_eq!(
        hanging.no_place(0, "|", 3, 0),
        "cell: 3 0 has no piece directly below it"
    );
    assert_eq!(hanging.no_place(0, "|", 1, 0), "cell: 1 0 is taken");
}

#[test]
fn cards_of_upper_levels_rest_on_cards_of_lower_ones() {
    let position = Position::new().row(0, 1, 0, "| S3 S4").round(1);
    let mut play = position.cards(0, "C1 C2 C3").play();
    play.place(0, "C1", 2, 2);
    play.place(0, "C2", 3, 2);
    assert_eq!(
        play.no_place(0, "C3", 2, 3),
        "cell: 2 3 has no piece directly below it"
    );
}

#[test]
fn the_style_of_cards_in_a_bridge_matches() {
    let position = Position::new().round(1).row(0, 1, 0, "S3 S4");
    let mut play = position.cards(0, "S6 T6 C1").play();
    assert!(play.is_legal(0, "S6", 1, 2));
    assert_eq!(
        play.no_place(0, "T6", 1, 2),
        "cell: at 1 2 truss 6 bird fish would join bridge cards of another style"
    );
    // A gap or a pillar between them, or another level, separates bridges.
    assert!(play.is_legal(0, "T6", 1, 3));
    assert!(play.is_legal(0, "T6", 2, 1));
}

/// True if the last of these cards may follow the others in one bridge.
fn may_follow(row: &str) -> bool {
    let (built, last) = row.rsplit_once(' ').unwrap();
    let length = built.split(' ').count() as i8;
    let position = Position::new().round(3).row(0, 1, 0, built);
    position.cards(0, last).play().is_legal(0, last, 1, length)
}

#[test]
fn numbers_go_up_or_down_or_up_and_down_or_down_and_up() {
    for allowed in ["S1 S2 S5", "S6 S4 S1", "S2 S5 S4 S1", "S5 S2 S3 S7"] {
        assert!(may_follow(allowed), "{allowed}");
    }
    for refused in ["S2 S5 S4 S6", "S5 S2 S3 S1", "S1 S3 S2 S5"] {
        assert!(!may_follow(refused), "{refused}");
    }
}

#[test]
fn two_cards_of_one_number_never_lie_side_by_side() {
    let (mut play, [one, other]) = one_twice(Card::Bridge(bridge_card("S3")));
    play.decide(0, &format!("place {one} at 1 0"));
    assert_eq!(
        play.refusal(0, &format!("place {other} at 1 1")),
        format!(
            "cell: at 1 1 {other} would join a run whose numbers repeat side by side or change \
             direction twice"
        )
    );
}

#[test]
fn tolls_and_monuments_lie_anywhere_and_leave_the_row_of_numbers_as_it_is() {
    assert!(may_follow("S2 S5 S$"));
    assert!(may_follow("S2 S5 S$ S4"));
    assert!(!may_follow("S2 S5 S$ S4 S6"));
    // A monument must be closed, and a closed bridge cannot be extended, so it is last here.
    let position = Position::new().round(1).row(0, 1, 0, "T2 T5");
    assert!(position.cards(0, "M").play().is_legal(0, "M", 1, 2));
}

#[test]
fn a_segment_with_a_monument_is_closed_in_the_turn_in_which_it_is_placed() {
    let mut play = Position::new().cards(0, "M S2 S3").play();
    play.place(0, "S2", 1, 0);
    play.place(0, "M", 1, 1);
    assert_eq!(
        play.refusal(0, "end"),
        "decision: a run with a monument is not closed; to fill: 2 cells"
    );
    play.place(0, "|", 1, -1);
    assert_eq!(
        play.refusal(0, "end"),
        "decision: a run with a monument is not closed; to fill: 1 cells"
    );
    play.place(0, "|", 1, 2);
    assert!(play.legal(0).contains(&"end".to_owned()));
}

#[test]
fn cards_that_are_not_placed_are_discarded_and_pillars_are_kept() {
    let mut play = Position::new().cards(0, "M S2 S3").play();
    play.place(0, "S2", 1, 0);
    let events = play.end_both();
    let discarded = [Card::Bridge(bridge_card("S3")), Card::Monument];
    let discarded = discarded.into_iter().collect();
    let seat_0 = seat(0);
    assert!(events.contains(&Event::BuildingEnded {
        seat: seat_0,
        discarded
    }));
    let view = play.view(0);
    assert_eq!((view.seats[0].pillars, view.seats[0].cards.len()), (6, 0));
    assert_eq!(view.monuments, 2, "a discarded monument does not come back");
}

#[test]
fn only_complete_bridges_score() {
    assert_eq!(points(segment("S3 S5")), [8, 0, 0, 0, 0]);
    for open in ["| S3 S5", "S3 S5 |", "S3 S5", "| S3 S5 . |"] {
        assert_eq!(points(level_1(open)), [0; 5], "{open}");
    }
}

#[test]
fn numbers_count_once_twice_and_three_times_by_level() {
    let ground = || level_1("| T1 T4 |");
    assert_eq!(points(ground()), [5, 0, 0, 0, 0]);
    let middle = || ground().row(0, 2, 0, "| S1 S2 |");
    assert_eq!(points(middle()), [5 + 6, 0, 0, 5, 0]);
    let top = middle().row(0, 3, 0, "| C1 C3 |");
    assert_eq!(score(top).numbers, 5 + 6 + 12);
}

#[test]
fn equal_symbols_side_by_side_score_five() {
    // Suspension 1 is boat fish, 2 fish bird, 3 bird boat, 4 boat boat.
    assert_eq!(points(segment("S1 S2")), [3, 0, 0, 5, 0]);
    assert_eq!(points(segment("S2 S1")), [3, 0, 0, 0, 0]);
    assert_eq!(points(segment("S1 S2 S3 S4")), [10, 0, 0, 15, 0]);
}

#[test]
fn a_toll_beside_a_pillar_scores_the_length_of_its_bridge_times_the_level() {
    assert_eq!(points(segment("S$ S1 S6")), [7, 3, 0, 5, 0]);
    assert_eq!(points(segment("S1 S6 S$")), [7, 3, 0, 10, 0]);
    let above = level_1("| T1 T3 T4 |").row(0, 2, 0, "| C$ C1 C3 |");
    assert_eq!(score(above).tolls, 3 * 2);
}

#[test]
fn a_monument_scores_the_sum_of_its_neighbours_times_the_level() {
    assert_eq!(points(segment("S3 M S5")), [8, 0, 8, 0, 0]);
    let above = level_1("| T1 T3 T4 |").row(0, 2, 0, "| C6 M C1 |");
    assert_eq!(score(above).monuments, 7 * 2);
}

fn contract(contract: Contract, rows: &[(u8, i8, &str)]) -> u16 {
    let mut position = Position::last(contract);
    for &(level, column, row) in rows {
        position = position.row(0, level, column, row);
    }
    score(position).contract
}

#[test]
fn the_triple_pays_10_or_25_for_a_segment_on_level_3() {
    let of = |base: &str, middle: &str, top: &str| {
        contract(
            Contract::Triple,
            &[(1, 0, base), (2, 0, middle), (3, 0, top)],
        )
    };
    assert_eq!(of("| S1 S2 |", "| T1 T2 |", "| C1 C2 |"), 0);
    assert_eq!(of("| S1 S2 S3 |", "| T1 T2 T3 |", "| C1 C2 C3 |"), 10);
    let four = of("| S1 S2 S3 S4 |", "| T1 T2 T3 T4 |", "| C1 C2 C3 C4 |");
    assert_eq!(four, 25);
    assert_eq!(of("| S1 S2 S3 |", "| T1 T2 T3 |", "| C1 C2 C3"), 0);
}

#[test]
fn spice_of_life_pays_10_or_20_for_a_segment_of_each_style() {
    let of = |row: &str| contract(Contract::SpiceOfLife, &[(1, 0, row)]);
    assert_eq!(of("| S1 S2 S3 | T1 T2 T3 | C1 C2 C3 |"), 0);
    assert_eq!(of("| S1 S2 S3 | T1 T2 T3 | C1 C2 C3 C5 |"), 10);
    assert_eq!(of("| S1 S2 S3 S4 S5 | T1 T2 T3 | C1 C2 C3 |"), 20);
    assert_eq!(of("| S1 S2 S3 S4 S5 | T1 T2 T3 | C1 C2 |"), 0);
}

#[test]
fn the_longest_mile_pays_10_for_9_cards_on_level_1_and_5_for_each_more() {
    let of = |row: &str| contract(Contract::LongestMile, &[(1, 0, row)]);
    assert_eq!(of("| S1 S2 S3 S4 | T1 T2 T3 T4 |"), 0);
    assert_eq!(of("| S1 S2 S3 S4 | T1 T2 T3 T4 T5 |"), 10);
    assert_eq!(of("| S1 S2 S3 S4 S5 | T1 T2 T3 T4 T5 T6 |"), 20);
    // Only complete segments of level 1 count.
    assert_eq!(of("| S1 S2 S3 S4 | T1 T2 T3 T4 T5"), 0);
    let above = [(1, 0, "| S1 S2 S3 S4 |"), (2, 0, "| C1 C2 C3 C4 |")];
    assert_eq!(contract(Contract::LongestMile, &above), 0);
}

#[test]
fn spanning_the_divide_pays_10_for_a_segment_of_5_and_25_for_one_of_6() {
    let of = |row: &str| contract(Contract::SpanningTheDivide, &[(1, 0, row)]);
    assert_eq!(of("| S1 S2 S3 S4 |"), 0);
    assert_eq!(of("| S1 S2 S3 S4 S5 |"), 10);
    assert_eq!(of("| S1 S2 S3 S4 S5 S6 |"), 25);
}

#[test]
fn trial_of_the_sea_pays_10_for_three_pairs_and_20_for_one_of_each_symbol() {
    let of = |row: &str| contract(Contract::TrialOfTheSea, &[(1, 0, row)]);
    // The symbols are fish, bird.
    assert_eq!(of("| S1 S2 S3 |"), 0);
    // Bird twice: suspension 2 bird | bird 7 bird | bird 3, and a boat pair.
    assert_eq!(of("| S2 S7 S3 |"), 0);
    assert_eq!(of("| S2 S7 S3 | T3 T1 T5 |"), 10);
    assert_eq!(of("| S1 S2 S3 S4 |"), 20);
}

#[test]
fn the_double_pays_10_or_25_for_a_segment_on_level_2() {
    let base = (1, 0, "| S1 S2 S3 S4 S5 |");
    let of = |row| contract(Contract::Double, &[base, (2, 0, row)]);
    assert_eq!(of("| T1 T2 T3 |"), 0);
    assert_eq!(of("| T1 T2 T3 T4 |"), 10);
    assert_eq!(of("| T1 T2 T3 T4 T5 |"), 25);
}

#[test]
fn a_player_wins_the_points_of_one_of_the_two_conditions_only() {
    // Three pairs, one of each symbol: 20 and not 30.
    let rows = [(1, 0, "| S1 S2 S3 S4 |")];
    assert_eq!(contract(Contract::TrialOfTheSea, &rows), 20);
    let two = [(1, 0, "| S1 S2 S3 S4 S5 | T1 T2 T3 T4 T5 T6 |")];
    assert_eq!(contract(Contract::SpanningTheDivide, &two), 25);
}

#[test]
fn most_points_win_the_contract_and_the_game_is_set_up_again() {
    let mut play = segment("S3 S5").play();
    let events = play.end_both();
    let winner = Some(seat(0));
    assert!(events.contains(&Event::GameEnded { game: 0, winner }));
    let view = play.view(0);
    assert_eq!((view.game, view.round), (1, 0));
    assert_eq!(
        view.seats.each_ref().map(|seat| seat.structure.len()),
        [0, 0]
    );
    assert_eq!(view.seats.each_ref().map(|seat| seat.pillars), [6, 6]);
    assert_eq!(
        (view.open.len(), view.monuments, view.unseen.len()),
        (6, 3, 18)
    );
    let [GameResult { contract, .. }] = view.results[..] else {
        panic!("one game is over: {:?}", view.results);
    };
    assert_eq!(contract, Some(Contract::Triple));
    assert_ne!(view.contract, contract);
}

#[test]
fn two_contracts_win_the_match() {
    let mut view = segment("S3 S5").view(Viewer::Seat(seat(0)));
    let won = SeatScore {
        numbers: 9,
        ..SeatScore::default()
    };
    view.results.push(GameResult {
        contract: Some(Contract::Double),
        winner: Some(seat(0)),
        scores: [won, SeatScore::default()],
    });
    view.game = 1;
    let mut play = Play::of(&view);
    let events = play.end_both();
    assert_eq!(events.last(), Some(&Event::MatchEnded));
    let outcome = play.outcome();
    assert_eq!(
        outcome
            .seats
            .iter()
            .map(|seat| seat.score)
            .collect::<Vec<_>>(),
        [2, 0]
    );
    assert_eq!(
        outcome
            .seats
            .iter()
            .map(|seat| seat.place)
            .collect::<Vec<_>>(),
        [1, 2]
    );
}
