//! One group: its name, how it stands, and the notes that keep both in the store.

use bridgemaster_proto::{
    internal::v1::GroupNote,
    v1::{MatchGroup, SeedReveal},
};
use bridgemaster_store::Write;
use prost::Message as _;

use crate::{journal::Gate, limits::MAX_GROUP_MATCHES};

/// What the names of notes begin with of groups that are not over.
pub(in crate::hosting) const OPEN_NOTES: &str = "group\n";
/// The same of groups that are over.
pub(in crate::hosting) const OVER_NOTES: &str = "group over\n";

/// Names a group: the key that makes its matches, and the identifier that it gave the group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey(String);

impl GroupKey {
    /// The group that a match of `maker` belongs to, if its chance is held back with the group's.
    pub(in crate::hosting) fn of(group: Option<&MatchGroup>, maker: Option<&str>) -> Option<Self> {
        let group = group.filter(|group| group.seed_reveal() == SeedReveal::WithGroup)?;
        Some(Self::named(&group.group_id, maker))
    }

    /// The group of this identifier of `maker`.
    pub(in crate::hosting) fn named(group_id: &str, maker: Option<&str>) -> Self {
        Self(format!("{}\n{group_id}", maker.unwrap_or_default()))
    }

    /// Name of the note of a group that is over.
    pub(in crate::hosting) fn over_note(&self) -> String {
        format!("{OVER_NOTES}{}", self.0)
    }

    /// The group whose note has this name, of one that is not over.
    pub(super) fn of_open_note(name: &str) -> Option<Self> {
        name.strip_prefix(OPEN_NOTES)
            .map(|key| Self(key.to_owned()))
    }

    /// Name of the note of a group that is not over.
    pub(super) fn open_note(&self) -> String {
        format!("{OPEN_NOTES}{}", self.0)
    }

    pub(super) fn maker(&self) -> &str {
        self.0.split_once('\n').map_or("", |(maker, _)| maker)
    }
}

/// A group that is not over, as far as everybody may know.
#[derive(Debug)]
pub(super) struct Group {
    /// Numbers that it has.
    pub(super) matches: u32,
    /// Whether each number has a match that ended and counts.
    pub(super) played: Vec<bool>,
    pub(super) in_play: usize,
    pub(super) is_closed: bool,
    /// It is over once this is stored.
    pub(super) over: Option<Option<Gate>>,
}

impl Group {
    pub(super) fn new(matches: u32) -> Self {
        Self {
            matches,
            played: vec![false; usize::try_from(matches).unwrap_or(usize::MAX)],
            in_play: 0,
            is_closed: false,
            over: None,
        }
    }

    /// Reads a note.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let note = GroupNote::decode(bytes).map_err(|error| error.to_string())?;
        if note.matches > MAX_GROUP_MATCHES {
            return Err(format!("it has {} matches", note.matches));
        }
        let mut group = Self::new(note.matches);
        for number in note.played {
            group.has_played(number);
        }
        group.is_closed = note.is_closed;
        Ok(group)
    }

    pub(super) fn note(&self) -> Vec<u8> {
        let numbers = (0..).zip(&self.played);
        let note = GroupNote {
            matches: self.matches,
            played: numbers
                .filter_map(|(number, played)| played.then_some(number))
                .collect(),
            is_closed: self.is_closed,
        };
        note.encode_to_vec()
    }

    pub(super) fn has_played(&mut self, number: u32) {
        let place = usize::try_from(number).ok();
        if let Some(played) = place.and_then(|place| self.played.get_mut(place)) {
            *played = true;
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        let is_all_played = self.played.iter().all(|played| *played);
        self.in_play == 0 && (self.is_closed || is_all_played)
    }

    pub(super) fn is_over_for_all(&self) -> bool {
        let gate = self.over.as_ref();
        gate.is_some_and(|gate| gate.as_ref().is_none_or(Gate::is_open))
    }
}

/// How the note of a group changes that stands so: it is dropped for another once it is over.
pub(super) fn notes(key: &GroupKey, open: &Group) -> Vec<Write> {
    let name = key.open_note();
    if !open.is_complete() {
        let value = open.note();
        return vec![Write::KeepNote { name, value }];
    }
    let over = Write::KeepNote {
        name: key.over_note(),
        value: open.note(),
    };
    vec![Write::DropNote { name }, over]
}
