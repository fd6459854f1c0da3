//! The header of a match in play: what is needed to begin it again.

use bridgemaster_proto::{games::WireGame, v1::MatchConfig};
use bridgemaster_referee::{MatchRules, Time};
use bridgemaster_store::KeyName;
use prost::Message as _;

use super::{FORMAT_VERSION, Unreplayable};
use crate::{
    VERSION,
    hosting::TicketHash,
    wire::{SeedSalt, rules_from_wire, rules_to_wire},
};

/// A match in play without its inputs. Kept as protobuf: fields are added, never changed.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Header {
    /// [`FORMAT_VERSION`] of the program that wrote it. Says how the rest and the entries are to
    /// be understood.
    #[prost(uint32, tag = "1")]
    format_version: u32,
    /// Identifier of the game.
    #[prost(string, tag = "2")]
    pub(crate) game_id: String,
    /// Version of the game's rules: others may lead to another state by the same inputs.
    #[prost(uint32, tag = "3")]
    rules_version: u32,
    /// Version of the program that made the match, for people.
    #[prost(string, tag = "4")]
    server_version: String,
    /// The rules, every default filled in, with the seed.
    #[prost(message, optional, tag = "5")]
    config: Option<MatchConfig>,
    /// Salt of the commitment to the seed, as 64 lower hex digits.
    #[prost(string, tag = "6")]
    seed_salt: String,
    /// SHA-256 of the ticket of each seat, in seat order: who reads the store cannot play.
    #[prost(bytes = "vec", repeated, tag = "7")]
    ticket_sha256: Vec<Vec<u8>>,
    /// When the match was made, in µs of the server's clock.
    #[prost(uint64, tag = "8")]
    created_at_us: u64,
    /// Name of the API key that made it; not set on a server that asks for none.
    #[prost(string, optional, tag = "9")]
    maker: Option<String>,
}

/// Who has a part in a match that cannot go on, as far as its header tells.
#[derive(Default)]
pub(crate) struct Claims {
    pub(crate) tickets: Vec<TicketHash>,
    pub(crate) maker: Option<KeyName>,
}

impl Claims {
    /// Reads them from a header of any version; what makes no sense is left out.
    pub(crate) fn read(header: &[u8]) -> Self {
        let header = Header::decode(header).unwrap_or_default();
        let tickets = header.ticket_sha256.iter();
        Self {
            tickets: tickets
                .filter_map(|hash| TicketHash::from_bytes(hash))
                .collect(),
            maker: header.maker.and_then(|maker| KeyName::new(maker).ok()),
        }
    }
}

/// What a header says, checked.
pub(super) struct Opening<G: WireGame> {
    pub(super) rules: MatchRules<G>,
    pub(super) salt: SeedSalt,
    pub(super) tickets: Vec<TicketHash>,
    pub(super) created_at: Time,
    pub(super) maker: Option<KeyName>,
}

impl Header {
    /// The header of a new match.
    pub(crate) fn new<G: WireGame>(
        rules: &MatchRules<G>,
        salt: &SeedSalt,
        tickets: &[TicketHash],
        created_at: Time,
        maker: Option<&KeyName>,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            game_id: G::ID.to_owned(),
            rules_version: G::RULES_VERSION,
            server_version: VERSION.to_owned(),
            config: Some(rules_to_wire(rules, true)),
            seed_salt: salt.to_hex(),
            ticket_sha256: tickets
                .iter()
                .map(|hash| hash.as_bytes().to_vec())
                .collect(),
            created_at_us: created_at.0,
            maker: maker.map(ToString::to_string),
        }
    }

    /// Reads the header of a match of any game.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreplayable> {
        let header = Self::decode(bytes).map_err(|error| Unreplayable::Header {
            field: "header",
            problem: error.to_string(),
        })?;
        if header.format_version != FORMAT_VERSION {
            return Err(Unreplayable::FormatVersion {
                found: header.format_version,
            });
        }
        Ok(header)
    }

    /// Checks the header of a match of `G`.
    pub(super) fn open<G: WireGame>(&self) -> Result<Opening<G>, Unreplayable> {
        let bad = |field, problem: &dyn ToString| Unreplayable::Header {
            field,
            problem: problem.to_string(),
        };
        if self.rules_version != G::RULES_VERSION {
            return Err(Unreplayable::RulesVersion {
                game_id: G::ID,
                found: self.rules_version,
                known: G::RULES_VERSION,
                server_version: self.server_version.clone(),
            });
        }
        let config = self.config.as_ref();
        let config = config.ok_or_else(|| bad("config", &"is missing"))?;
        if config.seed.is_none() {
            return Err(bad("config.seed", &"is missing"));
        }
        let rules = rules_from_wire::<G>(config)
            .map_err(|refusal| bad("config", &tonic::Status::from(refusal).message()))?;
        let salt = SeedSalt::from_hex(&self.seed_salt)
            .ok_or_else(|| bad("seed_salt", &"is not 64 lower hex digits"))?;
        let tickets: Option<Vec<TicketHash>> = self
            .ticket_sha256
            .iter()
            .map(|bytes| TicketHash::from_bytes(bytes))
            .collect();
        let tickets = tickets
            .filter(|tickets| tickets.len() == usize::from(rules.seats.get()))
            .ok_or_else(|| bad("ticket_sha256", &"is not one SHA-256 for each seat"))?;
        let maker = self.maker.as_deref().map(KeyName::new).transpose();
        Ok(Opening {
            maker: maker.map_err(|error| bad("maker", &error))?,
            rules,
            salt,
            tickets,
            created_at: Time(self.created_at_us),
        })
    }
}
