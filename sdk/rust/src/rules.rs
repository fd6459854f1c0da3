//! Typed requests and the referee's own rules, for bots that search.
//!
//! [`WithRules`] turns a [`RulesBot`], which sees only typed positions, into a [`Bot`]:
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
//! /// Picks the decision that leaves it with the most money.
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
use bridgemaster_proto::{games::WireGame, v1};
use thiserror::Error;
use tracing::{error, warn};

use crate::{Bot, Choice, ClockView, Request};

/// The config, the number of seats, and the bot's own seat in a match.
#[derive(Clone, Debug)]
pub struct MatchRules<G: WireGame> {
    config: G::Config,
    seats: SeatCount,
    seat: Seat,
}

impl<G: WireGame> MatchRules<G> {
    /// Reads the values from MatchStarted.
    ///
    /// # Errors
    /// Returns an error if a field is missing or out of range, or the match's game or rules version
    /// differs from this program's.
    pub fn from_started(started: &v1::MatchStarted) -> Result<Self, RulesError> {
        let config = started.config.as_ref().ok_or(RulesError::Missing("config"))?;
        let game = config.game.as_ref().ok_or(RulesError::Missing("config.game"))?;
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
        let seat =
            seat.filter(|seat| seats.contains(*seat)).ok_or(RulesError::OutOfRange("seat"))?;
        Ok(Self { config: config_of_game, seats, seat })
    }

    /// Converts a request to a typed position.
    ///
    /// # Errors
    /// Returns an error if a field is missing, or not valid for this config.
    pub fn position(&self, request: &v1::DecisionRequest) -> Result<Position<'_, G>, RulesError> {
        let game = request.game.as_ref().ok_or(RulesError::Missing("game"))?;
        let (observation, legal) = G::request_from_wire(game, &self.config)?;
        if legal.is_empty() {
            return Err(RulesError::Missing("game.legal_decisions"));
        }
        let legal_list =
            if request.legal_decisions_cut { LegalList::Cut } else { LegalList::Complete };
        Ok(Position { rules: self, observation, legal, legal_list })
    }
}

/// A request with a typed observation and typed decisions.
#[derive(Clone, Debug)]
pub struct Position<'a, G: WireGame> {
    rules: &'a MatchRules<G>,
    observation: G::Observation,
    legal: Vec<G::Decision>,
    legal_list: LegalList,
}

impl<G: WireGame> Position<'_, G> {
    /// Returns the seat that decides.
    pub fn seat(&self) -> Seat {
        self.rules.seat
    }

    /// Returns the number of seats in the match.
    pub fn seats(&self) -> SeatCount {
        self.rules.seats
    }

    /// Returns the match's game config.
    pub fn config(&self) -> &G::Config {
        &self.rules.config
    }

    /// Returns the observation: everything that the seat can see.
    pub fn observation(&self) -> &G::Observation {
        &self.observation
    }

    /// Returns the listed legal decisions, in canonical order. The list is never empty.
    pub fn legal(&self) -> &[G::Decision] {
        &self.legal
    }

    /// Returns whether the list of legal decisions is complete or truncated.
    pub fn legal_list(&self) -> LegalList {
        self.legal_list
    }

    /// Samples a complete state that is consistent with the observation, as the root of a search.
    /// Hidden information is drawn at random from `chance`.
    ///
    /// # Errors
    /// Returns an error if no state is consistent with the observation. A server that follows the
    /// rules never sends such an observation.
    pub fn sample_state(&self, chance: &mut ChanceStream) -> Result<G::State, FieldError> {
        G::sample_state(&self.rules.config, &self.observation, chance)
    }
}

/// A bot that receives typed positions for one game.
pub trait RulesBot<G: WireGame>: Send {
    /// Returns a legal decision for the position. `clock` counts down from the time when the
    /// request was received.
    fn decide(&mut self, position: &Position<'_, G>, clock: ClockView) -> G::Decision;

    /// Returns a note on the last decision, for people who watch the match. The note has at most 1
    /// KiB of UTF-8; an empty string means no note. See [`Choice::with_note`].
    fn note(&mut self) -> String {
        String::new()
    }
}

/// Adapts a [`RulesBot`] to a [`Bot`]. If the match has another game or rules version, the bot logs
/// an error and resigns at the first request.
#[derive(Debug)]
pub struct WithRules<G: WireGame, B> {
    bot: B,
    rules: Option<MatchRules<G>>,
    game: PhantomData<G>,
}

impl<G: WireGame, B: RulesBot<G>> WithRules<G, B> {
    /// Creates a bot whose decisions `bot` makes.
    pub fn new(bot: B) -> Self {
        Self { bot, rules: None, game: PhantomData }
    }
}

impl<G: WireGame, B: RulesBot<G>> Bot for WithRules<G, B> {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.rules = match MatchRules::from_started(started) {
            Ok(rules) => Some(rules),
            Err(cause) => {
                error!(%cause, "cannot read the match");
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
                error!(%cause, request_id = request.request_id, "cannot read the request");
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
        if note.is_empty() { choice } else { choice.with_note(note) }
    }
}

/// An error in a match or a request.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RulesError {
    /// A required field is not set.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// A number is out of range for every game.
    #[error("{0} is out of range")]
    OutOfRange(&'static str),
    /// The server's rules version differs from this program's.
    #[error("rules version of {game}: the server has {server}, this program {local}")]
    RulesVersion {
        /// The game's identifier, such as `alhambra`.
        game: &'static str,
        /// The server's rules version.
        server: u32,
        /// This program's rules version.
        local: u32,
    },
    /// A part of the game message is not valid.
    #[error(transparent)]
    Wire(#[from] FieldError),
}
