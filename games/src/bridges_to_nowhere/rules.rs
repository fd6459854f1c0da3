//! The rules: whose turn it is, what is legal and what it does.

use std::ops::RangeInclusive;

use super::BridgesToNowhere;
use super::components::PLAYERS;
use super::config::{CONTRACTS_TO_WIN, Config, GAMES};
use super::decision::Decision;
use super::event::Event;
use super::illegal::Illegal;
use super::observation::Phase;
use super::setup::{self, SEATS, Setup};
use super::state::State;
use crate::field_error::{check_range, check_seats};
use crate::{
    Digest, EventSink, FieldError, LegalList, NoChance, OutOfTurn, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

/// The seats that still build: by whether the first has ended, then by whether the second has.
const BUILDING: [[SeatSet; PLAYERS]; PLAYERS] = {
    let [first, second] = [SeatSet::one(SEATS[0]), SeatSet::one(SEATS[1])];
    [[SeatSet::all(BUILDERS), first], [second, SeatSet::EMPTY]]
};

/// Who sits at the table.
const BUILDERS: SeatCount = SeatCount::new(PLAYERS as u8).expect("a table has two builders");

impl Rules for BridgesToNowhere {
    const ID: &'static str = "bridges_to_nowhere";
    const NAME: &'static str = "Bridges to Nowhere";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = PLAYERS as u8..=PLAYERS as u8;
    /// Longest legal list. With n pieces, g of them on the ground, a piece can lie in at most g + 3
    /// cells of the ground (between two neighbours one, beyond either end two) and on top of g columns:
    /// 2n + 3 cells in all. While three kinds of card and pillars are in hand, at most nine cards and
    /// five pillars lie: 4 * 31 placements and the end. With three kinds of piece at most fifteen
    /// pieces lie, which makes 3 * 33, and with fewer kinds the list is shorter still.
    const LEGAL_CAP: usize = 125;
    const NOTES: &'static [&'static str] = &[
        "The built-in edition's deck is not the publisher's: no source lists the cards. Known of the \
         printed game are 24 bridge cards, 8 in each of three styles, with a number and two \
         symbols each.",
        "The rules follow a summary of the printed rules; what it leaves open was ruled on and is \
         listed in docs/rules/bridges-to-nowhere.md.",
    ];

    type Config = Config;
    type Setup = Setup;
    type State = State;
    type Decision = Decision;
    type Illegal = Illegal;
    type Event = Event;
    type Chance = NoChance;

    fn check_config(config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Self::SEATS)?;
        check_range(
            "contracts_to_win",
            config.contracts_to_win,
            CONTRACTS_TO_WIN,
        )?;
        check_range("games", config.games, GAMES)
    }

    fn draw_setup(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
        setup::draw(config, seats, seed)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        events: &mut impl EventSink<Event>,
    ) -> Result<State, FieldError> {
        setup.check(config, seats)?;
        let mut state = State::new(config, setup);
        state.begin_game(events);
        Ok(state)
    }

    fn seats(_state: &State) -> SeatCount {
        BUILDERS
    }

    fn owing(state: &State) -> SeatSet {
        match state.phase {
            Phase::Draft { seat } => SeatSet::one(seat),
            Phase::Build => {
                let [first, second] = &state.seats;
                BUILDING[usize::from(first.has_ended)][usize::from(second.has_ended)]
            }
            Phase::Over => SeatSet::EMPTY,
        }
    }

    fn list(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        match state.phase {
            Phase::Draft { .. } => state.list_takes(list),
            Phase::Build => state.seat(seat).list_building(&state.fixed, list),
            Phase::Over => {}
        }
        LegalList::Complete
    }

    fn decide(
        state: &mut State,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        match (state.phase, *decision) {
            (Phase::Draft { .. }, Decision::Take(card)) => state.take(seat, card, events),
            (Phase::Build, Decision::Place(placement)) => {
                let fixed = &*state.fixed;
                state.seats[seat.index()].place(fixed, placement)
            }
            (Phase::Build, Decision::End) => state.end_building(seat, events),
            (phase, decision) => {
                let asked = match phase {
                    Phase::Draft { .. } => "take",
                    Phase::Build => "place or end",
                    Phase::Over => "nothing",
                };
                Err(OutOfTurn::kind(decision.word(), asked).into())
            }
        }
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}
