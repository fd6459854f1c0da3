//! What is fixed before a match begins, its rules apart.

use std::collections::BTreeMap;

use bridgemaster_games::Seat;
use bridgemaster_names::MatchId;
use bridgemaster_proto::{
    games::WireGame,
    v1::{MatchConfig, MatchGroup, OfferPurpose, SeedReveal, SpectatorRules},
};
use bridgemaster_referee::MatchRules;
use bridgemaster_wire::{SeedSalt, rules_beside_the_game};

/// SHA-256 of a ticket: what is kept of it, in memory and on disk. How long it takes to find one
/// tells nothing of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TicketHash([u8; 32]);

impl TicketHash {
    /// The hash of these bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash that these bytes are; `None` unless they are 32.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A seat that is offered to a bot that attends a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSeat {
    /// The queue.
    pub queue_id: String,
    /// The bot, by whose name it plays whatever its Hello says.
    pub bot_name: String,
    /// The version that attends: no other takes the seat.
    pub bot_version: String,
    /// What the match is for.
    pub purpose: OfferPurpose,
}

/// What is fixed before a match begins, its rules apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its identifier.
    pub id: MatchId,
    /// What keeps its seed from being guessed.
    pub salt: SeedSalt,
    /// The hash of the ticket of each seat, in seat order: one a seat. Those that it was made with, or
    /// had when it was recovered.
    pub tickets: Vec<TicketHash>,
    /// Name of the API key that made it, where there are keys.
    pub maker: Option<String>,
    /// When it was made, in ms since 1970 UTC; 0 when that is not known.
    pub created_unix_ms: u64,
    /// What its maker wrote on it.
    pub labels: BTreeMap<String, String>,
    /// The group that it belongs to.
    pub group: Option<MatchGroup>,
    /// How late spectators see it.
    pub spectators: Option<SpectatorRules>,
    /// Names of the API keys that seats are reserved for, by seat.
    pub reserved_for: BTreeMap<Seat, String>,
    /// Seats that are offered to attending bots.
    pub offered: BTreeMap<Seat, OfferedSeat>,
}

impl Origin {
    /// The config of a match of this origin and these rules, without that of its game.
    pub(crate) fn config_beside_the_game<G: WireGame>(
        &self,
        rules: &MatchRules<G>,
        show_seed: bool,
    ) -> MatchConfig {
        MatchConfig {
            group: self.group.clone(),
            spectators: self.spectators,
            ..rules_beside_the_game(rules, show_seed)
        }
    }

    /// Whether its chance is revealed with that of its group, and not when it has ended.
    pub fn is_held_back(&self) -> bool {
        let group = self.group.as_ref();
        group.is_some_and(|group| group.seed_reveal() == SeedReveal::WithGroup)
    }

    /// Whether it is a match of a ladder, which plays again what does not count.
    pub fn is_of_ladder(&self) -> bool {
        self.offered.values().any(|offered| {
            matches!(
                offered.purpose,
                OfferPurpose::Rated | OfferPurpose::Validation | OfferPurpose::Requested
            )
        })
    }

    /// That of a match that nobody is known to have made.
    pub fn new(id: MatchId, salt: SeedSalt, tickets: Vec<TicketHash>) -> Self {
        Self {
            id,
            salt,
            tickets,
            maker: None,
            created_unix_ms: 0,
            labels: BTreeMap::new(),
            group: None,
            spectators: None,
            reserved_for: BTreeMap::new(),
            offered: BTreeMap::new(),
        }
    }
}
