//! Observations from clients: sampled, or refused with the invalid field, never a panic.

use bridgemaster_games::bridges_to_nowhere::{
    BridgesToNowhere, Card, Cell, Config, Contract, GameResult, Observation, Phase, Piece,
    Placement, SeatScore,
};
use bridgemaster_games::{ChanceStream, Game, Sample, Seed, Viewer};

use crate::bridges_to_nowhere::position::{Play, Position, piece};
use crate::play::seat;

fn refusal(view: &Observation) -> String {
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let sampled = BridgesToNowhere::sample_state(&Config::default(), view, &mut chance);
    sampled.map(|_| ()).unwrap_err().to_string()
}

/// The error text for an altered view of seat 0.
fn altered(change: impl FnOnce(&mut Observation)) -> String {
    let position = Position::new().round(1).row(0, 1, 0, "| S1 S2 |").cards(0, "S3 T1 M");
    let mut view = position.view(Viewer::Seat(seat(0)));
    change(&mut view);
    refusal(&view)
}

/// The error text for an altered view of the first draft.
fn altered_draft(change: impl FnOnce(&mut Observation)) -> String {
    let mut view = Play::start(&Config::default(), 2).view(0);
    change(&mut view);
    refusal(&view)
}

fn at(name: &str, level: u8, column: i8) -> Placement {
    let cell = Cell { level, column };
    let piece = piece(name);
    Placement { piece, cell }
}

#[test]
fn a_wrong_field_is_named() {
    let result =
        |contract| GameResult { contract, winner: None, scores: [SeatScore::default(); 2] };
    refused! { altered:
        |view| view.viewer = Viewer::Seat(seat(2)) => "viewer: is a seat that is not at the table",
        |view| view.game = 6 => "game: must be below `games`",
        |view| view.game = 1 => "results: must have one entry for each game that is over",
        |view| {
            view.game = 1;
            let mut wrong = result(Some(Contract::Double));
            wrong.scores[0].tolls = 541;
            view.results.push(wrong);
        } => "results[0].scores: exceeds the maximum points of a game",
        |view| view.round = 4 => "round: 4 is out of range (0..=3)",
        |view| view.monuments = 3 => "monuments: with those of the seats are more than three",
        |view| view.open.truncate(5) => "open: while building must have 6 cards of the next round",
        |view| view.unseen.truncate(5)
            => "unseen: must have 6 cards: six for each round still to be laid out",
    }
    for (alter, field) in [
        ((|view| view.games = 3) as fn(&mut Observation), "games: "),
        (|view| view.open.swap(0, 1), "open[0]"),
        (|view| view.unseen[0].number = Some(15), "unseen[0]"),
        (|view| view.unseen.swap(0, 1), "unseen[0]"),
    ] {
        let error = altered(alter);
        assert!(error.starts_with(field), "{error}");
        assert!(error.contains("contradicts the other fields"), "{error}");
    }
}

#[test]
fn a_structure_on_both_sides_of_column_0_is_rebuilt() {
    let position = Position::new().round(2);
    let view = position
        .row(0, 1, -4, "| S1 S2 S4 |")
        .row(0, 1, 2, "| . |")
        .row(0, 2, -3, "T1 T4 |")
        .view(Viewer::Seat(seat(0)));
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let state = BridgesToNowhere::sample_state(&Config::default(), &view, &mut chance).unwrap();
    assert_eq!(BridgesToNowhere::observe(&state, view.viewer), view);
}

#[test]
fn a_wrong_draft_is_named() {
    let turn = "phase.seat: is not the seat whose turn follows from the cards that were taken";
    refused! { altered_draft:
        |view| {
            let Phase::Draft { seat: to_move } = view.phase else {
                panic!("{:?}", view.phase);
            };
            let seat = seat(1 - to_move.number());
            view.phase = Phase::Draft { seat };
        } => turn,
        |view| {
            view.monuments -= 1;
            view.seats[0].cards.push(Card::Monument);
        } => turn,
        |view| view.open.truncate(5) => "open: with those taken in this round are not six",
    }
}

#[test]
fn a_wrong_structure_is_named_with_its_piece() {
    let with = |placement: Placement| {
        altered(|view| {
            match placement.piece {
                Piece::Pillar => view.seats[0].pillars -= 1,
                Piece::Card(_) => view.monuments -= 1,
            }
            view.seats[0].structure.push(placement);
        })
    };
    refused! { with:
        at("|", 1, 6)
            => "seats[0].structure[4]: cell.column: on level 1 a piece lies at most two columns \
                from another; 6 is further off",
        at("|", 3, 1) => "seats[0].structure[4]: cell: 3 1 has no piece directly below it",
        at("|", 1, 100) => "seats[0].structure[4]: cell.column: 100 is out of range (-34..=34)",
        at("|", 4, 1) => "seats[0].structure[4]: cell.level: 4 is out of range (1..=3)",
        at("|", 1, 1) => "seats[0].structure[4]: cell: 1 1 is taken",
        at("M", 2, 1)
            => "seats[0].structure: has a run with a monument that was not closed in its phase",
    }
    assert_eq!(
        altered(|view| view.seats[0].pillars = 3),
        "seats[0].pillars: must be six, including placed pillars"
    );
    let run = |other: &str| {
        let position = Position::new().round(1).row(0, 1, 0, &format!("| S1 {other} |"));
        refusal(&position.view(Viewer::Seat(seat(0))))
    };
    assert_eq!(
        run("T2"),
        "seats[0].structure[2]: cell: at 1 2 truss 2 fish fish would join bridge cards of another \
         style"
    );
}

#[test]
fn wrong_secrets_are_named() {
    assert_eq!(
        altered(|view| view.seats[1].has_ended = true),
        "seats[1].has_ended: is visible to the seat itself only, and only during building"
    );
    // A monument that is not closed.
    let open = |ended: bool| {
        move |view: &mut Observation| {
            let own = &mut view.seats[0];
            own.cards.retain(|card| *card != Card::Monument);
            own.structure.push(at("M", 2, 1));
            own.placed.push(at("M", 2, 1));
            own.has_ended = ended;
        }
    };
    assert_eq!(
        altered(open(true)),
        "seats[0].has_ended: decision: a run with a monument is not closed; to fill: 2 cells"
    );
    let twice = |view: &mut Observation| {
        open(false)(view);
        let own = &mut view.seats[0];
        own.placed.push(at("M", 2, 1));
        own.cards.pop();
    };
    assert_eq!(altered(twice), "seats[0].placed[1]: cell: 2 1 is taken");
}
