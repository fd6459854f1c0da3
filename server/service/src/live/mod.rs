//! The matches that a server hosts, with their tickets, clocks and spectators, and the matches that
//! have recently finished.

mod clock;
mod context;
mod creation;
mod delayed;
mod group_repair;
mod groups;
mod hosted_match;
mod ids;
mod listing;
mod live_match;
mod lookup;
mod matches;
mod outbound;
mod placement;
mod quarantine;
mod query;
mod read_limiter;
mod recovery;
mod refusals;
mod relay;
mod requests;
mod roster;
mod seat_handle;
mod spectators;
mod stored_match;
mod tickets;
mod view;
mod withhold_reasons;

pub(crate) use clock::ServerClock;
pub(crate) use creation::{CreatedMatch, CreationStart, MatchOptions};
pub use group_repair::{RecordRepair, repair_records};
pub(crate) use groups::Groups;
pub(crate) use hosted_match::{
    HostedMatch, MatchFacts, MatchListener, ReplayUpdate, Viewer, Visibility,
};
pub(crate) use ids::{OfferTickets, Ticket, generate_seed};
pub(crate) use listing::{PageToken, RemotePages};
pub(crate) use live_match::LiveMatch;
pub(crate) use matches::Matches;
pub(crate) use outbound::{Closing, Outbound};
pub(crate) use query::MatchQuery;
pub(crate) use read_limiter::{ReadPermit, Reader};
pub use recovery::RecoveryError;
pub(crate) use recovery::requires_leader;
pub(crate) use relay::{Broadcast, BroadcastMessage, BroadcastState, Follower, Received};
pub(crate) use requests::IdempotentRequest;
pub(crate) use seat_handle::{RedeemedTicket, SeatHandle};
pub(crate) use spectators::SharedUpdate;
pub(crate) use stored_match::StoredMatch;
pub(crate) use tickets::TicketTargets;
pub(crate) use view::MatchView;
pub use withhold_reasons::WithheldReplays;
