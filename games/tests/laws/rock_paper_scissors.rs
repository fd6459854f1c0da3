//! Rock-paper-scissors for 2 to 4 seats: the smallest game with simultaneous secret decisions and
//! something hidden in its setup. It lives in the tests only, to show that the seam knows nothing
//! of any one game. [`Toy`] is the same game with one [defect](defect).

use std::{fmt, ops::RangeInclusive, str::FromStr};

use bridgemaster_games::{
    ChanceStream, ConfigOption, Digest, Digester, EventSink, FieldError, LegalList, NoChance,
    Options, OutOfTurn, Outcome, Rules, Sample, ScoreLine, Seat, SeatCount, SeatOutcome, SeatSet,
    Secret, Seed, Show, Viewer,
};

/// What is wrong with a [`Toy`].
pub(crate) mod defect {
    pub(crate) const NONE: u8 = 0;
    /// Other seats see a choice, and the sampler honours what they see.
    pub(crate) const OTHERS_SEE_CHOICES: u8 = 1;
    pub(crate) const EVENT_TELLS_CHOICE: u8 = 2;
    /// The prize of the next round is seen, and the sampler honours it.
    pub(crate) const PRIZE_SHOWN_EARLY: u8 = 3;
    /// From the second round on an event tells the prize of the next round.
    pub(crate) const EVENT_TELLS_PRIZE: u8 = 4;
    /// The digest lacks the choices.
    pub(crate) const DIGEST_FORGETS_SECRETS: u8 = 5;
    /// The digest lacks an option.
    pub(crate) const DIGEST_FORGETS_OPTION: u8 = 6;
    /// The digest lacks the scores.
    pub(crate) const DIGEST_FORGETS_PAST: u8 = 7;
    /// `rock 07` and `rock +7` are read as `rock 7`.
    pub(crate) const LOOSE_NOTATION: u8 = 8;
    /// A choice has no event, and all see that it was made.
    pub(crate) const SILENT_CHOICE: u8 = 9;
    /// What the sampler draws is not what was observed.
    pub(crate) const SAMPLER_FORGETS: u8 = 10;
}

/// The game, with a defect.
#[derive(Debug)]
pub(crate) struct Toy<const DEFECT: u8>;

/// The game.
pub(crate) type RockPaperScissors = Toy<{ defect::NONE }>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Rock,
    Paper,
    Scissors,
}

const SHAPES: [Shape; 3] = [Shape::Rock, Shape::Paper, Shape::Scissors];

/// A shape, and how often a win with it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice<const DEFECT: u8> {
    shape: Shape,
    stake: u8,
}

const STAKES: RangeInclusive<u8> = 1..=2;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    rounds: u8,
    doubled: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rounds: 3,
            doubled: false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State<const DEFECT: u8> {
    doubled: bool,
    round: u8,
    /// What a win is worth, by round; those of later rounds are hidden.
    prizes: Vec<u8>,
    chosen: Vec<Secret<Choice<DEFECT>>>,
    scores: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observation<const DEFECT: u8> {
    round: u8,
    prizes: Vec<u8>,
    next_prize: Option<u8>,
    has_chosen: Vec<bool>,
    choices: Vec<Option<Choice<DEFECT>>>,
    scores: Vec<i32>,
    viewer: Viewer,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event<const DEFECT: u8> {
    Prize(u8),
    Chosen(Seat, Option<Choice<DEFECT>>),
    Revealed(Vec<Choice<DEFECT>>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<OutOfTurn> for Error {
    fn from(error: OutOfTurn) -> Self {
        Self(error.to_string())
    }
}

impl Shape {
    fn beats(self, other: Self) -> bool {
        (self as u8 + 2) % 3 == other as u8
    }
}

impl<const DEFECT: u8> fmt::Display for Choice<DEFECT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = ["rock", "paper", "scissors"][self.shape as usize];
        write!(f, "{shape} {}", self.stake)
    }
}

impl<const DEFECT: u8> FromStr for Choice<DEFECT> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = || Error("expected a shape and a number, such as rock 1".to_owned());
        let (word, stake) = text.split_once(' ').ok_or_else(refused)?;
        let shape = match word {
            "rock" => Shape::Rock,
            "paper" => Shape::Paper,
            "scissors" => Shape::Scissors,
            _ => return Err(refused()),
        };
        let stake = stake.parse().map_err(|_| refused())?;
        let choice = Self { shape, stake };
        match DEFECT == defect::LOOSE_NOTATION || choice.to_string() == text {
            true => Ok(choice),
            false => Err(refused()),
        }
    }
}

impl<const DEFECT: u8> fmt::Display for Event<DEFECT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prize(prize) => write!(f, "a win is worth {prize}"),
            Self::Chosen(seat, None) => write!(f, "seat {seat} has chosen"),
            Self::Chosen(seat, Some(choice)) => write!(f, "seat {seat} has chosen {choice}"),
            Self::Revealed(choices) => write!(f, "revealed: {choices:?}"),
        }
    }
}

impl<const DEFECT: u8> Rules for Toy<DEFECT> {
    const ID: &'static str = "rock_paper_scissors";
    const NAME: &'static str = "Rock, paper, scissors";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    const LEGAL_CAP: usize = 6;

    type Config = Config;
    type Setup = Vec<u8>;
    type State = State<DEFECT>;
    type Decision = Choice<DEFECT>;
    type Illegal = Error;
    type Event = Event<DEFECT>;
    type Chance = NoChance;

    fn check_config(_config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        match Self::SEATS.contains(&seats.get()) {
            true => Ok(()),
            false => FieldError::refuse("seats", "must be 2 to 4"),
        }
    }

    fn draw_setup(config: &Config, _seats: SeatCount, seed: &Seed) -> Result<Vec<u8>, FieldError> {
        let mut chance = ChanceStream::new(seed, 0);
        Ok((0..config.rounds).map(|_| prize(&mut chance)).collect())
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        prizes: &Vec<u8>,
        events: &mut impl EventSink<Event<DEFECT>>,
    ) -> Result<State<DEFECT>, FieldError> {
        let state = State {
            doubled: config.doubled,
            round: 0,
            prizes: prizes.clone(),
            chosen: seats.seats().map(Secret::of).collect(),
            scores: vec![0; seats.get().into()],
        };
        state.tell_prize(events);
        Ok(state)
    }

    fn seats(state: &State<DEFECT>) -> SeatCount {
        SeatCount::new(state.chosen.len() as u8).unwrap()
    }

    fn owing(state: &State<DEFECT>) -> SeatSet {
        let seats = (0..).map_while(Seat::new).zip(&state.chosen);
        let is_over = usize::from(state.round) == state.prizes.len();
        let owing = seats.filter(|(_, chosen)| !chosen.is_chosen() && !is_over);
        owing.map(|(seat, _)| seat).collect()
    }

    fn list(_: &State<DEFECT>, _: Seat, list: &mut Vec<Choice<DEFECT>>) -> LegalList {
        for shape in SHAPES {
            list.extend(STAKES.map(|stake| Choice { shape, stake }));
        }
        LegalList::Complete
    }

    fn decide(
        state: &mut State<DEFECT>,
        seat: Seat,
        choice: &Choice<DEFECT>,
        events: &mut impl EventSink<Event<DEFECT>>,
    ) -> Result<(), Error> {
        if !STAKES.contains(&choice.stake) {
            return Err(Error("stake: is not in 1 to 2".to_owned()));
        }
        state.chosen[seat.index()].choose(*choice);
        if DEFECT != defect::SILENT_CHOICE {
            let told = DEFECT == defect::EVENT_TELLS_CHOICE;
            events.push(Event::Chosen(seat, told.then_some(*choice)));
        }
        if state.chosen.iter().all(Secret::is_chosen) {
            state.reveal(events);
        }
        Ok(())
    }

    fn outcome(state: &State<DEFECT>) -> Option<Outcome> {
        let result = |&score: &i32| SeatOutcome {
            place: 1 + state.scores.iter().filter(|other| **other > score).count() as u8,
            score,
            breakdown: vec![ScoreLine {
                category: "wins",
                points: score,
            }],
        };
        let seats = state.scores.iter().map(result).collect();
        (usize::from(state.round) == state.prizes.len()).then_some(Outcome { seats })
    }

    fn digest(state: &State<DEFECT>) -> Digest {
        let State {
            doubled,
            round,
            prizes,
            chosen,
            scores,
        } = state;
        let mut digester = Digester::default();
        if DEFECT != defect::DIGEST_FORGETS_OPTION {
            digester.u8(u8::from(*doubled));
        }
        digester.u8(*round);
        digester.list(prizes);
        for (chosen, score) in chosen.iter().zip(scores) {
            digester.u8(match chosen.digested() {
                Some(_) if DEFECT == defect::DIGEST_FORGETS_SECRETS => 1,
                Some(choice) => 1 + choice.shape as u8 * 2 + choice.stake,
                None => 0,
            });
            if DEFECT != defect::DIGEST_FORGETS_PAST {
                digester.i32(*score);
            }
        }
        digester.finish()
    }
}

fn prize(chance: &mut ChanceStream) -> u8 {
    1 + chance.below(3) as u8
}

impl<const DEFECT: u8> State<DEFECT> {
    fn tell_prize(&self, events: &mut impl EventSink<Event<DEFECT>>) {
        let early = usize::from(DEFECT == defect::EVENT_TELLS_PRIZE && self.round > 0);
        let told = self.prizes.get(usize::from(self.round) + early);
        told.into_iter()
            .for_each(|&prize| events.push(Event::Prize(prize)));
    }

    fn reveal(&mut self, events: &mut impl EventSink<Event<DEFECT>>) {
        let choices: Vec<_> = self.chosen.iter_mut().filter_map(Secret::reveal).collect();
        let worth = i32::from(self.prizes[usize::from(self.round)]) * (1 + i32::from(self.doubled));
        for (score, own) in self.scores.iter_mut().zip(&choices) {
            let beaten = choices.iter().filter(|other| own.shape.beats(other.shape));
            *score += beaten.count() as i32 * i32::from(own.stake) * worth;
        }
        self.round += 1;
        events.push(Event::Revealed(choices));
        self.tell_prize(events);
    }
}

impl<const DEFECT: u8> Sample for Toy<DEFECT> {
    type Observation = Observation<DEFECT>;

    fn observe(state: &State<DEFECT>, viewer: Viewer) -> Observation<DEFECT> {
        let (round, prizes) = (usize::from(state.round), &state.prizes);
        let choices = state.chosen.iter().map(|secret| match viewer {
            Viewer::Seat(_) if DEFECT == defect::OTHERS_SEE_CHOICES => secret.digested(),
            _ => secret.seen_by(viewer),
        });
        let next = prizes.get(round + 1).copied();
        Observation {
            round: state.round,
            prizes: prizes.iter().copied().take(round + 1).collect(),
            next_prize: next.filter(|_| DEFECT == defect::PRIZE_SHOWN_EARLY),
            has_chosen: state.chosen.iter().map(Secret::is_chosen).collect(),
            choices: choices.collect(),
            scores: state.scores.clone(),
            viewer,
        }
    }

    fn viewer(observation: &Observation<DEFECT>) -> Viewer {
        observation.viewer
    }

    fn draw_state(
        config: &Config,
        observation: &Observation<DEFECT>,
        chance: &mut ChanceStream,
    ) -> Result<State<DEFECT>, FieldError> {
        let mut prizes = observation.prizes.clone();
        prizes.extend(observation.next_prize);
        while prizes.len() < usize::from(config.rounds) {
            prizes.push(prize(chance));
        }
        let seats = (0..).map_while(Seat::new).zip(&observation.has_chosen);
        let chosen = seats.map(|(seat, &has_chosen)| {
            let any = Choice {
                shape: SHAPES[chance.below(3) as usize],
                stake: STAKES.start() + chance.below(2) as u8,
            };
            let choice = observation.choices[seat.index()].unwrap_or(any);
            Secret::known(seat, has_chosen.then_some(choice))
        });
        let chosen = chosen.collect();
        let mut scores = observation.scores.clone();
        if DEFECT == defect::SAMPLER_FORGETS {
            scores.fill(0);
        }
        Ok(State {
            doubled: config.doubled,
            round: observation.round,
            prizes,
            chosen,
            scores,
        })
    }

    fn redeal(
        _config: &Config,
        _seats: SeatCount,
        prizes: &Vec<u8>,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Vec<u8> {
        let later = prizes[1..].iter().map(|_| prize(chance));
        [prizes[0]].into_iter().chain(later).collect()
    }
}

impl<const DEFECT: u8> Show for Toy<DEFECT> {}

impl<const DEFECT: u8> Options for Toy<DEFECT> {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::range("rounds", "Rounds of the match", 1..=5, |config| {
            &mut config.rounds
        }),
        ConfigOption::switch("doubled", "Whether wins count twice", |config| {
            &mut config.doubled
        }),
    ];
}
