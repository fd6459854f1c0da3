//! One seed: played undisturbed, played in the storm, judged.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    time::Duration,
};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    plan::{Order, Plan},
    run::{Played, Run},
    storm::Damage,
    verdict::judge,
};

/// Outcome of a run.
pub(crate) struct Figures {
    matches: usize,
    compared: usize,
    games: usize,
    seats: BTreeMap<String, usize>,
    decisions: u64,
    spoiled: usize,
    damage: Damage,
    unanswered_creates: usize,
    connections: u64,
    server_starts: u32,
    undisturbed_time: Duration,
    time: Duration,
}

/// Plays a seed twice, and judges.
///
/// # Errors
/// In words, all that is wrong, and where the folder of the run is.
pub(crate) fn chaos(order: &Order, python: Option<&Path>) -> Result<Figures, String> {
    let folder = TempDir::with_prefix("bridgemaster-chaos-").map_err(|error| error.to_string())?;
    let plan = Plan::new(order);
    play_and_judge(order, &plan, python, folder.path()).map_err(|words| {
        let kept = folder.keep();
        format!("{words}\nthe folder of the run: {}", kept.display())
    })
}

fn play_and_judge(
    order: &Order,
    plan: &Plan,
    python: Option<&Path>,
    folder: &Path,
) -> Result<Figures, String> {
    let run = |name: &str| Run {
        order,
        plan,
        python,
        folder: folder.join(name),
    };
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let undisturbed = runtime
        .block_on(run("undisturbed").undisturbed())
        .map_err(|words| format!("undisturbed run: {words}"))?;
    let disturbed = runtime
        .block_on(run("disturbed").disturbed(undisturbed.requests))
        .map_err(|words| format!("disturbed run: {words}"))?;
    let (wrong, compared) = judge(order, plan, &undisturbed, &disturbed);
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    Ok(figures(plan, &undisturbed, disturbed, compared))
}

fn figures(plan: &Plan, undisturbed: &Played, disturbed: Played, compared: usize) -> Figures {
    let mut seats: BTreeMap<String, usize> = BTreeMap::new();
    for player in plan.matches.iter().flat_map(|one| &one.players) {
        *seats.entry(format!("{player:?}")).or_default() += 1;
    }
    let games: BTreeSet<&str> = plan.matches.iter().map(|one| one.game).collect();
    let results = disturbed.matches.iter();
    let results = results.filter_map(|one| one.replay.result.as_ref());
    Figures {
        matches: disturbed.matches.len(),
        compared,
        games: games.len(),
        seats,
        decisions: results.clone().map(|one| u64::from(one.decisions)).sum(),
        spoiled: results.filter(|one| one.spoiled_by_referee).count(),
        damage: disturbed.damage,
        unanswered_creates: disturbed.unanswered_creates,
        connections: disturbed.connections,
        server_starts: disturbed.server_starts,
        undisturbed_time: undisturbed.time,
        time: disturbed.time,
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage {
            server_kills,
            kills_while_starting,
            bot_kills,
            cuts,
            missed,
        } = &self.damage;
        writeln!(
            f,
            "{} matches of {} games with {} decisions: every result once, every replay holds, no \
             message out of sequence, no fault",
            self.matches, self.games, self.decisions
        )?;
        writeln!(f, "seats by bot: {:?}", self.seats)?;
        writeln!(
            f,
            "{} of them compared with the undisturbed run, and equal; {} spoiled by the referee's lag",
            self.compared, self.spoiled
        )?;
        writeln!(
            f,
            "server: {server_kills} SIGKILLs, {kills_while_starting} of them within 60 ms of a \
             start, {} starts, {} calls to make a match without an answer",
            self.server_starts, self.unanswered_creates
        )?;
        writeln!(
            f,
            "bots: {bot_kills} killed, connections cut: {cuts:?}, {missed} kills and cuts found \
             nobody, {} connections",
            self.connections
        )?;
        write!(
            f,
            "undisturbed {:.1} s, disturbed {:.1} s",
            self.undisturbed_time.as_secs_f64(),
            self.time.as_secs_f64()
        )
    }
}
