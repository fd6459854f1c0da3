//! Printed examples of scores and contracts, and placements that are refused, each with its reason.
//! The recount covers all that is legal.

use bridgemaster_games::Rules;
use bridgemaster_games::bridges_to_nowhere::{BridgesToNowhere, Contract, MAX_COLUMN, SeatScore};

use crate::bridges_to_nowhere::position::{Play, Position, place, score};

const NOTHING: Contract = Contract::Triple;

/// The numbers, tolls, monuments and symbols of seat 0 with these rows on the levels from 1.
fn points(rows: &[&str]) -> [u16; 4] {
    let rows = (1..).zip(rows);
    let position =
        rows.fold(Position::last(NOTHING), |position, (level, row)| position.row(0, level, 0, row));
    let SeatScore { numbers, tolls, monuments, symbols, .. } = score(position);
    [numbers, tolls, monuments, symbols]
}

#[test]
fn complete_bridges_score_numbers_tolls_monuments_and_symbols() {
    // A pair is fish of S1 and S2, S1 and S6, or C1 and C3; bird of S2 and S3; boat of S3 and S4,
    // S6 and S$, or T1 and T3.
    let cases: [(&[&str], [u16; 4]); 24] = [
        (&["| S3 S5 |"], [8, 0, 0, 0]),
        (&["| S3 S5"], [0; 4]),
        (&["S3 S5 |"], [0; 4]),
        (&["| S3 S5 . |"], [0; 4]),
        // Two segments share a pillar.
        (&["| S1 S4 | T1 T4 |"], [10, 0, 0, 0]),
        (&["| T1 T4 |", "| S1 S2 |"], [5 + 6, 0, 0, 5]),
        (&["| T1 T4 |", "| S1 S2 |", "| C1 C3 |"], [5 + 6 + 12, 0, 0, 5 + 5]),
        (&["| S1 S2 |"], [3, 0, 0, 5]),
        (&["| S2 S1 |"], [3, 0, 0, 0]),
        (&["| S1 S2 S3 S4 |"], [10, 0, 0, 15]),
        // A toll beside a pillar scores the length of its bridge times the level, once.
        (&["| S$ S1 S6 |"], [7, 3, 0, 5]),
        (&["| S1 S6 S$ |"], [7, 3, 0, 10]),
        (&["| S1 S$ S6 |"], [7, 0, 0, 0]),
        (&["| S$ |"], [0, 1, 0, 0]),
        (&["| | S$ S6 | |"], [6, 2, 0, 0]),
        (&["| T1 T3 T4 |", "| C$ C1 C3 |"], [8 + 8, 6, 0, 10]),
        // Beside a monument, pillars, tolls and monuments do not count.
        (&["| M |"], [0; 4]),
        (&["| M S5 |"], [5, 0, 5, 0]),
        (&["| S3 M S5 |"], [8, 0, 8, 0]),
        (&["| S$ M S5 |"], [5, 3, 5, 0]),
        (&["| S4 M M S5 |"], [9, 0, 9, 0]),
        (&["| T1 T3 T4 |", "| C6 M C1 |"], [8 + 14, 0, 14, 5]),
        // Symbols never meet over a monument or a pillar.
        (&["| S1 M S2 |"], [3, 0, 3, 0]),
        (&["| S1 | S2 |"], [3, 0, 0, 0]),
    ];
    for (rows, expected) in cases {
        assert_eq!(points(rows), expected, "{rows:?}");
    }
}

#[test]
fn contracts_pay_for_one_of_two_conditions() {
    use Contract::*;
    // The rows on the levels from 1, and the points.
    let cases: [(Contract, &[&str], u16); 28] = [
        (Triple, &["| S1 S2 |", "| T1 T2 |", "| C1 C2 |"], 0),
        (Triple, &["| S1 S2 S3 |", "| T1 T2 T3 |", "| C1 C2 C3"], 0),
        (Triple, &["| S1 S2 S3 |", "| T1 T2 T3 |", "| C1 C2 C3 |"], 10),
        (Triple, &["| S1 S2 S3 S4 |", "| T1 T2 T3 T4 |", "| C1 C2 C3 C4 |"], 25),
        (Double, &["| S1 S2 S3 S4 S5 |", "| T1 T2 T3 |"], 0),
        (Double, &["| S1 S2 S3 S4 S5 |", "| T1 T2 T3 T4 |"], 10),
        (Double, &["| S1 S2 S3 S4 S5 |", "| T1 T2 T3 T4 T5 |"], 25),
        (Double, &["| | C1 C2 C3 C4 | |", "| S1 S2 S3 S4 S5 S6 |"], 25),
        (SpanningTheDivide, &["| S1 S2 S3 S4 |"], 0),
        (SpanningTheDivide, &["| T1 T3 T4 |"], 0),
        (SpanningTheDivide, &["| S1 S2 S3 S4 S5 |"], 10),
        (SpanningTheDivide, &["| S1 S2 S3 S4 S5 S6 |"], 25),
        (SpanningTheDivide, &["| S1 S2 S3 S4 S5 S6 S7 S$ |"], 25),
        (SpanningTheDivide, &["| S1 S2 S3 S4 S5 | T1 T2 T3 T4 T5 T6 |"], 25),
        (LongestMile, &["| S1 S2 S3 S4 | T1 T2 T3 T4 |"], 0),
        (LongestMile, &["| S1 S2 S3 S4 | T1 T2 T3 T4 T5"], 0),
        (LongestMile, &["| S1 S2 S3 S4 |", "| C1 C2 C3 C4 |"], 0),
        (LongestMile, &["| S1 S2 S3 S4 | T1 T2 T3 T4 T5 |"], 10),
        (LongestMile, &["| S1 S2 S3 S4 S5 | T1 T2 T3 T4 T5 T6 |"], 20),
        (SpiceOfLife, &["| S1 S2 S3 | T1 T2 T3 | C1 C2 C3 |"], 0),
        (SpiceOfLife, &["| S1 S2 S3 S4 S5 | T1 T2 T3 | C1 C2 |"], 0),
        // A segment of monuments alone has no style, but monuments count for length.
        (SpiceOfLife, &["| M M M | T1 T2 T3 | S1 S2 S3 S4 |"], 0),
        (SpiceOfLife, &["| M C3 M | T1 T2 T3 | S1 S2 S3 S4 |"], 10),
        (SpiceOfLife, &["| S1 S2 S3 S4 S5 | T1 T2 T3 | C1 C2 C3 |"], 20),
        // Symbols of a kind: suspension 2 bird | bird 7 bird | bird 3, and a boat pair.
        (TrialOfTheSea, &["| S1 S2 S3 |"], 0),
        (TrialOfTheSea, &["| S2 S7 S3 |"], 0),
        (TrialOfTheSea, &["| S2 S7 S3 | T3 T1 T5 |"], 10),
        (TrialOfTheSea, &["| S1 S2 S3 S4 |"], 20),
    ];
    for (contract, rows, expected) in cases {
        let rows_by_level = (1..).zip(rows);
        let position = rows_by_level.fold(Position::last(contract), |position, (level, row)| {
            position.row(0, level, 0, row)
        });
        assert_eq!(score(position).contract, expected, "{contract:?} {rows:?}");
    }
}

/// Asserts that seat 0 may not place these pieces, each with the reason.
fn check(play: &mut Play, cases: &[(&str, u8, i8, &str)]) {
    for (name, level, column, reason) in cases {
        let refusal = play.refusal(0, &place(name, *level, *column));
        assert_eq!(refusal, format!("cell{reason}"), "{name} at {level} {column}");
    }
}

#[test]
fn a_cell_is_refused_with_its_reason() {
    let mut play = Position::new().cards(0, "S1 S2 S3").play();
    let first = ".column: the first piece lies at column 0 of level 1";
    let cases = [("S1", 1, 1, first), ("S1", 2, 0, first), ("S1", 1, 34, first)];
    check(&mut play, &cases);
    play.place(0, "S1", 1, 0);
    play.place(0, "S2", 1, 2);
    play.place(0, "|", 1, -2);
    let off = ".column: on level 1 a piece lies at most two columns from another; ";
    let cases = [
        ("|", 1, -5, &*format!("{off}-5 is further off")),
        ("S3", 1, 5, &format!("{off}5 is further off")),
        ("|", 3, 0, ": 3 0 has no piece directly below it"),
        ("|", 1, 0, ": 1 0 is taken"),
        ("|", 4, 0, ".level: 4 is out of range (1..=3)"),
        ("|", 0, 0, ".level: 0 is out of range (1..=3)"),
    ];
    check(&mut play, &cases);
}

#[test]
fn a_run_is_refused_with_its_reason() {
    let position = Position::new().round(2).row(0, 1, 0, "S2 S5 . S4 S1");
    let mut play = position.cards(0, "S3 S6 S$").play();
    let broken = ": at 1 2 suspension 3 bird boat would join a run whose numbers repeat side by \
                  side or change direction twice";
    check(&mut play, &[("S3", 1, 2, broken)]);
    let position = Position::new().round(2).row(0, 1, 0, "S2 . T4");
    let mut play = position.cards(0, "S4 T$ M").play();
    let other = |text| format!(": at 1 1 {text} would join bridge cards of another style");
    let cases = [
        ("S4", 1, 1, &*other("suspension 4 boat boat")),
        ("T$", 1, 1, &other("truss toll fish bird")),
        ("M", 1, 1, &other("monument")),
    ];
    check(&mut play, &cases);
}

#[test]
fn a_monument_that_cannot_be_closed_is_refused_and_must_be_closed_before_the_end() {
    // Two pillars remain.
    let position = Position::new().round(1).row(0, 1, 0, "| | S1 S4 | |");
    let mut play = position.cards(0, "M C1 C3").play();
    let closing = ": closing the runs with a monument would then take ";
    let cases = [("M", 2, 5, &*format!("{closing}3 pillars, and 2 would be left"))];
    check(&mut play, &cases);
    play.place(0, "M", 2, 4);
    let cases = [("|", 1, -1, &*format!("{closing}2 pillars, and 1 would be left"))];
    check(&mut play, &cases);
    for (cells, column) in [(2, 3), (1, 5)] {
        let open = format!("decision: a run with a monument is not closed; to fill: {cells} cells");
        assert_eq!(play.refusal(0, "end"), open);
        play.place(0, "|", 2, column);
    }
    play.decide(0, "end");
    assert_eq!(
        play.refusal(0, "end"),
        "seat: not your turn, seat 0 owes no decision; expected: seat 1"
    );
    // The other seat's secret placements change no refusal.
    let before = play.refusal(0, "place pillar at 1 0");
    let card = play.legal(1)[0].clone();
    play.decide(1, &card);
    assert_eq!(play.refusal(0, "place pillar at 1 0"), before);
}

#[test]
fn n2_both_seats_build_at_the_same_time_and_neither_waits_for_the_other() {
    let start = || Position::new().cards(0, "S1 S2 S3").cards(1, "T1 T2 T3").play();
    let (mut one, mut other) = (start(), start());
    for (play, order) in [(&mut one, [0, 1, 0, 1]), (&mut other, [1, 1, 0, 0])] {
        let mut built = [0; 2];
        for by in order {
            let name = ["S1 S2", "T1 T2"][usize::from(by)];
            let place = built[usize::from(by)];
            built[usize::from(by)] += 1;
            let name = name.split(' ').nth(place).unwrap();
            play.place(by, name, 1, place as i8);
        }
    }
    let digest = |play: &Play| BridgesToNowhere::digest(&play.state);
    assert_eq!(digest(&one), digest(&other));
    assert_eq!(one.end_both(), {
        let mut events = other.decide(1, "end");
        events.extend(other.decide(0, "end"));
        events
    });
}

#[test]
fn n3_the_farthest_column_is_that_of_eighteen_pieces_with_a_gap_after_each() {
    // Cards in the columns 0, 2 ... 22, pillars in 24 ... 34.
    let mut row = "S1 . S2 . S3 . S4 . S5 . S6 . T1 . T2 . T3 . ".to_owned();
    row += "T4 . T5 . T6 . | . | . | . | . |";
    let play = |column: i8, row: &str| Position::last(NOTHING).row(0, 1, column, row).play();
    let mut right = play(0, &row);
    right.place(0, "|", 1, MAX_COLUMN);
    let beyond = ".column: 35 is out of range (-34..=34)";
    check(&mut right, &[("|", 1, MAX_COLUMN + 1, beyond)]);
    let mut left = play(0, "S1 . S2");
    for column in 1..=6 {
        left.place(0, "|", 1, -2 * column);
    }
    let beyond = ".column: -35 is out of range (-34..=34)";
    check(&mut left, &[("|", 1, -35, beyond)]);
}
