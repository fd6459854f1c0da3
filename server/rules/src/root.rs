//! What copies of a position share.

use bridgemaster_games::{SeatCount, Seed, Viewer};
use bridgemaster_proto::games::WireGame;

/// What a position began with.
pub(crate) struct Root<G: WireGame> {
    pub(crate) config: G::Config,
    pub(crate) seats: SeatCount,
    /// Whose knowledge the position began with.
    pub(crate) viewer: Viewer,
    /// What chance results after the position are drawn from.
    pub(crate) seed: Seed,
}
