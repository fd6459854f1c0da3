//! All that is tried, in a process of its own.

use std::process::ExitCode;

use tokio::{runtime::Builder, task::JoinSet};

use crate::{
    attacks::{Attack, attack},
    hoards::{Hoard, Prey},
    raw_client::Failure,
    server_process::Key,
};

/// Matches that the attacker makes to attack with.
const MATCHES: usize = 100;
/// Connections of those who make many.
const CONNECTIONS: usize = 60;

/// Attacks the server at the address of the first argument, with the key of the second, until the
/// process is killed; in the way of the third alone if there is one.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(attack_for_ever(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("the attacker cannot begin: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn attack_for_ever(arguments: &[String]) -> Result<(), Failure> {
    let (server, key, only) = match arguments {
        [server, key] => (server, key, None),
        [server, key, only] => (server, key, Some(only)),
        _ => return Err("attacker ADDRESS KEY [WAY]".into()),
    };
    let is_meant = |name: String| only.is_none_or(|only| *only == name);
    let mut prey = Prey::new(server.parse()?, Key(key.clone()), MATCHES).await?;
    prey.connections = CONNECTIONS;
    let mut attacks = JoinSet::new();
    for how in Hoard::ALL {
        if is_meant(format!("{how:?}")) {
            attacks.spawn(prey.clone().hoard(how));
        }
    }
    for how in Attack::ALL {
        if is_meant(format!("{how:?}")) {
            attacks.spawn(attack(how, prey.clone()));
        }
    }
    println!("attacking");
    attacks.join_all().await;
    Ok(())
}
