//! The gRPC services other than `PlayService` and `SeatService`: validation of requests, access
//! checks, and construction of responses.

mod byte_streams;
mod catalog_rpc;
mod configured_ladder;
mod fork;
mod ladder_replay_tar;
mod ladder_rpc;
mod ladder_updates;
mod ladder_validation;
mod leader_only;
mod lobby_rpc;
mod lobby_validation;
mod match_rpc;
mod match_validation;
mod overview;
mod positions;
mod queue_access;
mod refusal_details;
mod replay_access;
mod replay_files;
mod request_timeout;
mod rules_rpc;
mod rules_version;
mod uploaded_replay;
mod wait_for_end;

pub(crate) use byte_streams::ByteStreams;
pub(crate) use catalog_rpc::CatalogRpc;
pub(crate) use configured_ladder::ensure_ladder;
pub(crate) use ladder_rpc::LadderRpc;
pub(crate) use leader_only::LeaderOnly;
pub(crate) use lobby_rpc::LobbyRpc;
pub(crate) use match_rpc::MatchRpc;
pub(crate) use refusal_details::RefusalDetails;
pub(crate) use request_timeout::RequestArrivalTimeout;
pub(crate) use rules_rpc::RulesRpc;
pub(crate) use uploaded_replay::{ReplaySlots, UploadedReplay};
