//! Writes a replay while its match is played.

use bridgemaster_proto::{
    games::{WireGame, Writer, field_of},
    v1::{MatchResult, Replay},
};
use bridgemaster_referee::{Record, RecordEntry, Referee};
use prost::Message as _;

use super::{
    file::{FORMAT_VERSION, seal},
    signing::SigningKey,
};
use bridgemaster_wire::{
    SeedSalt, fork_origin, rules_beside_the_game, rules_to_wire, write_record, write_rules,
};

/// Version of the program that writes.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The records of a match, encoded as they come: a running match keeps bytes instead of messages.
#[derive(Default)]
pub struct ReplayWriter {
    records: Writer,
    /// Bytes of those that everybody may know of.
    public_bytes: usize,
}

impl ReplayWriter {
    /// Adds a record: records come in the order of their numbers. One with events is public, and
    /// so are all before it: what was secret until then shows with its events.
    pub fn push<G: WireGame>(&mut self, record: &Record<G>) {
        let field = const { field_of::<Replay>("records") };
        write_record(record, field, &mut self.records);
        let has_events = match &record.entry {
            RecordEntry::Decision(decision) => !decision.events.is_empty(),
            RecordEntry::Chance(chance) => !chance.events.is_empty(),
            RecordEntry::Fault { .. } | RecordEntry::Seat(_) => false,
        };
        if has_events {
            self.publish();
        }
    }

    /// All records so far are public: it is no secret who has decided.
    pub fn publish(&mut self) {
        self.public_bytes = self.records.as_bytes().len();
    }

    /// The public records from a place on, for [`RecordPlace`](crate::RecordPlace) to read: each a
    /// field `records` of `Replay`.
    pub fn public_from(&self, bytes: usize) -> &[u8] {
        self.records
            .as_bytes()
            .get(bytes..self.public_bytes)
            .unwrap_or_default()
    }

    /// Gives back the memory that it has for more records.
    pub fn shrink_to_fit(&mut self) {
        self.records.shrink_to_fit();
    }

    /// The bytes of the replay file of a match that has ended, signed with `key`: its rules and
    /// setup from the `referee`, the records, `result`, and the commitment to its seed by `salt`.
    pub fn finish<G: WireGame>(
        self,
        match_id: &str,
        referee: &Referee<G>,
        salt: &SeedSalt,
        result: MatchResult,
        key: &SigningKey,
    ) -> Vec<u8> {
        let rules = referee.rules();
        let mut head = Writer::default();
        head.body(&before_config::<G>(match_id));
        let field = const { field_of::<Replay>("config") };
        let beside_the_game = rules_beside_the_game(rules, true);
        write_rules::<G>(&beside_the_game, &rules.config, field, &mut head);
        head.body(&after_config(referee));
        let tail = Replay {
            result: Some(result),
            seed_commitment: salt.commit(&rules.seed),
            seed_salt: salt.to_hex(),
            ..Replay::default()
        };
        // Encoded messages that are put one after the other are one message.
        let mut bytes = head.into_vec();
        bytes.extend_from_slice(self.records.as_bytes());
        bytes.extend(tail.encode_to_vec());
        seal(bytes, key)
    }
}

/// What stands in the replay of a match before its records: its rules, seed included, and its setup.
/// Secret while the match runs.
pub fn replay_head<G: WireGame>(match_id: &str, referee: &Referee<G>) -> Replay {
    let Replay {
        setup,
        opening_events,
        opening_digest,
        fork,
        ..
    } = after_config(referee);
    Replay {
        config: Some(rules_to_wire(referee.rules(), true)),
        setup,
        opening_events,
        opening_digest,
        fork,
        ..before_config::<G>(match_id)
    }
}

/// The fields of the head that stand before `config`.
fn before_config<G: WireGame>(match_id: &str) -> Replay {
    Replay {
        format_version: FORMAT_VERSION,
        match_id: match_id.to_owned(),
        game_id: G::ID.to_owned(),
        rules_version: G::RULES_VERSION,
        server_version: VERSION.to_owned(),
        data_notes: G::NOTES.iter().map(|&note| note.to_owned()).collect(),
        ..Replay::default()
    }
}

/// The fields of the head that stand after it.
fn after_config<G: WireGame>(referee: &Referee<G>) -> Replay {
    Replay {
        setup: Some(G::setup_to_wire(referee.setup())),
        opening_events: referee
            .opening_events()
            .iter()
            .map(G::event_to_wire)
            .collect(),
        opening_digest: referee.opening_digest().0,
        fork: referee.rules().fork.as_deref().map(fork_origin),
        ..Replay::default()
    }
}
