//! The facts about a match that are fixed at its creation, apart from its rules.

use std::collections::BTreeMap;

use bridgemaster_games::Seat;
use bridgemaster_lease::names::MatchId;
use bridgemaster_proto::{
    games::WireGame,
    v1::{MatchConfig, MatchGroup, OfferPurpose, SeedReveal, SpectatorRules},
};
use bridgemaster_referee::MatchRules;
use bridgemaster_replay::wire::{SeedSalt, rules_without_game};

/// SHA-256 of a ticket. Tickets are stored only as hashes, in memory and on disk, so the timing of
/// a lookup reveals nothing about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TicketHash([u8; 32]);

impl TicketHash {
    /// Creates a hash from its bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Creates a hash from a slice. Returns `None` unless the slice has 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The hash's 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A seat that is offered to a bot in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSeat {
    /// Identifier of the queue.
    pub queue_id: String,
    /// The bot's name. The bot plays under this name, whatever name its Hello has.
    pub bot_name: String,
    /// The version with which the bot waits in the queue. Other versions of the bot cannot join the
    /// seat.
    pub bot_version: String,
    /// The purpose of the match.
    pub purpose: OfferPurpose,
}

/// The facts about a match that are fixed at its creation, apart from its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Identifier of the match.
    pub id: MatchId,
    /// The salt of the seed commitment, which prevents guessing the seed.
    pub salt: SeedSalt,
    /// The ticket hashes in seat order, as of the match's creation or recovery.
    pub tickets: Vec<TicketHash>,
    /// Name of the API key that created the match; `None` if the server uses no keys.
    pub maker: Option<String>,
    /// Unix time of the creation, in ms; 0 if unknown.
    pub created_unix_ms: u64,
    /// The labels given in the request.
    pub labels: BTreeMap<String, String>,
    /// The match group that the match belongs to.
    pub group: Option<MatchGroup>,
    /// The delay with which spectators see the match.
    pub spectators: Option<SpectatorRules>,
    /// Names of the API keys that seats are reserved for.
    pub reserved_for: BTreeMap<Seat, String>,
    /// The seats that are offered to bots in queues.
    pub offered: BTreeMap<Seat, OfferedSeat>,
}

impl Origin {
    /// The config of a match with these rules, without the game's own config.
    pub(crate) fn config_without_game<G: WireGame>(
        &self,
        rules: &MatchRules<G>,
        show_seed: bool,
    ) -> MatchConfig {
        MatchConfig {
            group: self.group.clone(),
            spectators: self.spectators,
            ..rules_without_game(rules, show_seed)
        }
    }

    /// Returns whether the seed is revealed only when the match group ends, and not when the match
    /// ends.
    pub fn is_seed_withheld(&self) -> bool {
        let group = self.group.as_ref();
        group.is_some_and(|group| group.seed_reveal() == SeedReveal::WithGroup)
    }

    /// Returns whether the match belongs to a ladder, which replays annulled matches.
    pub fn is_ladder_match(&self) -> bool {
        self.offered.values().any(|offered| {
            matches!(
                offered.purpose,
                OfferPurpose::Rated | OfferPurpose::Validation | OfferPurpose::Requested
            )
        })
    }

    /// Creates an origin without a creator and without options.
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
