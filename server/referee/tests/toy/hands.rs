//! Rock, paper, scissors: all seats choose at once, for several rounds.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use bridgemaster_games::{
    ChanceStream, Digest, Digester, EventSink, FieldError, LegalList, Options, Outcome, Rules,
    Sample, Seat, SeatCount, SeatSet, Seed, Show, Viewer,
};

use super::ToyError;

#[derive(Clone, Debug)]
pub struct Hands;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hand {
    Rock,
    Paper,
    Scissors,
}

const HANDS: [Hand; 3] = [Hand::Rock, Hand::Paper, Hand::Scissors];

impl Hand {
    fn beats(self, other: Self) -> bool {
        (self as u8 + 3 - other as u8) % 3 == 1
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["rock", "paper", "scissors"][*self as usize])
    }
}

impl FromStr for Hand {
    type Err = ToyError;

    fn from_str(text: &str) -> Result<Self, ToyError> {
        HANDS
            .into_iter()
            .find(|hand| hand.to_string() == text)
            .ok_or_else(|| ToyError::Notation(text.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandsConfig {
    pub rounds: u8,
    /// The first hand shown settles the round, and in each round one seat sits out: seat
    /// `rounds_left` modulo the number of seats.
    pub first_settles: bool,
    /// After each round a seat is drawn that gets a point.
    pub draws_prizes: bool,
}

impl Default for HandsConfig {
    fn default() -> Self {
        Self { rounds: 3, first_settles: false, draws_prizes: false }
    }
}

/// The drawn seat that gets a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prize(pub u8);

impl fmt::Display for Prize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the prize goes to seat {}", self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandsState {
    rounds_left: u8,
    first_settles: bool,
    draws_prizes: bool,
    prize_is_due: bool,
    hands: Vec<Option<Hand>>,
    points: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandsSeen {
    pub rounds_left: u8,
    pub first_settles: bool,
    pub draws_prizes: bool,
    /// The viewer's own hand of this round.
    pub own: Option<Hand>,
    pub viewer: Option<u8>,
    pub points: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandsEvent {
    RoundOver { hands: Vec<Option<Hand>> },
    PrizeDrawn(Prize),
}

impl fmt::Display for HandsEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundOver { hands } => write!(f, "the round is over: {hands:?}"),
            Self::PrizeDrawn(prize) => prize.fmt(f),
        }
    }
}

impl Rules for Hands {
    const ID: &'static str = "hands";
    const NAME: &'static str = "Rock, Paper, Scissors";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 1..=8;
    const LEGAL_CAP: usize = 3;

    type Config = HandsConfig;
    type Setup = ();
    type State = HandsState;
    type Decision = Hand;
    type Illegal = ToyError;
    type Event = HandsEvent;
    type Chance = Prize;

    fn check_choices(config: &HandsConfig, _seats: SeatCount) -> Result<(), FieldError> {
        if config.rounds == 0 {
            FieldError::refuse("rounds", "0 is out of range (1..=255)")
        } else {
            Ok(())
        }
    }

    fn draw_setup(config: &HandsConfig, seats: SeatCount, _seed: &Seed) -> Result<(), FieldError> {
        Self::check_choices(config, seats)
    }

    fn start(
        config: &HandsConfig,
        seats: SeatCount,
        (): &(),
        _events: &mut impl EventSink<HandsEvent>,
    ) -> Result<HandsState, FieldError> {
        Self::check_choices(config, seats)?;
        let seats = usize::from(seats.get());
        Ok(HandsState {
            rounds_left: config.rounds,
            first_settles: config.first_settles,
            draws_prizes: config.draws_prizes,
            prize_is_due: false,
            hands: vec![None; seats],
            points: vec![0; seats],
        })
    }

    fn chance_due(state: &HandsState) -> Option<u64> {
        state.prize_is_due.then(|| u64::from(state.rounds_left))
    }

    fn draw_chance(state: &HandsState, chance: &mut ChanceStream) -> Option<Prize> {
        let seats = state.hands.len() as u32;
        state.prize_is_due.then(|| Prize(chance.below(seats) as u8))
    }

    fn apply_chance(
        state: &mut HandsState,
        prize: &Prize,
        events: &mut impl EventSink<HandsEvent>,
    ) -> Result<(), FieldError> {
        let points = state.points.get_mut(usize::from(prize.0));
        *points.ok_or_else(foreign)? += 1;
        state.prize_is_due = false;
        events.push(HandsEvent::PrizeDrawn(*prize));
        Ok(())
    }

    fn seats(state: &HandsState) -> SeatCount {
        SeatCount::new(state.hands.len() as u8).unwrap()
    }

    fn seats_to_decide(state: &HandsState) -> SeatSet {
        if state.rounds_left == 0 || state.prize_is_due {
            return SeatSet::EMPTY;
        }
        let seats = SeatCount::new(state.hands.len() as u8).unwrap();
        let sits_out = |seat: Seat| {
            state.first_settles
                && usize::from(state.rounds_left) % state.hands.len() == seat.index()
        };
        seats
            .seats()
            .filter(|seat| state.hands[seat.index()].is_none() && !sits_out(*seat))
            .collect()
    }

    fn list(_state: &HandsState, _seat: Seat, list: &mut Vec<Hand>) -> LegalList {
        list.extend(HANDS);
        LegalList::Complete
    }

    fn decide(
        state: &mut HandsState,
        seat: Seat,
        decision: &Hand,
        events: &mut impl EventSink<HandsEvent>,
    ) -> Result<(), ToyError> {
        state.hands[seat.index()] = Some(*decision);
        if state.first_settles || state.hands.iter().all(Option::is_some) {
            let hands = std::mem::replace(&mut state.hands, vec![None; state.points.len()]);
            for (points, hand) in state.points.iter_mut().zip(&hands) {
                let wins = |other: &&Option<Hand>| match (hand, other) {
                    (Some(hand), Some(other)) => hand.beats(*other),
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                *points += hands.iter().filter(wins).count() as i32;
            }
            state.rounds_left -= 1;
            state.prize_is_due = state.draws_prizes;
            events.push(HandsEvent::RoundOver { hands });
        }
        Ok(())
    }

    fn outcome(state: &HandsState) -> Option<Outcome> {
        (state.rounds_left == 0 && !state.prize_is_due)
            .then(|| super::outcome(&state.points, "wins"))
    }

    fn digest(state: &HandsState) -> Digest {
        let mut digester = Digester::default();
        digester.u8(state.rounds_left);
        digester.u8(state.prize_is_due.into());
        let hands: Vec<u8> =
            state.hands.iter().map(|hand| hand.map_or(0, |hand| hand as u8 + 1)).collect();
        digester.list(&hands);
        state.points.iter().for_each(|points| digester.i32(*points));
        digester.finish()
    }
}

impl Sample for Hands {
    type Observation = HandsSeen;

    fn observe(state: &HandsState, viewer: Viewer) -> HandsSeen {
        let viewer = match viewer {
            Viewer::Seat(seat) => Some(seat.number()),
            Viewer::Spectator => None,
        };
        HandsSeen {
            rounds_left: state.rounds_left,
            first_settles: state.first_settles,
            draws_prizes: state.draws_prizes,
            own: viewer.and_then(|seat| state.hands[usize::from(seat)]),
            viewer,
            points: state.points.clone(),
        }
    }

    fn draw_state(
        _config: &HandsConfig,
        observation: &HandsSeen,
        _chance: &mut ChanceStream,
    ) -> Result<HandsState, FieldError> {
        let viewer = usize::from(observation.viewer.ok_or_else(foreign)?);
        let mut hands = vec![None; observation.points.len()];
        *hands.get_mut(viewer).ok_or_else(foreign)? = observation.own;
        Ok(HandsState {
            rounds_left: observation.rounds_left,
            first_settles: observation.first_settles,
            draws_prizes: observation.draws_prizes,
            prize_is_due: false,
            hands,
            points: observation.points.clone(),
        })
    }

    fn viewer(observation: &HandsSeen) -> Viewer {
        let seat = observation.viewer.and_then(Seat::new);
        seat.map_or(Viewer::Spectator, Viewer::Seat)
    }

    fn redeal(
        _config: &HandsConfig,
        _seats: SeatCount,
        setup: &(),
        _viewer: Viewer,
        _chance: &mut ChanceStream,
    ) {
        *setup
    }
}

impl Show for Hands {}

impl Options for Hands {}

fn foreign() -> FieldError {
    FieldError { field: "observation".to_owned(), problem: "belongs to another match".to_owned() }
}
