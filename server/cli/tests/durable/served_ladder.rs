//! A ladder on a server process, and bots that attend it.

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateLadderRequest, Ladder, MatchConfig,
        ladder_service_client::LadderServiceClient,
    },
};
use bridgemaster_sdk::{AttendOptions, Bot};
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use crate::served::{PATIENCE, Served};

/// The name of the ladder.
pub(crate) const NAME: &str = "league";

pub(crate) async fn client(server: &Served) -> LadderServiceClient<Channel> {
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    LadderServiceClient::new(channel.connect().await.unwrap())
}

/// Makes a ladder for two seats whose clocks do not run out on a loaded machine, with what `clock`
/// says beside. House bots need no validation.
pub(crate) async fn create(server: &Served, clock: ClockRules, house_bots: &[&str]) {
    let config = MatchConfig {
        game: with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default())),
        seats: 2,
        clock: Some(ClockRules {
            bank_ms: Some(3_600_000),
            cap_ms: Some(600_000),
            startup_ms: Some(600_000),
            ..clock
        }),
        ..MatchConfig::default()
    };
    let house_bots = house_bots.iter().map(|name| (*name).to_owned());
    let ladder = Some(Ladder {
        ladder_id: NAME.to_owned(),
        config: Some(config),
        house_bots: house_bots.collect(),
        ..Ladder::default()
    });
    let request = CreateLadderRequest { ladder };
    client(server).await.create_ladder(request).await.unwrap();
}

/// Returns options of a bot that attends the ladder and reconnects for as long as the test waits.
pub(crate) fn options(server: &Served, name: &str) -> AttendOptions {
    AttendOptions {
        bot_version: "1".to_owned(),
        connect_for: PATIENCE,
        ..AttendOptions::new(&server.url, NAME, name)
    }
}

/// Attends until the test ends.
pub(crate) fn attend<B: Bot + 'static>(
    options: AttendOptions,
    new_bot: impl FnMut() -> B + Send + 'static,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let _ = bridgemaster_sdk::attend(new_bot, options).await;
    })
}
