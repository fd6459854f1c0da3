//! The notes of the matches that have ended and that spectators still see late: so a server that
//! starts reads these matches, and no others that ended meanwhile; and of the servers that share a
//! store, one alone shows a match late.

use bridgemaster_match::MatchId;
use bridgemaster_proto::internal::v1::LateMatchNote;
use bridgemaster_store::{Notes, Write};
use prost::Message as _;

/// What the names of these notes begin with.
pub(in super::super) const LATE_NOTES: &str = "late\n";

/// A match that has ended, and that spectators still see late.
pub(in super::super) struct Noted {
    pub(in super::super) id: MatchId,
    /// The node that shows it; empty for a server that is alone.
    pub(in super::super) node: String,
}

/// The note that `node` shows a match late, to be stored with the end of the match.
pub(in super::super) fn note(id: &MatchId, node: &str) -> Write {
    let note = LateMatchNote {
        node: node.to_owned(),
    };
    Write::KeepNote {
        name: name(id),
        value: note.encode_to_vec(),
    }
}

/// What makes the note of a match go, once nothing of it is late.
pub(in super::super) fn dropped(id: &MatchId) -> Write {
    Write::DropNote { name: name(id) }
}

/// The matches that these notes name. Without its note a match is still shown late to whoever asks
/// for it, so what cannot be read is passed over.
pub(in super::super) fn read(notes: Notes) -> Vec<Noted> {
    let read = notes.kept.into_iter().filter_map(|(name, value)| {
        Some(Noted {
            id: MatchId::new(name.strip_prefix(LATE_NOTES)?).ok()?,
            node: node(&value)?,
        })
    });
    read.collect()
}

/// The node that shows a match late, by its note.
pub(in super::super) fn node(note: &[u8]) -> Option<String> {
    Some(LateMatchNote::decode(note).ok()?.node)
}

/// The name of the note of a match.
pub(in super::super) fn name(id: &MatchId) -> String {
    format!("{LATE_NOTES}{id}")
}
