//! A server process over a data folder.

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, GetReplayRequest, ListMatchesRequest, MatchConfig,
        MatchInfo, Replay, match_service_client::MatchServiceClient,
    },
};
use tonic::{Status, transport::Channel};

use crate::kit::bridgemaster;
pub(crate) use crate::kit::{PATIENCE, Served};

/// A run of `bridgemaster serve` with nothing of the developer's own environment in it.
pub(crate) fn serve<I: AsRef<OsStr>>(flags: impl IntoIterator<Item = I>) -> Command {
    let mut command = bridgemaster(["serve"]);
    command
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Time control of which no clock runs out on a loaded machine; bots are away while a match starts.
pub(crate) fn patient_clock() -> ClockRules {
    ClockRules {
        bank_ms: Some(3_600_000),
        cap_ms: Some(600_000),
        startup_ms: Some(600_000),
        ..ClockRules::default()
    }
}

impl Served {
    /// Starts a server on this address, which must come up.
    pub(crate) fn start(listen: &str, data: &Path, more: &[&str]) -> Self {
        let flags = ["--listen", listen, "--data", data.to_str().unwrap()];
        Self::of(serve(flags.iter().chain(more)).spawn().unwrap())
    }

    pub(crate) async fn matches(&self) -> MatchServiceClient<Channel> {
        let channel = Channel::from_shared(self.url.clone()).unwrap();
        MatchServiceClient::new(channel.connect().await.unwrap())
    }

    /// Makes a match of two seats: its identifier and its tickets.
    pub(crate) async fn create(&self, game: &str, seed: &str) -> (String, Vec<String>) {
        self.try_create(game, seed).await.unwrap()
    }

    pub(crate) async fn try_create(
        &self,
        game: &str,
        seed: &str,
    ) -> Result<(String, Vec<String>), Status> {
        self.create_with(game, seed, patient_clock()).await
    }

    /// Makes a match of two seats with this time control.
    pub(crate) async fn create_with(
        &self,
        game: &str,
        seed: &str,
        clock: ClockRules,
    ) -> Result<(String, Vec<String>), Status> {
        let config = MatchConfig {
            game: with_game!(game, G => G::config_to_wire(&Default::default())),
            seats: 2,
            seed: Some(seed.to_owned()),
            clock: Some(clock),
            ..MatchConfig::default()
        };
        let request = CreateMatchRequest {
            config: Some(config),
            ..CreateMatchRequest::default()
        };
        let made = self.matches().await.create_match(request).await?;
        let made = made.into_inner();
        let tickets = made.tickets.into_iter().map(|ticket| ticket.ticket);
        Ok((made.r#match.unwrap().match_id, tickets.collect()))
    }

    pub(crate) async fn all_matches(&self) -> Vec<MatchInfo> {
        let request = ListMatchesRequest {
            page_size: 500,
            ..ListMatchesRequest::default()
        };
        let listed = self.matches().await.list_matches(request).await.unwrap();
        listed.into_inner().matches
    }

    pub(crate) async fn replay(&self, match_id: &str) -> Replay {
        let request = GetReplayRequest {
            match_id: match_id.to_owned(),
            ..GetReplayRequest::default()
        };
        let replay = self.matches().await.get_replay(request).await.unwrap();
        replay.into_inner().replay.unwrap()
    }
}
