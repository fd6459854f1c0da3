//! From a listening socket to connections that gRPC is spoken on: who gets one, how long an
//! unfinished one may last, and TLS.

mod connection;
mod incoming;
mod origin;
mod places;
mod round_trip;
mod shares;
mod tls;
mod token_buckets;

pub use tls::{Tls, TlsError, TlsFiles};

pub(crate) use connection::ConnectionInfo;
pub(crate) use incoming::incoming;
pub(crate) use origin::Origin;
pub(crate) use places::{CarriesBot, Places};
pub(crate) use round_trip::LeastRoundTrip;
pub(crate) use shares::{Share, Shares};
pub(crate) use token_buckets::TokenBuckets;
