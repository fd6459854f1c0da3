//! All that is tried, in a process of its own.

use std::process::ExitCode;

use tokio::{runtime::Builder, task::JoinSet};

use crate::{
    attacks::{Attack, attack},
    hoards::{Hoard, Prey},
    raw_client::Failure,
    server_process::Key,
    target::Target,
};

/// Matches that the attacker makes to attack with.
const MATCHES: usize = 100;
/// Connections of those who make many.
const CONNECTIONS: usize = 60;

/// Attacks the target of the first three arguments, with the key of the fourth, until the process is
/// killed; in the way of the fifth alone if there is one.
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
    let (target, key, only) = match arguments {
        [server, metrics, ca, key, only @ ..] if only.len() <= 1 => {
            (Target::from_words([server, metrics, ca]), key, only.first())
        }
        _ => return Err("attacker ADDRESS METRICS CA KEY [WAY]".into()),
    };
    let target = target.ok_or("the first two arguments are addresses")?;
    let is_meant = |name: String| only.is_none_or(|only| *only == name);
    let mut prey = Prey::new(&target, Key(key.clone()), MATCHES).await?;
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
