//! The stored header of a match in play.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::{FieldError, WireGame, Writer, field_of},
    internal::v1::{ForkedPrefix, MatchHeader, OfferedSeat as StoredOffer},
    v1::SeedReveal,
};
use bridgemaster_referee::{HistoryId, MatchRules, Time};
use bridgemaster_replay::wire::{
    ForkSource, SeedSalt, fork_to_wire, rules_from_wire, rules_to_wire, seed_from_wire, write_rules,
};
use prost::Message as _;
use thiserror::Error;

use super::{FORMAT_VERSION, VERSION};
use crate::{MatchId, OfferedSeat, Origin, TicketHash};

/// The header of a match in play: everything needed to create it again.
#[derive(Debug)]
pub struct Header(MatchHeader);

/// The reason why a match in play cannot be recovered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreplayable {
    /// The journal has an unsupported format version.
    #[error("journal format version {found} is not supported (supported: {FORMAT_VERSION})")]
    FormatVersion {
        /// The version found in the header.
        found: u32,
    },
    /// The game is unknown to this version.
    #[error("the game {game_id:?} is not supported by this version")]
    UnknownGame {
        /// The identifier found in the header.
        game_id: String,
    },
    /// The match was created with another version of the rules.
    #[error(
        "the match uses rules version {found} of {game_id}, which is not supported \
         (supported: {supported}); run version {server_version} of the program"
    )]
    RulesVersion {
        /// Identifier of the game.
        game_id: &'static str,
        /// The rules version of the match.
        found: u32,
        /// The supported rules version.
        supported: u32,
        /// Version of the program that created the match.
        server_version: String,
    },
    /// A field of the header is invalid.
    #[error("header field {0}")]
    Header(FieldError),
    /// A journal entry is invalid.
    #[error("journal entry {number}: {problem}")]
    Entry {
        /// The entry's number, counted from 0.
        number: u64,
        /// Description of the error.
        problem: String,
    },
    /// Replaying an entry leads to a state that differs from the state in the journal.
    #[error(
        "after journal entry {number}, {what} is {replayed}, but was {written} when the match was \
         played"
    )]
    Differs {
        /// The entry's number, counted from 0.
        number: u64,
        /// Name of the value that differs.
        what: &'static str,
        /// The replayed match's value.
        replayed: String,
        /// The value that the journal has.
        written: String,
    },
}

impl From<FieldError> for Unreplayable {
    fn from(error: FieldError) -> Self {
        Self::Header(error)
    }
}

/// The parties to a match that cannot be recovered, read from the valid parts of its header.
#[derive(Debug, Default)]
pub struct MatchParties {
    /// The seats' ticket hashes, in seat order.
    pub tickets: Vec<TicketHash>,
    /// Name of the API key that created the match.
    pub maker: Option<String>,
}

impl MatchParties {
    /// Decodes the match's parties from a header of any version. Invalid fields are ignored.
    pub fn read(header: &[u8]) -> Self {
        let header = MatchHeader::decode(header).unwrap_or_default();
        let tickets = header.ticket_sha256.iter();
        Self {
            tickets: tickets.filter_map(|hash| TicketHash::from_bytes(hash)).collect(),
            maker: header.maker,
        }
    }
}

/// The validated contents of a header.
pub(super) struct OpenedHeader<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) origin: Origin,
    pub(super) created_at: Time,
    /// The history in which the match was created.
    pub(super) history_id: HistoryId,
}

/// Names of the API keys that seats are reserved for, in seat order.
fn reserved_to_disk(origin: &Origin) -> Vec<String> {
    if origin.reserved_for.is_empty() {
        return Vec::new();
    }
    let seats = (0..).filter_map(Seat::new).take(origin.tickets.len());
    let names = seats.map(|seat| origin.reserved_for.get(&seat).cloned());
    names.map(Option::unwrap_or_default).collect()
}

fn reserved_from_disk(names: &[String]) -> BTreeMap<Seat, String> {
    let seats = (0..).filter_map(Seat::new).zip(names);
    let reserved = seats.filter(|(_, name)| !name.is_empty());
    reserved.map(|(seat, name)| (seat, name.clone())).collect()
}

fn offered_to_disk(origin: &Origin) -> Vec<StoredOffer> {
    let offered = origin.offered.iter().map(|(seat, offered)| StoredOffer {
        seat: seat.number().into(),
        queue_id: offered.queue_id.clone(),
        bot_name: offered.bot_name.clone(),
        bot_version: offered.bot_version.clone(),
        purpose: offered.purpose.into(),
    });
    offered.collect()
}

/// Decodes a header's offers. Offers of invalid seats are ignored.
fn offered_from_disk(offers: &[StoredOffer]) -> BTreeMap<Seat, OfferedSeat> {
    let offered = offers.iter().filter_map(|stored| {
        let seat = u8::try_from(stored.seat).ok().and_then(Seat::new)?;
        let offered = OfferedSeat {
            queue_id: stored.queue_id.clone(),
            bot_name: stored.bot_name.clone(),
            bot_version: stored.bot_version.clone(),
            purpose: stored.purpose(),
        };
        Some((seat, offered))
    });
    offered.collect()
}

fn forked_prefix_to_disk<G: WireGame>(rules: &MatchRules<G>) -> Option<ForkedPrefix> {
    let ForkSource { origin, config: _, setup, steps } =
        fork_to_wire(rules.fork.as_deref()?, rules);
    Some(ForkedPrefix { origin: Some(origin), setup: Some(setup), steps })
}

/// Decodes the fork of a match with these rules. Returns `None` if a part is missing.
fn forked_prefix_from_disk<G: WireGame>(
    stored: &ForkedPrefix,
    rules: &MatchRules<G>,
) -> Option<ForkSource> {
    Some(ForkSource {
        origin: stored.origin.clone()?,
        config: rules_to_wire(rules, false),
        setup: stored.setup.clone()?,
        steps: stored.steps.clone(),
    })
}

/// Encodes a new match as a `MatchHeader`.
pub(crate) fn write_header<G: WireGame>(
    rules: &MatchRules<G>,
    origin: &Origin,
    created_at: Time,
    history_id: HistoryId,
) -> Vec<u8> {
    let without_config = MatchHeader {
        format_version: FORMAT_VERSION,
        game_id: G::ID.to_owned(),
        rules_version: G::RULES_VERSION,
        server_version: VERSION.to_owned(),
        config: None,
        seed_salt: origin.salt.as_bytes().to_vec(),
        ticket_sha256: origin.tickets.iter().map(|hash| hash.as_bytes().to_vec()).collect(),
        created_at_us: created_at.0,
        maker: origin.maker.clone(),
        history_id: history_id.as_bytes().to_vec(),
        created_unix_ms: origin.created_unix_ms,
        labels: origin.labels.clone(),
        reserved_for: reserved_to_disk(origin),
        offered: offered_to_disk(origin),
        forked_prefix: forked_prefix_to_disk(rules),
    };
    let mut writer = Writer::default();
    writer.body(&without_config);
    let without_game = origin.config_without_game(rules, true);
    let field = const { field_of::<MatchHeader>("config") };
    write_rules::<G>(&without_game, &rules.config, field, &mut writer);
    writer.into_vec()
}

impl Header {
    /// Returns whether only a cluster's leader may host the match. This applies to matches in a
    /// group whose seed is withheld, and to matches whose seats a queue offers.
    pub fn requires_leader(&self) -> bool {
        let config = self.0.config.as_ref();
        let mut groups = config.iter().filter_map(|config| config.group.as_ref());
        let is_seed_withheld = groups.any(|group| group.seed_reveal() == SeedReveal::WithGroup);
        is_seed_withheld || !self.0.offered.is_empty()
    }

    /// Identifier of the match's game.
    pub fn game_id(&self) -> &str {
        &self.0.game_id
    }

    /// Decodes a match header, whatever its game is. Its fields are validated by
    /// [`recover`](crate::recover).
    ///
    /// # Errors
    /// Returns an error if the bytes are not a `MatchHeader`, or have another format version.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreplayable> {
        let message =
            MatchHeader::decode(bytes).map_err(|error| FieldError::new("header", error))?;
        if message.format_version != FORMAT_VERSION {
            return Err(Unreplayable::FormatVersion { found: message.format_version });
        }
        Ok(Self(message))
    }

    /// Validates the header of match `id`, whose game is `G`.
    pub(super) fn open<G: WireGame>(&self, id: MatchId) -> Result<OpenedHeader<G>, Unreplayable> {
        let header = &self.0;
        if header.rules_version != G::RULES_VERSION {
            return Err(Unreplayable::RulesVersion {
                game_id: G::ID,
                found: header.rules_version,
                supported: G::RULES_VERSION,
                server_version: header.server_version.clone(),
            });
        }
        let config = header.config.as_ref();
        let config = config.ok_or_else(|| FieldError::new("config", "is missing"))?;
        let config_error = |error: FieldError| FieldError::new("config", error);
        let seed = seed_from_wire(config).map_err(config_error)?;
        let seed = seed.ok_or_else(|| FieldError::new("config.seed", "is missing"))?;
        let mut rules = rules_from_wire::<G>(config, seed).map_err(config_error)?;
        if let Some(stored) = &header.forked_prefix {
            let prefix = forked_prefix_from_disk(stored, &rules);
            let prefix = prefix.ok_or_else(|| FieldError::new("forked_prefix", "is incomplete"))?;
            let fork = prefix.fork(&rules);
            let fork = fork.map_err(|error| FieldError::new("forked_prefix", error))?;
            rules.fork = Some(Arc::new(fork));
        }
        let salt = SeedSalt::from_bytes(&header.seed_salt)
            .ok_or_else(|| FieldError::new("seed_salt", "must have 32 bytes"))?;
        let history_id = HistoryId::from_bytes(&header.history_id)
            .ok_or_else(|| FieldError::new("history_id", "must have 16 bytes"))?;
        let tickets: Option<Vec<TicketHash>> =
            header.ticket_sha256.iter().map(|bytes| TicketHash::from_bytes(bytes)).collect();
        let tickets = tickets
            .filter(|tickets| tickets.len() == usize::from(rules.seats.get()))
            .ok_or_else(|| FieldError::new("ticket_sha256", "must have one SHA-256 per seat"))?;
        Ok(OpenedHeader {
            rules,
            origin: Origin {
                maker: header.maker.clone(),
                created_unix_ms: header.created_unix_ms,
                labels: header.labels.clone(),
                group: config.group.clone(),
                spectators: config.spectators,
                reserved_for: reserved_from_disk(&header.reserved_for),
                offered: offered_from_disk(&header.offered),
                ..Origin::new(id, salt, tickets)
            },
            created_at: Time(header.created_at_us),
            history_id,
        })
    }
}
