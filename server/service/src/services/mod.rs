//! The unary and server-streaming services.

mod catalog;
mod match_desk;
mod named_reasons;
mod prompt_requests;
mod supported;

pub(crate) use catalog::Catalog;
pub(crate) use match_desk::MatchDesk;
pub(crate) use named_reasons::NamedReasons;
pub(crate) use prompt_requests::PromptRequests;
