//! Names for a ladder's states.

use bridgemaster_proto::v1::{Ladder, LadderState};

pub(super) fn state_name(ladder: &Ladder) -> &'static str {
    match ladder.state() {
        LadderState::Open => "open",
        LadderState::Frozen => "frozen",
        LadderState::Closed => "closed",
        LadderState::Unspecified => "(unknown)",
    }
}
