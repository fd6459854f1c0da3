//! Incremental writing of a replay while its match is played.

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
use crate::wire::{
    SeedSalt, fork_origin, rules_to_wire, rules_without_game, write_record, write_rules,
};

/// Version of this program, stored in the replay.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A match's encoded records. A running match stores bytes instead of messages to save memory.
#[derive(Default)]
pub struct ReplayWriter {
    records: Writer,
    /// Length in bytes of the public records.
    public_bytes: usize,
}

impl ReplayWriter {
    /// Appends the next record. A record with events is public, which also makes all earlier
    /// records public, because the events reveal them.
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

    /// Makes all records so far public. Called when it becomes public which seats have decided.
    pub fn publish(&mut self) {
        self.public_bytes = self.records.as_bytes().len();
    }

    /// The public records from an offset on, encoded as the `records` field of a `Replay`.
    /// [`RecordCursor`](crate::RecordCursor) decodes them.
    pub fn public_from(&self, bytes: usize) -> &[u8] {
        self.records.as_bytes().get(bytes..self.public_bytes).unwrap_or_default()
    }

    /// Frees the buffer's unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.records.shrink_to_fit();
    }

    /// Builds the replay file of a finished match and signs it with `key`. The file has the rules
    /// and the setup from the `referee`, the records, the `result`, and the commitment to the seed
    /// with its `salt`.
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
        let without_game = rules_without_game(rules, true);
        write_rules::<G>(&without_game, &rules.config, field, &mut head);
        head.body(&after_config(referee));
        let tail = Replay {
            result: Some(result),
            seed_commitment: salt.commit(&rules.seed),
            seed_salt: salt.to_hex(),
            ..Replay::default()
        };
        // Concatenating encoded messages merges their fields.
        let mut bytes = head.into_vec();
        bytes.extend_from_slice(self.records.as_bytes());
        bytes.extend(tail.encode_to_vec());
        seal(bytes, key)
    }
}

/// The part of a replay that precedes its records: the rules, including the seed, and the setup. It
/// is secret while the match runs.
pub fn replay_head<G: WireGame>(match_id: &str, referee: &Referee<G>) -> Replay {
    let Replay { setup, opening_events, opening_digest, fork, .. } = after_config(referee);
    Replay {
        config: Some(rules_to_wire(referee.rules(), true)),
        setup,
        opening_events,
        opening_digest,
        fork,
        ..before_config::<G>(match_id)
    }
}

/// The fields before `config`.
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

/// The fields between `config` and the records.
fn after_config<G: WireGame>(referee: &Referee<G>) -> Replay {
    Replay {
        setup: Some(G::setup_to_wire(referee.setup())),
        opening_events: referee.opening_events().iter().map(G::event_to_wire).collect(),
        opening_digest: referee.opening_digest().0,
        fork: referee.rules().fork.as_deref().map(fork_origin),
        ..Replay::default()
    }
}
