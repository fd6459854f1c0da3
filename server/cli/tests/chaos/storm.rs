//! Injects the faults of a plan.

use std::collections::BTreeMap;

use tokio::{sync::watch, time::sleep};

use crate::{
    plan::{Disturbance, Trouble, WHOLE},
    proxy::Proxy,
    seat::Seats,
    server_process::ServerProcess,
};

/// Counts of injected faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    /// SIGKILLs of the server.
    pub(crate) server_kills: usize,
    /// Those that hit it while it started.
    pub(crate) kills_while_starting: usize,
    /// SIGKILLs of bot processes, and watched bots that were dropped.
    pub(crate) bot_kills: usize,
    /// Connections that were cut, by how.
    pub(crate) cuts: BTreeMap<&'static str, usize>,
    /// Kills and cuts for which nobody was there.
    pub(crate) missed: usize,
}

/// Does all of it, each at its moment. `whole` is the number of requests of an undisturbed run.
///
/// # Errors
/// When a server ended by itself or did not come up.
pub(crate) async fn storm(
    disturbances: &[Disturbance],
    whole: u64,
    mut progress: watch::Receiver<u64>,
    server: &mut ServerProcess,
    proxy: &Proxy,
    seats: &Seats,
) -> Result<Damage, String> {
    let mut damage = Damage::default();
    for Disturbance { at, what } in disturbances {
        let moment = whole * at / WHOLE;
        progress
            .wait_for(|requests| *requests >= moment)
            .await
            .map_err(|error| error.to_string())?;
        match what {
            Trouble::KillServer { after, again_after } => {
                sleep(*after).await;
                server.kill().await?;
                proxy.lead_to(None);
                for after in again_after {
                    server.start_and_kill(*after).await?;
                }
                proxy.lead_to(Some(server.start().await?));
                damage.server_kills += 1 + again_after.len();
                damage.kills_while_starting += again_after.len();
            }
            Trouble::KillBot { pick } => match seats.kill(*pick) {
                true => damage.bot_kills += 1,
                false => damage.missed += 1,
            },
            Trouble::Cut { pick, how } => match proxy.cut(*pick, *how) {
                true => *damage.cuts.entry(how.name()).or_default() += 1,
                false => damage.missed += 1,
            },
        }
    }
    Ok(damage)
}
