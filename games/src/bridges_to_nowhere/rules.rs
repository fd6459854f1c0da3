//! The rules: turn order, legal decisions and their effects.

use std::ops::RangeInclusive;

use super::BridgesToNowhere;
use super::components::PLAYERS;
use super::config::Config;
use super::decision::Decision;
use super::decision::Illegal;
use super::event::Event;
use super::observation::Phase;
use super::setup::{self, SEATS, Setup};
use super::state::State;
use crate::{
    Digest, EventSink, FieldError, LegalList, NoChance, OutOfTurn, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

/// The seats that are still building. The first index is 1 once the first seat has ended the phase,
/// and the second index is 1 once the second seat has.
const BUILDING: [[SeatSet; PLAYERS]; PLAYERS] = {
    let [first, second] = [SeatSet::one(SEATS[0]), SeatSet::one(SEATS[1])];
    [[SeatSet::all(BUILDERS), first], [second, SeatSet::EMPTY]]
};

/// The seat count, which is fixed.
const BUILDERS: SeatCount = SeatCount::new(PLAYERS as u8).expect("a table has two builders");

impl Rules for BridgesToNowhere {
    const ID: &'static str = "bridges_to_nowhere";
    const NAME: &'static str = "Bridges to Nowhere";
    const RULES_VERSION: u32 = 2;
    const SEATS: RangeInclusive<u8> = PLAYERS as u8..=PLAYERS as u8;
    /// The maximum length of a legal list. Assume that n pieces are placed, g of them on the
    /// ground. The next piece can lie in at most g + 3 cells of the ground: one between two
    /// neighbours, and two beyond either end. The next piece can also lie on top of each of the g
    /// columns. So there are at most 2n + 3 cells. If the seat has three kinds of card and pillars,
    /// at most nine cards and five pillars are placed. These pieces allow 4 * 31 placements and the
    /// end. If the seat has three kinds of piece, at most fifteen pieces are placed, so there are
    /// at most 3 * 33 placements. With fewer kinds, the list is even shorter.
    const LEGAL_CAP: usize = 125;
    const NOTES: &'static [&'static str] = &[
        "The built-in edition's deck is not the publisher's: no source lists the cards. The printed \
         game is known to have 24 bridge cards, 8 in each of three styles, with a number and two \
         symbols each.",
        "The rules follow a summary of the printed rules; rulings on its open questions are listed \
         in docs/rules/bridges-to-nowhere.md.",
    ];

    type Config = Config;
    type Setup = Setup;
    type State = State;
    type Decision = Decision;
    type Illegal = Illegal;
    type Event = Event;
    type Chance = NoChance;

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

    fn seats_to_decide(state: &State) -> SeatSet {
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
                let expected = match phase {
                    Phase::Draft { .. } => "take",
                    Phase::Build => "place or end",
                    Phase::Over => "nothing",
                };
                Err(OutOfTurn::wrong_kind(decision.word(), expected).into())
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
