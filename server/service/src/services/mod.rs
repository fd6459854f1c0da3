//! The unary and server-streaming services.

mod catalog;
mod configured_ladder;
mod forking;
mod ladder_desk;
mod ladder_news;
mod ladder_wishes;
mod led;
mod lobby_desk;
mod lobby_wishes;
mod match_desk;
mod opened_replay;
mod overview;
mod positions;
mod queue_access;
mod refusal_details;
mod replay_archive;
mod replay_files;
mod replay_sight;
mod request_timeout;
mod rules_desk;
mod shared_streams;
mod supported;
mod waiting;
mod wishes;

pub(crate) use catalog::Catalog;
pub(crate) use configured_ladder::make_configured;
pub(crate) use ladder_desk::LadderDesk;
pub(crate) use led::Led;
pub(crate) use lobby_desk::LobbyDesk;
pub(crate) use match_desk::MatchDesk;
pub(crate) use opened_replay::{OpenedReplay, ReplayDesk};
pub(crate) use refusal_details::RefusalDetails;
pub(crate) use request_timeout::RequestTimeout;
pub(crate) use rules_desk::RulesDesk;
pub(crate) use shared_streams::SharedStreams;
