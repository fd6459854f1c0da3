//! The matches of a server: who may join them, the referee of each, its clock and its followers.

mod clock;
mod closing;
mod context;
mod gates;
mod hosted_match;
mod ids;
mod lifecycle;
mod live_match;
mod lookup;
mod matches;
mod outbound;
mod query;
mod reading;
mod recovering;
mod roster;
mod seat_key;
mod seat_stream;
mod set_aside;
mod spectators;
mod stored_match;
mod timer;

pub(crate) use hosted_match::HostedMatch;
pub(crate) use ids::Ticket;
pub(crate) use live_match::LiveMatch;
pub(crate) use lookup::Viewer;
pub(crate) use matches::{Making, Matches};
pub(crate) use outbound::Closing;
pub(crate) use query::MatchQuery;
pub(crate) use reading::Reader;
pub(crate) use seat_key::SeatKey;
pub(crate) use seat_stream::SeatStream;
pub(crate) use spectators::SharedNews;
pub(crate) use stored_match::StoredMatch;
