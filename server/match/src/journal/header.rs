//! The header of a match in play: what is needed to begin it again.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::{WireError, WireGame, Writer, field_of},
    internal::v1::{MatchHeader, OfferedSeat as StoredOffer, TakenOver as StoredFork},
    v1::SeedReveal,
};
use bridgemaster_referee::{HistoryId, MatchRules, Time};
use bridgemaster_wire::{
    SeedSalt, TakenOver, fork_to_wire, rules_from_wire, rules_to_wire, seed_from_wire, write_rules,
};
use prost::Message as _;

use super::{FORMAT_VERSION, Unreplayable, VERSION};
use crate::{MatchId, OfferedSeat, Origin, TicketHash};

/// What is needed to begin a match in play again, as it is kept on disk.
#[derive(Debug)]
pub struct Header(MatchHeader);

/// Who has a part in a match that cannot go on, as far as its header tells.
#[derive(Debug, Default)]
pub struct Claims {
    /// The tickets of its seats.
    pub tickets: Vec<TicketHash>,
    /// Name of the key that made it.
    pub maker: Option<String>,
}

impl Claims {
    /// Reads them from a header of any version; what makes no sense is left out.
    pub fn read(header: &[u8]) -> Self {
        let header = MatchHeader::decode(header).unwrap_or_default();
        let tickets = header.ticket_sha256.iter();
        Self {
            tickets: tickets
                .filter_map(|hash| TicketHash::from_bytes(hash))
                .collect(),
            maker: header.maker,
        }
    }
}

/// What a header says, checked.
pub(super) struct Opening<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) origin: Origin,
    pub(super) created_at: Time,
    /// The history in which it was made.
    pub(super) history_id: HistoryId,
}

/// The keys that seats are reserved for, in seat order.
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

/// The offers of a header; one of a seat that no game has is left out.
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

fn taken_over_to_disk<G: WireGame>(rules: &MatchRules<G>) -> Option<StoredFork> {
    let TakenOver {
        origin,
        config: _,
        setup,
        steps,
    } = fork_to_wire(rules.fork.as_deref()?, rules);
    Some(StoredFork {
        origin: Some(origin),
        setup: Some(setup),
        steps,
    })
}

/// What was taken over into a match of these rules; `None` when a part is missing.
fn taken_over_from_disk<G: WireGame>(
    stored: &StoredFork,
    rules: &MatchRules<G>,
) -> Option<TakenOver> {
    Some(TakenOver {
        origin: stored.origin.clone()?,
        config: rules_to_wire(rules, false),
        setup: stored.setup.clone()?,
        steps: stored.steps.clone(),
    })
}

/// The header of a new match: an encoded `MatchHeader`.
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
        ticket_sha256: origin
            .tickets
            .iter()
            .map(|hash| hash.as_bytes().to_vec())
            .collect(),
        created_at_us: created_at.0,
        maker: origin.maker.clone(),
        history_id: history_id.as_bytes().to_vec(),
        created_unix_ms: origin.created_unix_ms,
        labels: origin.labels.clone(),
        reserved_for: reserved_to_disk(origin),
        offered: offered_to_disk(origin),
        taken_over: taken_over_to_disk(rules),
    };
    let mut writer = Writer::default();
    writer.body(&without_config);
    let beside_the_game = origin.config_beside_the_game(rules, true);
    let field = const { field_of::<MatchHeader>("config") };
    write_rules::<G>(&beside_the_game, &rules.config, field, &mut writer);
    writer.into_vec()
}

impl Header {
    /// Whether its match belongs to more than itself: to a group whose chance is held back, or to a
    /// queue in which seats of it are offered. One server keeps all of these.
    pub fn spans_matches(&self) -> bool {
        let group = self
            .0
            .config
            .as_ref()
            .and_then(|config| config.group.as_ref());
        let is_held_back = group.is_some_and(|group| group.seed_reveal() == SeedReveal::WithGroup);
        is_held_back || !self.0.offered.is_empty()
    }

    /// Identifier of the game.
    pub fn game_id(&self) -> &str {
        &self.0.game_id
    }

    /// Reads the header of a match of any game; its fields are checked by [`recover`](crate::recover).
    ///
    /// # Errors
    /// When the bytes are no `MatchHeader`, or one of another format version.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreplayable> {
        let message = MatchHeader::decode(bytes).map_err(|error| Unreplayable::Header {
            field: "header",
            problem: error.to_string(),
        })?;
        if message.format_version != FORMAT_VERSION {
            return Err(Unreplayable::FormatVersion {
                found: message.format_version,
            });
        }
        Ok(Self(message))
    }

    /// Checks the header of the match `id` of `G`.
    pub(super) fn open<G: WireGame>(&self, id: MatchId) -> Result<Opening<G>, Unreplayable> {
        let bad = |field, problem: &dyn ToString| Unreplayable::Header {
            field,
            problem: problem.to_string(),
        };
        let header = &self.0;
        if header.rules_version != G::RULES_VERSION {
            return Err(Unreplayable::RulesVersion {
                game_id: G::ID,
                found: header.rules_version,
                known: G::RULES_VERSION,
                server_version: header.server_version.clone(),
            });
        }
        let config = header.config.as_ref();
        let config = config.ok_or_else(|| bad("config", &"is missing"))?;
        let of_config = |error: WireError| Unreplayable::Header {
            field: "config",
            problem: error.to_string(),
        };
        let seed = seed_from_wire(config).map_err(of_config)?;
        let seed = seed.ok_or_else(|| bad("config.seed", &"is missing"))?;
        let mut rules = rules_from_wire::<G>(config, seed).map_err(of_config)?;
        if let Some(stored) = &header.taken_over {
            let taken_over = taken_over_from_disk(stored, &rules);
            let taken_over = taken_over.ok_or_else(|| bad("taken_over", &"lacks a part"))?;
            let fork = taken_over.fork(&rules);
            let fork = fork.map_err(|error| bad("taken_over", &error.to_string()))?;
            rules.fork = Some(Arc::new(fork));
        }
        let salt = SeedSalt::from_bytes(&header.seed_salt)
            .ok_or_else(|| bad("seed_salt", &"has not 32 bytes"))?;
        let history_id = HistoryId::from_bytes(&header.history_id)
            .ok_or_else(|| bad("history_id", &"has not 16 bytes"))?;
        let tickets: Option<Vec<TicketHash>> = header
            .ticket_sha256
            .iter()
            .map(|bytes| TicketHash::from_bytes(bytes))
            .collect();
        let tickets = tickets
            .filter(|tickets| tickets.len() == usize::from(rules.seats.get()))
            .ok_or_else(|| bad("ticket_sha256", &"is not one SHA-256 for each seat"))?;
        Ok(Opening {
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
