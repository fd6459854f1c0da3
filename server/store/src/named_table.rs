//! The tables of named rows.

/// A table of named rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamedTable {
    /// API keys, by key id.
    Key,
    /// Last uses of API keys, by key id. They are in a separate table because recording a use must
    /// not change the [version](crate::KeysVersion) of the keys.
    KeyUse,
    /// Secrets of the server, by name.
    Secret,
    /// Records that change together with matches, by name.
    Record,
    /// Ladders, by ladder id.
    Ladder,
    /// Bot versions, by [`version_name`](crate::named_rows::version_name).
    LadderVersion,
    /// Ladder matches, by [`match_name`](crate::named_rows::match_name).
    LadderMatch,
}

impl NamedTable {
    pub(crate) const ALL: [Self; 7] = [
        Self::Key,
        Self::KeyUse,
        Self::Secret,
        Self::Record,
        Self::Ladder,
        Self::LadderVersion,
        Self::LadderMatch,
    ];

    /// Name of the table in a database. Checksums include the name, so a row that is moved to
    /// another table is invalid.
    pub(crate) const fn sql_name(self) -> &'static str {
        match self {
            Self::Key => "api_key",
            Self::KeyUse => "api_key_use",
            Self::Secret => "secret",
            Self::Record => "record",
            Self::Ladder => "ladder",
            Self::LadderVersion => "ladder_version",
            Self::LadderMatch => "ladder_match",
        }
    }

    /// Returns whether the table belongs to the API keys. Reads of keys must not wait for other
    /// reads.
    pub(crate) fn is_of_keys(self) -> bool {
        matches!(self, Self::Key | Self::KeyUse)
    }
}
