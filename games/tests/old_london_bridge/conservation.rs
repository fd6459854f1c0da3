//! Conservation of cards, buildings, tiles and money over random matches, and the length of such
//! matches.

use bridgemaster_games::old_london_bridge::{
    Area, BUILDINGS, BUILDINGS_PER_KIND, CARD_VALUES, CARDS, Config, Event, FaceChoice,
    Observation, OldLondonBridge, Phase, STARTING_MONEY, TILE_KINDS, TurnStep,
};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Rules, Sample, SeatCount, Seed, Viewer};

/// Totals of a match, computed from its events alone.
#[derive(Default)]
struct Ledger {
    money: [i32; 4],
    taken_buildings: usize,
    replaced_buildings: usize,
    taken_tiles: usize,
    used_tiles: usize,
}

impl Ledger {
    fn enter(&mut self, event: &Event) {
        match event {
            Event::Placed {
                seat,
                money,
                share,
                opening,
                ..
            } => {
                self.money[seat.index()] += money;
                self.used_tiles += usize::from(*share) + usize::from(opening.is_some());
            }
            Event::ChapelAdvanced { seat, money, .. }
            | Event::GateAdvanced { seat, money, .. }
            | Event::HaberdasheryPaid { seat, money }
            | Event::FacePaid { seat, money, .. } => self.money[seat.index()] += money,
            Event::StackRevealed { .. } => self.taken_buildings += 1,
            Event::Built { replaced, .. } => {
                self.replaced_buildings += usize::from(replaced.is_some());
            }
            Event::TileTaken { .. } => self.taken_tiles += 1,
            Event::TileUsed { .. } | Event::CardRecalled { .. } => self.used_tiles += 1,
            Event::TakeA2Answered { used, .. } => self.used_tiles += usize::from(*used),
            Event::CardsRaised { raises, .. } => {
                self.used_tiles += raises
                    .iter()
                    .map(|&raise| usize::from(raise))
                    .sum::<usize>();
            }
            _ => {}
        }
    }
}

/// The cards in front of seats: revealed, and not yet returned.
fn played_cards(view: &Observation) -> [u8; CARD_VALUES] {
    let mut cards = [0; CARD_VALUES];
    match view.phase {
        Phase::RaiseCards { .. } => {
            let played = view.seats.iter().filter_map(|seat| seat.played);
            played
                .flat_map(|cards| cards.values())
                .for_each(|card| cards[usize::from(card)] += 1);
        }
        Phase::Turn(turn) => {
            let waiting = &view.turns[usize::from(turn.turn) + 1..];
            waiting
                .iter()
                .for_each(|turn| cards[usize::from(turn.card)] += 1);
        }
        _ => {}
    }
    cards
}

fn check(view: &Observation, ledger: &Ledger) {
    let mut cards = played_cards(view);
    for (value, count) in cards.iter_mut().enumerate() {
        *count += view.supply[value] + view.seats.iter().map(|seat| seat.hand[value]).sum::<u8>();
    }
    let zeros = if view.seats.len() == 2 {
        4
    } else {
        view.seats.len() as u8
    };
    assert_eq!(cards[0], zeros, "a 0 that is not dealt is out of the game");
    assert_eq!(cards[1..], CARDS[1..]);

    let in_stacks: usize = view
        .stacks
        .iter()
        .map(|stack| stack.unseen.len() + usize::from(stack.top.is_some()))
        .sum();
    let on_bridges: usize = view.seats.iter().map(|seat| seat.bridge.len()).sum();
    assert_eq!(in_stacks + ledger.taken_buildings, BUILDINGS);
    let waiting = match view.phase {
        Phase::Turn(turn) => usize::from(matches!(turn.step, TurnStep::Replace { .. })),
        _ => 0,
    };
    assert_eq!(
        on_bridges + ledger.replaced_buildings + waiting,
        ledger.taken_buildings
    );

    let stacked: usize = view
        .bonus_stacks
        .iter()
        .map(|stack| stack.unseen.len() + usize::from(stack.face_up.is_some()))
        .sum();
    let held: usize = view
        .seats
        .iter()
        .flat_map(|seat| seat.tiles)
        .map(usize::from)
        .sum();
    assert_eq!(stacked + ledger.taken_tiles, 3 * TILE_KINDS);
    assert_eq!(held + ledger.used_tiles, ledger.taken_tiles);

    for (seat, money) in view.seats.iter().zip(ledger.money) {
        assert_eq!(seat.money, STARTING_MONEY + money);
        assert!(seat.money >= 0);
    }
    let unseen: u8 = view.unseen_markers.iter().sum();
    assert_eq!(unseen + view.round + 1, 15);
}

#[test]
fn cards_buildings_tiles_and_money_are_conserved() {
    for seed in 0..150 {
        let seats = SeatCount::new(2 + (seed % 3) as u8).unwrap();
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1000);
        let mut config = Config::default();
        for (area, choice) in Area::ALL.iter().zip(&mut config.faces) {
            *choice = FaceChoice::Face(area.faces()[chance.below(5) as usize]);
        }
        let mut events = Vec::new();
        let setup = OldLondonBridge::draw_setup(&config, seats, &seed).unwrap();
        let mut state = OldLondonBridge::start(&config, seats, &setup, &mut events).unwrap();
        let (mut ledger, mut list) = (Ledger::default(), Vec::new());
        loop {
            events.drain(..).for_each(|event| ledger.enter(&event));
            check(
                &OldLondonBridge::observe(&state, Viewer::Spectator),
                &ledger,
            );
            let Some(seat) = OldLondonBridge::seats_to_decide(&state).iter().next() else {
                break;
            };
            OldLondonBridge::legal(&state, seat, &mut list);
            let decision = &list[chance.below(list.len() as u32) as usize];
            OldLondonBridge::apply(&mut state, seat, decision, &mut events).unwrap();
        }
        assert!(ledger.taken_buildings > BUILDINGS_PER_KIND);
    }
}

/// Averages of uniform random matches: (decisions, decisions with a real choice, longest list).
fn averages(seats: u8) -> (f64, f64, usize) {
    const MATCHES: u64 = 1500;
    let count = SeatCount::new(seats).unwrap();
    let config = Config::default();
    let (mut all, mut real, mut longest) = (0u32, 0u32, 0);
    let mut list = Vec::new();
    for seed in 0..MATCHES {
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1000);
        let setup = OldLondonBridge::draw_setup(&config, count, &seed).unwrap();
        let mut events = NoEvents;
        let mut state = OldLondonBridge::start(&config, count, &setup, &mut events).unwrap();
        while let Some(seat) = OldLondonBridge::seats_to_decide(&state).iter().next() {
            OldLondonBridge::legal(&state, seat, &mut list);
            all += 1;
            real += u32::from(list.len() > 1);
            longest = longest.max(list.len());
            let decision = &list[chance.below(list.len() as u32) as usize];
            OldLondonBridge::apply(&mut state, seat, decision, &mut events).unwrap();
        }
    }
    (
        f64::from(all) / MATCHES as f64,
        f64::from(real) / MATCHES as f64,
        longest,
    )
}

#[test]
fn uniform_random_matches_have_the_expected_number_of_decisions() {
    for (seats, decisions, choices) in [(2, 77.0, 49.0), (3, 134.0, 87.0), (4, 179.0, 116.0)] {
        let (all, real, longest) = averages(seats);
        assert!(
            (all - decisions).abs() < 1.5,
            "{seats} seats: {all} decisions"
        );
        assert!(
            (real - choices).abs() < 1.5,
            "{seats} seats: {real} real choices"
        );
        // 26 is an inn of strength 6: random play reaches it, and sometimes a stronger one.
        let cap = OldLondonBridge::LEGAL_CAP;
        assert!(
            (26..=cap).contains(&longest),
            "{seats} seats: {longest} in the longest list"
        );
    }
}
