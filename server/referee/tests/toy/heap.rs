//! A heap of stones: the seats take turns, the last stone ends the match, and the most stones win.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use bridgemaster_games::{
    ChanceStream, Digest, Digester, EventSink, FieldError, LegalList, NoChance, Options, Outcome,
    Rules, Sample, Seat, SeatCount, SeatSet, Seed, Show, Viewer,
};

use super::ToyError;

#[derive(Clone, Debug)]
pub struct Heap;

/// Takes this number of stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Take(pub u8);

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {}", self.0)
    }
}

impl FromStr for Take {
    type Err = ToyError;

    fn from_str(text: &str) -> Result<Self, ToyError> {
        text.strip_prefix("take ")
            .and_then(|stones| stones.parse().ok())
            .map(Self)
            .ok_or_else(|| ToyError::Notation(text.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapConfig {
    /// Initial number of stones; `None` to draw it from the seed.
    pub stones: Option<u8>,
    /// Maximum number of stones per turn.
    pub most: u8,
}

impl Default for HeapConfig {
    fn default() -> Self {
        Self { stones: Some(10), most: 3 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapState {
    stones: u8,
    most: u8,
    turn: u8,
    taken: Vec<i32>,
}

impl HeapState {
    fn max_take(&self) -> u8 {
        self.most.min(self.stones)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeapEvent {
    Laid(u8),
    Took { seat: u8, stones: u8 },
}

impl fmt::Display for HeapEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Laid(stones) => write!(f, "{stones} stones are laid out"),
            Self::Took { seat, stones } => write!(f, "seat {seat} takes {stones}"),
        }
    }
}

impl Rules for Heap {
    const ID: &'static str = "heap";
    const NAME: &'static str = "Heap";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    const LEGAL_CAP: usize = 4;

    type Config = HeapConfig;
    type Setup = u8;
    type State = HeapState;
    type Decision = Take;
    type Illegal = ToyError;
    type Event = HeapEvent;
    type Chance = NoChance;

    fn check_choices(config: &HeapConfig, _seats: SeatCount) -> Result<(), FieldError> {
        match config {
            HeapConfig { most: 0, .. } => FieldError::refuse("most", "0 is out of range (1..=255)"),
            HeapConfig { stones: Some(0), .. } => no_stones(),
            _ => Ok(()),
        }
    }

    fn draw_setup(config: &HeapConfig, seats: SeatCount, seed: &Seed) -> Result<u8, FieldError> {
        Self::check_choices(config, seats)?;
        let drawn = || ChanceStream::new(seed, 0).below(u32::from(u8::MAX)) as u8 + 1;
        Ok(config.stones.unwrap_or_else(drawn))
    }

    fn start(
        config: &HeapConfig,
        seats: SeatCount,
        setup: &u8,
        events: &mut impl EventSink<HeapEvent>,
    ) -> Result<HeapState, FieldError> {
        if *setup == 0 {
            return no_stones();
        }
        events.push(HeapEvent::Laid(*setup));
        Ok(HeapState {
            stones: *setup,
            most: config.most,
            turn: 0,
            taken: vec![0; usize::from(seats.get())],
        })
    }

    fn seats(state: &HeapState) -> SeatCount {
        SeatCount::new(state.taken.len() as u8).unwrap()
    }

    fn seats_to_decide(state: &HeapState) -> SeatSet {
        match state.stones {
            0 => SeatSet::EMPTY,
            _ => SeatSet::one(Seat::new(state.turn).unwrap()),
        }
    }

    fn list(state: &HeapState, _seat: Seat, list: &mut Vec<Take>) -> LegalList {
        list.extend((1..=state.max_take()).take(Self::LEGAL_CAP).map(Take));
        if usize::from(state.max_take()) > Self::LEGAL_CAP {
            LegalList::Cut
        } else {
            LegalList::Complete
        }
    }

    fn decide(
        state: &mut HeapState,
        seat: Seat,
        decision: &Take,
        events: &mut impl EventSink<HeapEvent>,
    ) -> Result<(), ToyError> {
        if decision.0 == 0 || decision.0 > state.max_take() {
            return Err(ToyError::Stones { given: decision.0, most: state.max_take() });
        }
        state.stones -= decision.0;
        state.taken[seat.index()] += i32::from(decision.0);
        state.turn = (state.turn + 1) % state.taken.len() as u8;
        events.push(HeapEvent::Took { seat: seat.number(), stones: decision.0 });
        Ok(())
    }

    fn outcome(state: &HeapState) -> Option<Outcome> {
        (state.stones == 0).then(|| super::outcome(&state.taken, "stones"))
    }

    fn digest(state: &HeapState) -> Digest {
        let mut digester = Digester::default();
        [state.stones, state.most, state.turn].iter().for_each(|byte| digester.u8(*byte));
        state.taken.iter().for_each(|taken| digester.i32(*taken));
        digester.finish()
    }
}

impl Sample for Heap {
    type Observation = HeapState;

    fn observe(state: &HeapState, _viewer: Viewer) -> HeapState {
        state.clone()
    }

    fn draw_state(
        config: &HeapConfig,
        observation: &HeapState,
        _chance: &mut ChanceStream,
    ) -> Result<HeapState, FieldError> {
        if observation.most == config.most {
            Ok(observation.clone())
        } else {
            FieldError::refuse("observation", "belongs to another match")
        }
    }

    fn viewer(_observation: &HeapState) -> Viewer {
        Viewer::Spectator
    }

    fn redeal(
        _config: &HeapConfig,
        _seats: SeatCount,
        setup: &u8,
        _viewer: Viewer,
        _chance: &mut ChanceStream,
    ) -> u8 {
        *setup
    }
}

impl Show for Heap {}

impl Options for Heap {}

fn no_stones<T>() -> Result<T, FieldError> {
    FieldError::refuse("stones", "0 is out of range (1..=255)")
}
