//! Rock-paper-scissors for 2 to 4 seats: the smallest game with simultaneous secret decisions.
//! It lives in the tests only, to show that the seam knows nothing of any one game.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use bridgemaster_games::{
    ChanceStream, Digest, Digester, EventSink, Game, LegalList, NoChance, Outcome, ScoreLine, Seat,
    SeatCount, SeatOutcome, SeatSet, Seed, Viewer,
};

use crate::Lawful;

#[derive(Debug)]
pub(crate) struct RockPaperScissors;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Rock,
    Paper,
    Scissors,
}

const SHAPES: [Shape; 3] = [Shape::Rock, Shape::Paper, Shape::Scissors];

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) rounds: u8,
}

impl Default for Config {
    fn default() -> Self {
        Self { rounds: 3 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    rounds_left: u8,
    chosen: Vec<Option<Shape>>,
    scores: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observation {
    rounds_left: u8,
    has_chosen: Vec<bool>,
    own: Option<Shape>,
    scores: Vec<i32>,
    viewer: Viewer,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Chosen(Seat),
    Revealed(Vec<Shape>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Error(pub(crate) &'static str);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Error {}

impl Shape {
    fn beats(self, other: Self) -> bool {
        (self as u8 + 2) % 3 == other as u8
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["rock", "paper", "scissors"][*self as usize])
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let shape = SHAPES.into_iter().find(|shape| shape.to_string() == text);
        shape.ok_or(Error("expected rock, paper or scissors"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen(seat) => write!(f, "seat {seat} has chosen"),
            Self::Revealed(shapes) => write!(f, "revealed: {shapes:?}"),
        }
    }
}

impl Game for RockPaperScissors {
    const ID: &'static str = "rock_paper_scissors";
    const NAME: &'static str = "Rock, paper, scissors";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    const LEGAL_CAP: usize = 3;
    const NOTES: &'static [&'static str] = &[];

    type Config = Config;
    type ConfigError = Error;
    type Setup = ();
    type SetupError = Error;
    type State = State;
    type Decision = Shape;
    type Refusal = Error;
    type Observation = Observation;
    type Event = Event;
    type Chance = NoChance;

    fn check_config(config: &Config, seats: SeatCount) -> Result<(), Error> {
        if config.rounds == 0 {
            return Err(Error("rounds: must be at least 1"));
        }
        if !Self::SEATS.contains(&seats.get()) {
            return Err(Error("seats: must be 2 to 4"));
        }
        Ok(())
    }

    fn draw_setup(config: &Config, seats: SeatCount, _seed: &Seed) -> Result<(), Error> {
        Self::check_config(config, seats)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        _setup: &(),
        _events: &mut impl EventSink<Event>,
    ) -> Result<State, Error> {
        Self::check_config(config, seats)?;
        let seats = usize::from(seats.get());
        Ok(State {
            rounds_left: config.rounds,
            chosen: vec![None; seats],
            scores: vec![0; seats],
        })
    }

    fn apply_chance(
        _state: &mut State,
        chance: &NoChance,
        _events: &mut impl EventSink<Event>,
    ) -> Result<(), Error> {
        match *chance {}
    }

    fn owing(state: &State) -> SeatSet {
        let seats = (0..).map_while(Seat::new).zip(&state.chosen);
        let owing = seats.filter(|(_, chosen)| chosen.is_none() && state.rounds_left > 0);
        owing.map(|(seat, _)| seat).collect()
    }

    fn legal(state: &State, seat: Seat, list: &mut Vec<Shape>) -> LegalList {
        list.clear();
        if Self::owing(state).contains(seat) {
            list.extend(SHAPES);
        }
        LegalList::Complete
    }

    fn apply(
        state: &mut State,
        seat: Seat,
        decision: &Shape,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Error> {
        if !Self::owing(state).contains(seat) {
            return Err(Error("seat: owes no decision"));
        }
        state.chosen[seat.index()] = Some(*decision);
        events.push(Event::Chosen(seat));
        let Some(shapes) = state.chosen.iter().copied().collect::<Option<Vec<Shape>>>() else {
            return Ok(());
        };
        for (score, shape) in state.scores.iter_mut().zip(&shapes) {
            *score += shapes.iter().filter(|other| shape.beats(**other)).count() as i32;
        }
        state.chosen.fill(None);
        state.rounds_left -= 1;
        events.push(Event::Revealed(shapes));
        Ok(())
    }

    fn observe(state: &State, viewer: Viewer) -> Observation {
        Observation {
            rounds_left: state.rounds_left,
            has_chosen: state.chosen.iter().map(Option::is_some).collect(),
            own: match viewer {
                Viewer::Seat(seat) => state.chosen[seat.index()],
                Viewer::Spectator => None,
            },
            scores: state.scores.clone(),
            viewer,
        }
    }

    fn sample_state(
        _config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, Error> {
        let mut chosen: Vec<Option<Shape>> = Vec::new();
        for &has_chosen in &observation.has_chosen {
            chosen.push(has_chosen.then(|| SHAPES[chance.below(3) as usize]));
        }
        if let Viewer::Seat(seat) = observation.viewer {
            chosen[seat.index()] = observation.own;
        }
        let scores = observation.scores.clone();
        Ok(State {
            rounds_left: observation.rounds_left,
            chosen,
            scores,
        })
    }

    fn outcome(state: &State) -> Option<Outcome> {
        let result = |&score: &i32| SeatOutcome {
            place: 1 + state.scores.iter().filter(|other| **other > score).count() as u8,
            score,
            breakdown: vec![ScoreLine {
                category: "wins",
                points: score,
            }],
        };
        let seats = state.scores.iter().map(result).collect();
        (state.rounds_left == 0).then_some(Outcome { seats })
    }

    fn digest(state: &State) -> Digest {
        let mut digester = Digester::default();
        digester.u8(state.rounds_left);
        for (chosen, score) in state.chosen.iter().zip(&state.scores) {
            digester.u8(chosen.map_or(3, |shape| shape as u8));
            digester.i32(*score);
        }
        digester.finish()
    }
}

impl Lawful for RockPaperScissors {
    fn any_config(chance: &mut ChanceStream) -> Config {
        Config {
            rounds: 1 + chance.below(5) as u8,
        }
    }

    fn any_decision(chance: &mut ChanceStream) -> Shape {
        SHAPES[chance.below(3) as usize]
    }
}

laws!(RockPaperScissors, 16);
