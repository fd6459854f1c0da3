//! Observations from clients: sampled or refused, never a panic; and facts that they must not
//! reveal.

use crate::position::{Position, seat};
use bridgemaster_games::old_london_bridge::{
    CARD_VALUES, Config, Face, Observation, OldLondonBridge, Pawn, Phase, PlayedCards, TILE_KINDS,
    TileKind, TurnStep, TurnView,
};
use bridgemaster_games::{
    ChanceStream, Game, NoEvents, Rules, Sample, Seat, SeatCount, Seed, Show, Viewer,
};

/// Changes one random field of an observation.
fn mutate(view: &mut Observation, chance: &mut ChanceStream) {
    let mut number = |bound: u32| chance.below(bound);
    let player = number(view.seats.len() as u32) as usize;
    let byte = number(20) as u8;
    let random_seat = Seat::new(number(8) as u8).unwrap();
    let (value, tile) = (
        number(CARD_VALUES as u32) as usize,
        number(TILE_KINDS as u32) as usize,
    );
    let stack = number(6) as usize;
    let steps = [
        TurnStep::Place,
        TurnStep::Finish,
        TurnStep::TakeTile {
            owed: byte,
            placed: value > 2,
        },
        TurnStep::TakeCards { strength: byte },
        TurnStep::Replace {
            building: Config::default().edition.buildings()[tile * 9],
        },
    ];
    let choice = number(26);
    let seats = &mut view.seats;
    match choice {
        0 => view.viewer = Viewer::Seat(random_seat),
        1 => view.rounds = byte,
        2 => view.round = byte,
        3 => view.marker = byte % 5,
        4 => view.orientation = byte % 8,
        5 => view.phase = Phase::TakeA2 { seat: random_seat },
        6 => view.phase = Phase::ChooseCards,
        7 => view.phase = Phase::RaiseCards { seat: random_seat },
        8 => {
            let (turn, recalled) = (byte % 5, value == 0);
            view.phase = Phase::Turn(TurnView {
                turn,
                step: steps[value],
                recalled,
            });
        }
        9 => view.phase = Phase::Over,
        10 => view.stacks[stack].top = None,
        11 => drop(view.stacks[stack].unseen.pop()),
        12 => view.unseen_markers[value % 3] = byte,
        13 => view.supply[value] = byte,
        14 => view.bonus_stacks[value % 3].face_up = Some(TileKind::ALL[tile]),
        15 => seats[player].money = i32::from(byte) * 100_000 - 100_000,
        16 => seats[player].hand[value] = byte,
        17 => drop(seats[player].bridge.pop()),
        18 => seats[player].chapel_position = byte,
        19 => seats[player].gate_position = byte,
        20 => seats[player].tiles[tile] = byte % 4,
        21 => seats[player].fresh_tiles[tile] = byte % 4,
        22 => seats[player].pawn = [Pawn::Off, Pawn::Centre, Pawn::Outer(byte % 8)][value % 3],
        23 => seats[player].has_chosen = !seats[player].has_chosen,
        24 => {
            let cards = PlayedCards {
                first: byte % 7,
                second: (tile > 3).then_some(value as u8),
            };
            seats[player].played = (tile != 7).then_some(cards);
        }
        _ => {
            view.chapel_order.swap(0, 1);
            seats[player].raises[value % 2] = byte;
        }
    }
}

/// Plays a match to its end with uniform random decisions.
fn finish(state: &mut <OldLondonBridge as Rules>::State, chance: &mut ChanceStream) {
    let mut list = Vec::new();
    while let Some(player) = OldLondonBridge::seats_to_decide(state).iter().next() {
        OldLondonBridge::legal(state, player, &mut list);
        assert!(
            !list.is_empty(),
            "seat {player} owes a decision and has none"
        );
        let choice = &list[chance.below(list.len() as u32) as usize];
        OldLondonBridge::apply(state, player, choice, &mut NoEvents).unwrap();
    }
    assert!(OldLondonBridge::outcome(state).is_some());
}

#[test]
fn an_altered_observation_is_refused_or_plays_on_without_a_panic() {
    let config = Config::default();
    let (mut refused, mut sampled) = (0, 0);
    for seed in 0..120u64 {
        let seats = SeatCount::new(2 + (seed % 3) as u8).unwrap();
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1000);
        let setup = OldLondonBridge::draw_setup(&config, seats, &seed).unwrap();
        let mut state = OldLondonBridge::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut list = Vec::new();
        while let Some(player) = OldLondonBridge::seats_to_decide(&state).iter().next() {
            for _ in 0..4 {
                let mut view = OldLondonBridge::observe(&state, Viewer::Seat(player));
                for _ in 0..1 + chance.below(2) {
                    mutate(&mut view, &mut chance);
                }
                OldLondonBridge::render(&config, &view, &mut String::new()).unwrap();
                let progress = OldLondonBridge::progress(&view).unwrap();
                assert!(progress.done <= progress.total, "{progress:?}");
                match OldLondonBridge::sample_state(&config, &view, &mut chance) {
                    Err(error) => {
                        assert!(error.to_string().contains(": "), "{error} names no field");
                        refused += 1;
                    }
                    Ok(mut other) => {
                        assert_eq!(OldLondonBridge::observe(&other, view.viewer), view);
                        finish(&mut other, &mut chance);
                        sampled += 1;
                    }
                }
            }
            OldLondonBridge::legal(&state, player, &mut list);
            let choice = &list[chance.below(list.len() as u32) as usize];
            OldLondonBridge::apply(&mut state, player, choice, &mut NoEvents).unwrap();
        }
    }
    assert!(
        refused > 1000 && sampled > 1000,
        "{refused} refused, {sampled} sampled"
    );
}

fn sample_error(change: impl FnOnce(&mut Observation)) -> String {
    let Position { config, mut view } = Position::new(4);
    change(&mut view);
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let sampled = OldLondonBridge::sample_state(&config, &view, &mut chance);
    sampled.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_refused_observation_names_its_field() {
    let refused = [
        (
            sample_error(|view| view.seats.clear()),
            "seats: must have an entry for each seat",
        ),
        (
            sample_error(|view| view.seats.truncate(1)),
            "seats: 1 is out of range (2..=4)",
        ),
        (
            sample_error(|view| view.viewer = Viewer::Seat(seat(4))),
            "viewer: is a seat that is not at the table",
        ),
        (
            sample_error(|view| view.faces[1] = Face::TileTable),
            "faces.gate: is tile_table, but the config has gate_track",
        ),
        (
            sample_error(|view| view.rounds = 6),
            "rounds: \"6\" contradicts the other fields, which require \"12\"",
        ),
        (
            sample_error(|view| view.seats[2].money = -1),
            "seats[2].money: is out of range (0..=1000000)",
        ),
        (
            sample_error(|view| view.supply[3] = 0),
            "supply[3]: with hands and played cards is not the number in the box",
        ),
        (
            sample_error(|view| view.stacks[1].unseen.swap(0, 1)),
            "stacks[1].unseen[0]",
        ),
    ];
    for (message, expected) in refused {
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn an_unrevealed_choice_is_visible_to_the_seat_itself_only() {
    let choose = |card: &str| {
        let mut play = Position::new(4).play();
        play.decide(1, &[card]);
        play
    };
    let (one, four) = (choose("play 1"), choose("play 4"));
    assert_eq!(one.events, four.events);
    for viewer in [0, 2, 3]
        .map(|number| Viewer::Seat(seat(number)))
        .into_iter()
        .chain([Viewer::Spectator])
    {
        let view = OldLondonBridge::observe(&one.state, viewer);
        assert_eq!(view, OldLondonBridge::observe(&four.state, viewer));
        assert!(view.seats[1].has_chosen && view.seats[1].played.is_none());
        assert_eq!(
            view.seats[1].hand,
            [1, 1, 2, 1, 1],
            "the hand is shown unchanged"
        );
    }
    let own = OldLondonBridge::observe(&one.state, Viewer::Seat(seat(1)));
    assert_eq!(
        own.seats[1].played,
        Some(PlayedCards {
            first: 1,
            second: None
        })
    );
}

/// Samples `view` 1400 times, continues each state with decisions in notation, and counts the
/// revealed items by the index that `shown` assigns to them.
fn drawn<const N: usize>(
    Position { config, view }: &Position,
    decisions: &[(u8, &str)],
    shown: impl Fn(&Observation) -> usize,
) -> [u32; N] {
    let mut chance = ChanceStream::new(&Seed::from(9), 0);
    let mut counts = [0; N];
    for _ in 0..1400 {
        let mut state = OldLondonBridge::sample_state(config, view, &mut chance).unwrap();
        for (number, text) in decisions {
            let decision = text.parse().unwrap();
            OldLondonBridge::apply(&mut state, seat(*number), &decision, &mut NoEvents).unwrap();
        }
        counts[shown(&OldLondonBridge::observe(&state, Viewer::Spectator))] += 1;
    }
    counts
}

/// True if counts of 1400 draws fit their shares of the whole within 4 standard deviations.
fn fit<const N: usize>(counts: [u32; N], shares: [u8; N]) -> bool {
    let whole: f64 = shares.iter().copied().map(f64::from).sum();
    counts.iter().zip(shares).all(|(&count, share)| {
        let share = f64::from(share) / whole;
        let deviation = (1400.0 * share * (1.0 - share)).sqrt();
        (f64::from(count) - 1400.0 * share).abs() <= 4.0 * deviation
    })
}

#[test]
fn buildings_below_a_top_are_drawn_uniformly() {
    let start = Position::new(4).supplied();
    let unseen = start.view.stacks[0].unseen.clone();
    let first = start.view.chapel_order[0].number();
    let plays = [(0, "play 0"), (1, "play 0"), (2, "play 0"), (3, "play 0")];
    let decisions = [&plays[..], &[(first, "place centre chapel")]].concat();
    let counts: [u32; 11] = drawn(&start, &decisions, |view| {
        let top = view.stacks[0].top.unwrap();
        unseen.iter().position(|&other| other == top).unwrap()
    });
    assert!(fit(counts, [1; 11]), "{counts:?}");
}

#[test]
fn bonus_tiles_below_the_open_one_are_drawn_uniformly() {
    let start = Position::new(4)
        .tiles(0, &[TileKind::GatePlus2])
        .gate(&[2, 0, 0, 0])
        .turn(&[(0, 4), (1, 0), (2, 0), (3, 0)], 0)
        .supplied();
    let unseen = start.view.bonus_stacks[1].unseen.clone();
    let decisions = [(0, "use gate_plus_2"), (0, "take_tile 1")];
    let counts: [u32; 7] = drawn(&start, &decisions, |view| {
        let tile = view.bonus_stacks[1].face_up.unwrap();
        unseen.iter().position(|&other| other == tile).unwrap()
    });
    assert!(fit(counts, [1; 7]), "{counts:?}");
}

#[test]
fn later_markers_are_drawn_from_all_that_no_round_has_revealed() {
    let start = Position::new(4)
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3)
        .step(3, TurnStep::Finish)
        .supplied();
    let counts: [u32; 3] = drawn(&start, &[(3, "end")], |view| usize::from(view.marker) - 1);
    assert!(fit(counts, start.view.unseen_markers), "{counts:?}");
}

#[test]
fn unrevealed_choices_of_other_seats_are_drawn_from_all_legal_ones() {
    let mut start = Position::new(4).supplied();
    start.seat(1).has_chosen = true;
    let decisions = [(0, "play 0"), (2, "play 0"), (3, "play 0")];
    let counts: [u32; 5] = drawn(&start, &decisions, |view| {
        usize::from(view.seats[1].played.unwrap().first)
    });
    assert!(fit(counts, [1; 5]), "{counts:?}");
}
