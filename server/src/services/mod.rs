//! The unary and server-streaming services.

mod catalog;
mod match_desk;

pub(crate) use catalog::Catalog;
pub(crate) use match_desk::MatchDesk;
