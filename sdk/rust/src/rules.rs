//! Typed requests and the referee's own rules, for bots that search.
//!
//! [`WithRules`] makes a [`Bot`] of a [`RulesBot`], which sees typed positions only:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use bridgemaster_sdk::{ClockView, rules::{Position, RulesBot, WithRules}};
//! use bridgemaster_games::{
//!     ChanceStream, Game as _, NoEvents, Sample as _, Seed, Viewer,
//!     old_london_bridge::{Decision, OldLondonBridge},
//! };
//!
//! /// Takes what leaves it with the most money.
//! struct Miser(ChanceStream);
//!
//! impl RulesBot<OldLondonBridge> for Miser {
//!     fn decide(&mut self, position: &Position<'_, OldLondonBridge>, _: ClockView) -> Decision {
//!         let seat = position.seat();
//!         let money_after = |decision: &&Decision| {
//!             let mut state = position.sample_state(&mut self.0).ok()?;
//!             OldLondonBridge::apply(&mut state, seat, decision, &mut NoEvents).ok()?;
//!             let seen = OldLondonBridge::observe(&state, Viewer::Seat(seat));
//!             Some(seen.seats[seat.index()].money)
//!         };
//!         *position.legal().iter().max_by_key(money_after).unwrap_or(&position.legal()[0])
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     let miser = Miser(ChanceStream::new(&Seed::from(1), 0));
//!     bridgemaster_sdk::run("miser", WithRules::new(miser))
//! }
//! ```

use std::marker::PhantomData;

use bridgemaster_games::{ChanceStream, FieldError, LegalList, Seat, SeatCount};
use bridgemaster_proto::{
    games::{WireError, WireGame},
    v1,
};
use thiserror::Error;
use tracing::{error, warn};

use crate::{Bot, Choice, ClockView, Request};

/// What stays the same during a match: the config and the seats.
#[derive(Clone, Debug)]
pub struct MatchRules<G: WireGame> {
    config: G::Config,
    seats: SeatCount,
    seat: Seat,
}

impl<G: WireGame> MatchRules<G> {
    /// Reads both from the first message of a match.
    ///
    /// # Errors
    /// When the match is of another game or of other rules than this program's.
    pub fn from_started(started: &v1::MatchStarted) -> Result<Self, RulesError> {
        let config = started
            .config
            .as_ref()
            .ok_or(RulesError::Missing("config"))?;
        let game = config
            .game
            .as_ref()
            .ok_or(RulesError::Missing("config.game"))?;
        let config_of_game = G::config_from_wire(game)?;
        if started.rules_version != G::RULES_VERSION {
            return Err(RulesError::RulesVersion {
                game: G::ID,
                server: started.rules_version,
                local: G::RULES_VERSION,
            });
        }
        let seats = u8::try_from(config.seats).ok().and_then(SeatCount::new);
        let seats = seats.ok_or(RulesError::OutOfRange("config.seats"))?;
        let seat = u8::try_from(started.seat).ok().and_then(Seat::new);
        let seat = seat
            .filter(|seat| seats.contains(*seat))
            .ok_or(RulesError::OutOfRange("seat"))?;
        Ok(Self {
            config: config_of_game,
            seats,
            seat,
        })
    }

    /// Reads a request.
    ///
    /// # Errors
    /// When a part of it is missing or not valid under this config.
    pub fn position(&self, request: &v1::DecisionRequest) -> Result<Position<'_, G>, RulesError> {
        let game = request.game.as_ref().ok_or(RulesError::Missing("game"))?;
        let (observation, legal) = G::request_from_wire(game, &self.config)?;
        if legal.is_empty() {
            return Err(RulesError::Missing("game.legal_decisions"));
        }
        let legal_list = if request.legal_decisions_cut {
            LegalList::Cut
        } else {
            LegalList::Complete
        };
        Ok(Position {
            rules: self,
            observation,
            legal,
            legal_list,
        })
    }
}

/// A typed request.
#[derive(Clone, Debug)]
pub struct Position<'a, G: WireGame> {
    rules: &'a MatchRules<G>,
    observation: G::Observation,
    legal: Vec<G::Decision>,
    legal_list: LegalList,
}

impl<G: WireGame> Position<'_, G> {
    /// The seat that decides.
    pub fn seat(&self) -> Seat {
        self.rules.seat
    }

    /// How many seats play.
    pub fn seats(&self) -> SeatCount {
        self.rules.seats
    }

    /// The config of the match.
    pub fn config(&self) -> &G::Config {
        &self.rules.config
    }

    /// The observation of the seat.
    pub fn observation(&self) -> &G::Observation {
        &self.observation
    }

    /// The listed legal decisions in canonical order: at least one.
    pub fn legal(&self) -> &[G::Decision] {
        &self.legal
    }

    /// Whether there are further legal decisions than the listed ones.
    pub fn legal_list(&self) -> LegalList {
        self.legal_list
    }

    /// A complete state that fits the observation, with the hidden facts drawn from `chance`: the
    /// root of a search.
    ///
    /// # Errors
    /// When no state fits the observation. A server that follows the rules never sends such a one.
    pub fn sample_state(&self, chance: &mut ChanceStream) -> Result<G::State, FieldError> {
        G::sample_state(&self.rules.config, &self.observation, chance)
    }
}

/// Decides on typed positions of one game.
pub trait RulesBot<G: WireGame>: Send {
    /// A legal decision. The clock counts down.
    fn decide(&mut self, position: &Position<'_, G>, clock: ClockView) -> G::Decision;

    /// What the bot says of the decision that it gave last, for people who look at the match: see
    /// [`Choice::with_note`]. Empty for nothing.
    fn note(&mut self) -> String {
        String::new()
    }
}

/// Makes a [`Bot`] of a [`RulesBot`]. In a match that it cannot read, because of another game or
/// rules version, it logs an error and resigns at its first request.
#[derive(Debug)]
pub struct WithRules<G: WireGame, B> {
    bot: B,
    rules: Option<MatchRules<G>>,
    game: PhantomData<G>,
}

impl<G: WireGame, B: RulesBot<G>> WithRules<G, B> {
    /// Plays with `bot`.
    pub fn new(bot: B) -> Self {
        Self {
            bot,
            rules: None,
            game: PhantomData,
        }
    }
}

impl<G: WireGame, B: RulesBot<G>> Bot for WithRules<G, B> {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.rules = match MatchRules::from_started(started) {
            Ok(rules) => Some(rules),
            Err(cause) => {
                error!(%cause, "the match cannot be read");
                None
            }
        };
    }

    fn decide(&mut self, request: &Request) -> Choice {
        let Some(rules) = &self.rules else {
            return Choice::Resign;
        };
        let position = match rules.position(request) {
            Ok(position) => position,
            Err(cause) => {
                error!(%cause, request_id = request.request_id, "the request cannot be read");
                return Choice::Resign;
            }
        };
        let decision = self.bot.decide(&position, request.clock());
        let choice = match position.legal.iter().position(|listed| *listed == decision) {
            Some(index) => Choice::Index(index),
            None => {
                if position.legal_list == LegalList::Complete {
                    warn!(%decision, "the bot's decision is not in the legal list");
                }
                Choice::Decision(G::decision_to_wire(&decision))
            }
        };
        let note = self.bot.note();
        match note.is_empty() {
            true => choice,
            false => choice.with_note(note),
        }
    }
}

/// Why a match or a request cannot be read.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RulesError {
    /// A field is not set.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// A number is out of the range of every game.
    #[error("{0} is out of range")]
    OutOfRange(&'static str),
    /// The server plays a rules version that this program does not know.
    #[error(
        "the server plays version {server} of the rules of {game}, this program version {local}"
    )]
    RulesVersion {
        /// The game.
        game: &'static str,
        /// The server's version.
        server: u32,
        /// This program's version.
        local: u32,
    },
    /// A part of the game is not valid.
    #[error(transparent)]
    Wire(#[from] WireError),
}
