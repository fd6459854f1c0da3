//! The rulings N1 to N19, one by one; N13 is in `secrecy.rs`, N17 and N19 are in `rulebook.rs`.

use bridgemaster_games::bridges_to_nowhere::{
    BridgesToNowhere, Config, Contract, Event, GameResult, MAX_COLUMN, NextCards, Observation,
    Phase, Piece, SeatScore,
};
use bridgemaster_games::{ChanceStream, Game, Rules, Seed, Viewer};

use crate::position::{Play, Position, one_twice, piece, score, seat};

const NOTHING: Contract = Contract::Triple;

/// Plays the first legal decision, or the end of the phase where legal, until `stop` holds.
fn hurry(play: &mut Play, stop: impl Fn(&Observation) -> bool) {
    while !stop(&play.view(0)) {
        let to_move = u8::from(play.legal(0).is_empty());
        let legal = play.legal(to_move);
        let end = legal.iter().find(|decision| *decision == "end");
        play.decide(to_move, end.unwrap_or(&legal[0]));
    }
}

#[test]
fn n1_the_first_drafter_of_a_game_is_drawn_and_then_alternates_by_round() {
    let mut drawn = [0; 2];
    for seed in 0..40 {
        let mut play = Play::start(&Config::default(), seed);
        let first = play.view(0).first_drafter.number();
        drawn[usize::from(first)] += 1;
        for round in 0..4 {
            hurry(&mut play, |view| view.round == round);
            let expected = seat((first + round) % 2);
            let view = play.view(0);
            assert_eq!(view.first_drafter, expected);
            assert_eq!(view.phase, Phase::Draft { seat: expected });
        }
    }
    assert!(drawn.iter().all(|&count| count > 8), "{drawn:?}");
}

#[test]
fn n2_both_seats_build_at_the_same_time_and_neither_waits_for_the_other() {
    let start = || {
        Position::new()
            .cards(0, "S1 S2 S3")
            .cards(1, "T1 T2 T3")
            .play()
    };
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
fn n3_the_first_piece_lies_at_column_0_and_a_gap_of_one_column_may_stay() {
    let mut play = Position::new().cards(0, "S1 S2 S3").play();
    let first = "cell.column: the first piece lies at column 0 of level 1";
    assert_eq!(play.no_place(0, "S1", 1, 1), first);
    assert_eq!(play.no_place(0, "S1", 2, 0), first);
    assert_eq!(play.no_place(0, "S1", 1, 34), first);
    play.place(0, "S1", 1, 0);
    play.place(0, "S2", 1, 2);
    play.place(0, "|", 1, -2);
    assert_eq!(
        play.no_place(0, "|", 1, -5),
        "cell.column: on level 1 a piece lies at most two columns from another; -5 is further off"
    );
    assert_eq!(
        play.no_place(0, "S3", 1, 5),
        "cell.column: on level 1 a piece lies at most two columns from another; 5 is further off"
    );
    assert!(play.is_legal(0, "S3", 1, 4) && play.is_legal(0, "|", 1, 1));
}

#[test]
fn n3_there_are_three_levels() {
    let mut play = Position::new().play();
    for level in 1..=3 {
        play.place(0, "|", level, 0);
    }
    assert_eq!(
        play.no_place(0, "|", 4, 0),
        "cell.level: 4 is out of range (1..=3)"
    );
    assert_eq!(
        play.no_place(0, "|", 0, 0),
        "cell.level: 0 is out of range (1..=3)"
    );
}

#[test]
fn n3_the_farthest_column_is_that_of_eighteen_pieces_with_a_gap_after_each() {
    // Cards in the columns 0, 2 ... 22, pillars in 24 ... 34.
    let mut row = "S1 . S2 . S3 . S4 . S5 . S6 . T1 . T2 . T3 . ".to_owned();
    row += "T4 . T5 . T6 . | . | . | . | . |";
    let play = |column: i8, row: &str| Position::last(NOTHING).row(0, 1, column, row).play();
    let mut right = play(0, &row);
    right.place(0, "|", 1, MAX_COLUMN);
    assert_eq!(
        right.no_place(0, "|", 1, MAX_COLUMN + 1),
        "cell.column: 35 is out of range (-34..=34)"
    );
    let mut left = play(0, "S1 . S2");
    for column in 1..=6 {
        left.place(0, "|", 1, -2 * column);
    }
    assert_eq!(
        left.no_place(0, "|", 1, -35),
        "cell.column: -35 is out of range (-34..=34)"
    );
}

#[test]
fn n4_cards_and_pillars_rest_on_either() {
    let mut play = Position::new().cards(0, "S1 S2 S3").play();
    play.place(0, "|", 1, 0);
    play.place(0, "S1", 1, 1);
    play.place(0, "S2", 2, 0);
    play.place(0, "|", 2, 1);
    play.place(0, "S3", 3, 1);
    assert!(play.is_legal(0, "|", 3, 0));
}

#[test]
fn n5_a_card_that_joins_two_runs_must_leave_one_legal_run() {
    let start = |cards: &str| {
        let position = Position::new().round(2).row(0, 1, 0, "S2 S5 . S4 S1");
        position.cards(0, cards).play()
    };
    assert!(start("S7 S6 S$").is_legal(0, "S7", 1, 2));
    assert!(start("S7 S6 S$").is_legal(0, "S$", 1, 2));
    let broken = "cell: at 1 2 suspension 3 bird boat would join a run whose numbers repeat side \
                  by side or change direction twice";
    assert_eq!(start("S3 S6 S$").no_place(0, "S3", 1, 2), broken);
    let styles = Position::new()
        .round(2)
        .row(0, 1, 0, "S2 . T4")
        .cards(0, "S4 T5 M");
    let mut styles = styles.play();
    for (name, text) in [
        ("S4", "suspension 4 boat boat"),
        ("T5", "truss 5 boat boat"),
        ("M", "monument"),
    ] {
        assert_eq!(
            styles.no_place(0, name, 1, 1),
            format!("cell: at 1 1 {text} would join bridge cards of another style")
        );
    }
    assert!(styles.is_legal(0, "|", 1, 1));
}

#[test]
fn n6_two_segments_share_a_pillar() {
    let position = Position::last(NOTHING).row(0, 1, 0, "| S1 S4 | T1 T4 |");
    assert_eq!(score(position).numbers, 10);
}

#[test]
fn n7_every_cell_that_closing_takes_needs_a_pillar() {
    // The monument on level 2 overhangs nothing: its ends take two pillars and the cells below.
    let start = || {
        Position::new()
            .round(1)
            .row(0, 1, 0, "S1 S4")
            .cards(0, "M C1 C3")
    };
    let mut play = start().play();
    play.place(0, "M", 2, 1);
    // Open: the ends 2 0 and 2 2, and the cell 1 2 below one of them.
    assert_eq!(
        play.refusal(0, "end"),
        "decision: a run with a monument is not closed; to fill: 3 cells"
    );
    play.place(0, "|", 1, 2);
    play.place(0, "|", 2, 2);
    play.place(0, "|", 2, 0);
    play.decide(0, "end");
}

#[test]
fn n7_a_monument_is_refused_where_too_few_pillars_could_close_it() {
    // Two pillars remain.
    let position = Position::new().round(1).row(0, 1, 0, "| | S1 S4 | |");
    let mut play = position.cards(0, "M C1 C3").play();
    assert_eq!(
        play.no_place(0, "M", 3, 2),
        "cell: 3 2 has no piece directly below it"
    );
    assert!(play.is_legal(0, "M", 1, 6), "one end is a pillar");
    assert_eq!(
        play.no_place(0, "M", 2, 5),
        "cell: closing the runs with a monument would then take 3 pillars, and 2 would be left"
    );
    play.place(0, "M", 2, 4);
    assert_eq!(
        play.no_place(0, "|", 1, -1),
        "cell: closing the runs with a monument would then take 2 pillars, and 1 would be left"
    );
    let pillars: Vec<String> = play
        .legal(0)
        .into_iter()
        .filter(|text| text.starts_with("place pillar"))
        .collect();
    assert_eq!(pillars, ["place pillar at 2 3", "place pillar at 2 5"]);
    // A card may extend the run: its end moves to a cell that pillars can still reach.
    assert!(play.is_legal(0, "C1", 2, 3));
    assert!(
        !play.is_legal(0, "C1", 2, 5),
        "the end 2 6 has nothing below"
    );
}

#[test]
fn n7_a_card_may_fill_a_needed_cell_below_an_end() {
    let position = Position::new()
        .round(1)
        .row(0, 1, 0, "S1 S4")
        .cards(0, "M C3 S6");
    let mut play = position.play();
    play.place(0, "M", 2, 1);
    let open =
        |cells| format!("decision: a run with a monument is not closed; to fill: {cells} cells");
    // The ends 2 0 and 2 2, and the cell 1 2 below the latter.
    assert_eq!(play.refusal(0, "end"), open(3));
    assert!(!play.is_legal(0, "C3", 1, 2), "another style lies beside");
    play.place(0, "S6", 1, 2);
    assert_eq!(play.refusal(0, "end"), open(2));
    assert_eq!(play.view(0).seats[0].pillars, 6);
    play.place(0, "|", 2, 0);
    play.place(0, "|", 2, 2);
    assert!(play.legal(0).contains(&"end".to_owned()));
}

#[test]
fn n7_a_pillar_counts_as_spent_when_it_is_placed() {
    let mut play = Position::new().cards(0, "M S1 S2").play();
    for column in [0, 1, 2, 3] {
        play.place(0, "|", 1, column);
    }
    play.place(0, "M", 1, 5);
    assert!(play.is_legal(0, "|", 1, 4) && play.is_legal(0, "|", 1, 6));
    assert!(!play.is_legal(0, "|", 2, 0) && !play.is_legal(0, "|", 1, 7));
}

#[test]
fn n8_a_toll_between_two_pillars_scores_once_and_one_inside_a_bridge_nothing() {
    let tolls = |row| score(Position::last(NOTHING).row(0, 1, 0, row)).tolls;
    assert_eq!(tolls("| S$ |"), 1);
    assert_eq!(tolls("| S1 S$ S6 |"), 0);
    // A pillar on another level is not adjacent.
    let above = Position::last(NOTHING).row(0, 1, 0, "| T1 T3 T4 |");
    assert_eq!(score(above.row(0, 2, 1, "S$")).tolls, 0);
}

#[test]
fn n9_beside_a_monument_pillars_tolls_and_monuments_count_nothing() {
    let monuments = |row| score(Position::last(NOTHING).row(0, 1, 0, row)).monuments;
    assert_eq!(monuments("| M |"), 0);
    assert_eq!(monuments("| M S5 |"), 5);
    assert_eq!(monuments("| S$ M S5 |"), 5);
    assert_eq!(monuments("| S4 M M S5 |"), 9);
    assert_eq!(monuments("| S4 M S5 M S2 |"), 9 + 7);
}

#[test]
fn n10_a_pair_of_symbols_scores_five_on_every_level_and_never_over_a_monument_or_a_pillar() {
    let symbols = |position: Position| score(position).symbols;
    let row = |row| Position::last(NOTHING).row(0, 1, 0, row);
    assert_eq!(symbols(row("| T1 T4 |").row(0, 2, 0, "| S1 S2 |")), 5);
    assert_eq!(symbols(row("| S1 M S2 |")), 0);
    assert_eq!(symbols(row("| S1 | S2 |")), 0);
}

fn contract(contract: Contract, rows: &[(u8, i8, &str)]) -> u16 {
    let mut position = Position::last(contract);
    for &(level, column, row) in rows {
        position = position.row(0, level, column, row);
    }
    score(position).contract
}

#[test]
fn n11_a_contract_pays_the_same_beyond_its_second_condition() {
    let spice = "| S1 S2 S3 S4 S5 S6 | T1 T2 T3 | C1 C2 C3 |";
    assert_eq!(contract(Contract::SpiceOfLife, &[(1, 0, spice)]), 20);
    let long = "| S1 S2 S3 S4 S5 S6 S7 S$ |";
    assert_eq!(contract(Contract::SpanningTheDivide, &[(1, 0, long)]), 25);
    let double = [
        (1, 0, "| | C1 C2 C3 C4 | |"),
        (2, 0, "| S1 S2 S3 S4 S5 S6 |"),
    ];
    assert_eq!(contract(Contract::Double, &double), 25);
}

#[test]
fn a_segment_of_monuments_alone_has_no_style_and_monuments_count_for_length() {
    let of = |row: &str| contract(Contract::SpiceOfLife, &[(1, 0, row)]);
    // Monuments do not replace a missing style.
    assert_eq!(of("| M M M | T1 T2 T3 | S1 S2 S3 S4 |"), 0);
    assert_eq!(of("| M M M | C1 C2 C3 | S1 S2 S3 S4 |"), 0);
    assert_eq!(of("| M M M | C1 C2 C3 | T1 T2 T3 T4 |"), 0);
    assert_eq!(of("| M C3 M | T1 T2 T3 | S1 S2 S3 S4 |"), 10);
    assert_eq!(of("| C$ C3 M | T1 T2 T3 | S1 S2 S3 S4 |"), 10);
}

#[test]
fn n14_equal_numbers_that_a_toll_or_a_monument_parts_are_still_neighbours() {
    for between in ["S$", "M"] {
        let Piece::Card(third) = piece(between) else {
            panic!("{between} is a card");
        };
        let (mut play, [one, other]) = one_twice(third);
        play.decide(0, &format!("place {one} at 1 0"));
        play.place(0, between, 1, 1);
        assert_eq!(
            play.refusal(0, &format!("place {other} at 1 2")),
            format!(
                "cell: at 1 2 {other} would join a run whose numbers repeat side by side or \
                 change direction twice"
            ),
            "{between}"
        );
        // Both a gap and a pillar separate them.
        assert!(play.legal(0).contains(&format!("place {other} at 1 3")));
        play.place(0, "|", 1, 2);
        assert!(play.legal(0).contains(&format!("place {other} at 1 3")));
    }
}

#[test]
fn n15_pillars_count_for_no_length() {
    let tolls = |row| score(Position::last(NOTHING).row(0, 1, 0, row)).tolls;
    assert_eq!(tolls("| S$ M S6 |"), 3, "tolls and monuments count");
    assert_eq!(tolls("| | S$ S6 | |"), 2);
    let row = "| T1 T3 T4 |";
    assert_eq!(contract(Contract::SpanningTheDivide, &[(1, 0, row)]), 0);
}

/// Calls `check` in each round of a game with the view of a seat that builds, and the table of the
/// next draft in the match and in a match sampled from that view.
fn next_cards(next_cards: NextCards, mut check: impl FnMut(u8, &Observation, [&Observation; 2])) {
    let config = Config {
        next_cards,
        games: 1,
        ..Config::default()
    };
    let mut play = Play::start(&config, 1);
    for round in 0..4 {
        hurry(&mut play, |view| view.phase == Phase::Build);
        let seen = play.view(1);
        let mut chance = ChanceStream::new(&Seed::from(2), round.into());
        let state = BridgesToNowhere::sample_state(&config, &seen, &mut chance).unwrap();
        let mut sampled = Play { state };
        for play in [&mut play, &mut sampled] {
            hurry(play, |view| view.phase != Phase::Build);
        }
        check(round, &seen, [&play.view(1), &sampled.view(1)]);
    }
}

#[test]
fn n16_the_next_cards_lie_on_the_table_while_both_seats_build() {
    next_cards(NextCards::BeforeBuilding, |round, seen, later| {
        let open = if round < 3 { 6 } else { 0 };
        let unseen = 18 - 6 * usize::from(round) - open;
        assert_eq!((seen.open.len(), seen.unseen.len()), (open, unseen));
        assert!(later.iter().all(|later| later.open == seen.open));
    });
}

#[test]
fn n16_after_building_the_next_cards_are_unseen_until_both_seats_have_ended() {
    next_cards(NextCards::AfterBuilding, |round, seen, later| {
        let unseen = 18 - 6 * usize::from(round);
        assert_eq!((seen.open.len(), seen.unseen.len()), (0, unseen));
        let is_opened = |later: &Observation| later.open.len() == unseen.min(6);
        assert!(later.into_iter().all(is_opened));
    });
}

#[test]
fn n18_a_toll_joins_bridge_cards_of_its_own_style_only() {
    let position = Position::new().round(1).row(0, 1, 0, "S3 S4");
    let mut play = position.cards(0, "S$ T$ C1").play();
    assert!(play.is_legal(0, "S$", 1, 2));
    assert_eq!(
        play.no_place(0, "T$", 1, 2),
        "cell: at 1 2 truss toll fish bird would join bridge cards of another style"
    );
}

/// A game that seat 0 wins, loses or ties with these points.
fn result(contract: Option<Contract>, points: [u16; 2]) -> GameResult {
    let scores = points.map(|numbers| SeatScore {
        numbers,
        ..SeatScore::default()
    });
    let winner = match points[0].cmp(&points[1]) {
        std::cmp::Ordering::Greater => Some(seat(0)),
        std::cmp::Ordering::Less => Some(seat(1)),
        std::cmp::Ordering::Equal => None,
    };
    GameResult {
        contract,
        winner,
        scores,
    }
}

/// The end of a sixth game, in which seat 0 has a segment of eight points and seat 1 this row,
/// after five games with these points.
fn sixth_game(earlier: [[u16; 2]; 5], other: &str) -> Play {
    let position = Position::last(NOTHING).row(0, 1, 0, "| S3 S5 |");
    let mut view = position.row(1, 1, 0, other).view(Viewer::Seat(seat(0)));
    let contracts = Contract::ALL.iter().filter(|other| **other != NOTHING);
    let results = contracts.zip(earlier);
    view.results = results
        .map(|(&contract, points)| result(Some(contract), points))
        .collect();
    view.game = 5;
    let mut play = Play::of(&view);
    assert_eq!(play.end_both().last(), Some(&Event::MatchEnded));
    play
}

fn places(play: &Play) -> [(u8, i32); 2] {
    let seats = play.outcome().seats;
    [0, 1].map(|number: usize| (seats[number].place, seats[number].score))
}

#[test]
fn n12_a_tie_gives_the_contract_to_nobody_and_it_is_out_of_play() {
    let mut play = Position::last(NOTHING).play();
    let events = play.end_both();
    let tie = Event::GameEnded {
        game: 0,
        winner: None,
    };
    assert!(events.contains(&tie));
    let view = play.view(0);
    assert_eq!((view.game, view.results[0].winner), (1, None));
    assert_ne!(view.contract, Some(NOTHING));
}

#[test]
fn n12_after_six_games_more_contracts_decide_then_more_points_and_then_nothing() {
    let five = |third: [u16; 2]| [[0, 0], [0, 0], third, [0, 0], [0, 0]];
    // One contract to none, whatever the points.
    assert_eq!(
        places(&sixth_game(five([50, 50]), "| T3 |")),
        [(1, 1), (2, 0)]
    );
    assert_eq!(
        places(&sixth_game(five([0, 1]), "| T3 T5 |")),
        [(2, 0), (1, 1)]
    );
    // One each, with eight points to seven, nine and eight.
    assert_eq!(
        places(&sixth_game(five([0, 4]), "| T3 |")),
        [(1, 1), (2, 1)]
    );
    assert_eq!(
        places(&sixth_game(five([0, 6]), "| T3 |")),
        [(2, 1), (1, 1)]
    );
    assert_eq!(
        places(&sixth_game(five([0, 5]), "| T3 |")),
        [(1, 1), (1, 1)]
    );
    // All games are ties.
    assert_eq!(
        places(&sixth_game(five([2, 2]), "| T3 T5 |")),
        [(1, 0), (1, 0)]
    );
}

#[test]
fn a_match_of_a_single_game_is_decided_by_its_points() {
    let config = Config {
        games: 1,
        ..Config::default()
    };
    let mut play = Play::start(&config, 8);
    hurry(&mut play, |view| view.phase == Phase::Over);
    let outcome = play.outcome();
    let categories: Vec<&str> = outcome.seats[0]
        .breakdown
        .iter()
        .map(|line| line.category)
        .collect();
    assert_eq!(
        categories,
        ["numbers", "tolls", "monuments", "symbols", "contract"]
    );
    assert_eq!(outcome.seats.len(), 2);
    assert_eq!(places(&play), [(1, 0), (1, 0)], "nobody has built");
}

#[test]
fn the_breakdown_of_a_longer_match_has_a_line_for_each_game_that_was_played() {
    let play = sixth_game([[0, 0], [3, 1], [1, 4], [0, 0], [0, 0]], "| T3 |");
    let lines = |number: usize| -> Vec<(&str, i32)> {
        let breakdown = play.outcome().seats[number].breakdown.clone();
        breakdown
            .iter()
            .map(|line| (line.category, line.points))
            .collect()
    };
    let games = ["game_0", "game_1", "game_2", "game_3", "game_4", "game_5"];
    assert_eq!(
        lines(0),
        games
            .into_iter()
            .zip([0, 1, 0, 0, 0, 1])
            .collect::<Vec<_>>()
    );
    assert_eq!(
        lines(1),
        games
            .into_iter()
            .zip([0, 0, 1, 0, 0, 0])
            .collect::<Vec<_>>()
    );
}

#[test]
fn without_contracts_a_won_game_counts_as_one() {
    let config = Config {
        contracts: false,
        ..Config::default()
    };
    let mut play = Play::start(&config, 8);
    assert_eq!(play.view(0).contract, None);
    hurry(&mut play, |view| view.game == 1);
    assert_eq!(play.view(0).results[0].contract, None);
    assert_eq!(play.view(0).results[0].scores[0].contract, 0);
}
