//! One match group: its key, its state and its stored records.

use bridgemaster_edge::limits::MAX_GROUP_MATCHES;
use bridgemaster_proto::{
    internal::v1::GroupNote,
    v1::{MatchGroup, SeedReveal},
};
use bridgemaster_store::Write;
use prost::Message as _;

use crate::journal::CommitGate;

/// The prefix of the record names of open groups.
pub(crate) const OPEN_RECORD_PREFIX: &str = "group\n";
/// The prefix of the record names of ended groups.
pub(crate) const OVER_RECORD_PREFIX: &str = "group over\n";

/// Identifies a group by the API key that creates its matches and by the identifier that the key's
/// holder chose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupKey(String);

impl GroupKey {
    /// Returns the group key of a match that `maker` created, if the group withholds its seeds.
    pub(crate) fn if_seeds_withheld(
        group: Option<&MatchGroup>,
        maker: Option<&str>,
    ) -> Option<Self> {
        let group = group.filter(|group| group.seed_reveal() == SeedReveal::WithGroup)?;
        Some(Self::new(&group.group_id, maker))
    }

    /// Returns the key of `maker`'s group with this identifier.
    pub(crate) fn new(group_id: &str, maker: Option<&str>) -> Self {
        Self(format!("{}\n{group_id}", maker.unwrap_or_default()))
    }

    /// Returns the name of the record that marks the group as ended.
    pub(crate) fn over_record_name(&self) -> String {
        format!("{OVER_RECORD_PREFIX}{}", self.0)
    }

    /// Parses the record name of an open group.
    pub(super) fn from_open_record_name(name: &str) -> Option<Self> {
        name.strip_prefix(OPEN_RECORD_PREFIX).map(|key| Self(key.to_owned()))
    }

    /// Returns the group's record name while the group is open.
    pub(super) fn open_record_name(&self) -> String {
        format!("{OPEN_RECORD_PREFIX}{}", self.0)
    }

    pub(super) fn maker(&self) -> &str {
        self.0.split_once('\n').map_or("", |(maker, _)| maker)
    }
}

/// The public state of an open group.
#[derive(Debug)]
pub(super) struct Group {
    /// The number of matches in a complete group.
    pub(super) matches: u32,
    /// For each match number, whether a finished match with that number counts as a result.
    pub(super) played: Vec<bool>,
    pub(super) in_play: usize,
    pub(super) is_closed: bool,
    /// The gate of the commit that ended the group; `None` while the group is open. The inner
    /// `None` means that there is no store.
    pub(super) over: Option<Option<CommitGate>>,
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

    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let record = GroupNote::decode(bytes).map_err(|error| error.to_string())?;
        if record.matches > MAX_GROUP_MATCHES {
            return Err(format!("it has {} matches", record.matches));
        }
        let mut group = Self::new(record.matches);
        for number in record.played {
            group.mark_played(number);
        }
        group.is_closed = record.is_closed;
        Ok(group)
    }

    pub(super) fn record(&self) -> Vec<u8> {
        let numbers = (0..).zip(&self.played);
        let record = GroupNote {
            matches: self.matches,
            played: numbers.filter_map(|(number, played)| played.then_some(number)).collect(),
            is_closed: self.is_closed,
        };
        record.encode_to_vec()
    }

    /// Returns the write that stores the group while it is open.
    pub(super) fn put_record(&self, key: &GroupKey) -> Write {
        Write::PutRecord { name: key.open_record_name(), value: self.record() }
    }

    pub(super) fn mark_played(&mut self, number: u32) {
        let place = usize::try_from(number).ok();
        if let Some(played) = place.and_then(|place| self.played.get_mut(place)) {
            *played = true;
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        let is_all_played = self.played.iter().all(|played| *played);
        self.in_play == 0 && (self.is_closed || is_all_played)
    }

    pub(super) fn is_end_committed(&self) -> bool {
        let gate = self.over.as_ref();
        gate.is_some_and(|gate| gate.as_ref().is_none_or(CommitGate::is_open))
    }
}

/// Returns the writes that update the record of an open group. For a complete group, the writes
/// replace this record with the record that marks the group as ended.
pub(super) fn group_record_writes(key: &GroupKey, open: &Group) -> Vec<Write> {
    if !open.is_complete() {
        return vec![open.put_record(key)];
    }
    let over = Write::PutRecord { name: key.over_record_name(), value: open.record() };
    vec![Write::RemoveRecord { name: key.open_record_name() }, over]
}
