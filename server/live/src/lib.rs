//! The matches that a server hosts, with their tickets, clocks and spectators, and the matches that
//! have recently finished.
//!
//! [`journal`] stores the inputs of all matches, and [`replays`] exports finished matches.

#![forbid(unsafe_code)]

mod clock;
mod context;
#[cfg(test)]
mod counting_waker;
mod creation;
mod delayed;
mod group_repair;
mod groups;
mod hosted_match;
mod ids;
pub mod journal;
mod listing;
mod live_match;
mod lookup;
mod match_index;
mod matches;
mod outbound;
mod placement;
mod quarantine;
mod query;
mod read_limiter;
mod recovery;
mod refusals;
mod relay;
pub mod replays;
mod requests;
mod seat_handle;
mod spectators;
mod stored_match;
mod tickets;
mod view;
mod withhold_reasons;

pub use creation::{CreatedMatch, CreationStart, MatchOptions};
pub use group_repair::{RecordRepair, repair_records};
pub(crate) use groups::Groups;
pub use hosted_match::{HostedMatch, MatchFacts, MatchListener, ReplayUpdate};
pub use ids::{OfferTickets, Ticket, generate_seed};
pub(crate) use live_match::LiveMatch;
pub use matches::Matches;
pub use outbound::{Closing, Outbound};
pub use query::MatchQuery;
pub use read_limiter::{ReadPermit, Reader};
pub use recovery::{RecoveryError, requires_leader};
pub use relay::{Broadcast, BroadcastMessage, BroadcastPoll, BroadcastState, Follower};
pub use requests::IdempotentRequest;
pub use seat_handle::{RedeemedTicket, SeatHandle};
pub use spectators::SharedUpdate;
pub use stored_match::StoredMatch;
pub use tickets::TicketTargets;
pub use view::MatchView;
pub use withhold_reasons::WithheldReplays;
