//! The access rights that filter a caller's reads of matches.

use bridgemaster_store::KeyName;

use super::HostedMatch;

/// The caller of a read, with its access rights.
pub(crate) trait Viewer {
    /// Returns the matches that the caller may see.
    fn visible(&self) -> Visibility<'_>;

    /// Returns whether the caller sees a match without the spectators' delay.
    fn sees_live(&self, hosted: &dyn HostedMatch) -> bool;

    /// Returns whether the caller sees matches of these parties without the spectators' delay.
    fn sees_live_parties(&self, parties: &[KeyName]) -> bool;

    /// Returns whether lists may show the caller an unreadable match that `maker` created. `maker`
    /// is `None` if the key is unknown.
    fn sees_unreadable(&self, maker: Option<&KeyName>) -> bool;
}

/// The matches that a caller may see.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visibility<'a> {
    All,
    /// Only matches in which the key with this name is a party.
    Of(&'a KeyName),
    None,
}
