//! The part of a position that its copies share.

use bridgemaster_games::{SeatCount, Seed, Viewer};
use bridgemaster_proto::games::WireGame;

/// The origin of a position.
pub(crate) struct Root<G: WireGame> {
    pub(crate) config: G::Config,
    pub(crate) seats: SeatCount,
    /// The viewer whose observation the position started from.
    pub(crate) viewer: Viewer,
    /// The seed for the chance results that follow the position.
    pub(crate) seed: Seed,
}
