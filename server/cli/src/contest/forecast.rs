//! `bridgemaster contest --plan`: estimates how long a contest takes.

use std::{env, fs, path::PathBuf, process};

use bridgemaster_bot_process::Isolation;
use bridgemaster_runner::{BuiltInBots, Contest, ContestSpec, ContestState};

use super::{
    ending::duration_of,
    live::Live,
    own_server::ServerChoice,
    playing::{play, spec_error, to_error},
};
use crate::output;

/// Plays one group or round, and prints an estimate for the whole contest. If the group failed,
/// returns its exit code, otherwise 0.
pub(super) fn run(
    spec: &ContestSpec,
    built_in: BuiltInBots,
    server: ServerChoice,
    isolation: Isolation,
) -> anyhow::Result<u8> {
    let whole =
        ContestState::new(spec.clone(), PathBuf::new()).map_err(|error| spec_error(&error))?;
    let max = whole.planned_groups() as f64;
    let folder = env::temp_dir().join(format!("bridgemaster-plan-{}", process::id()));
    let contest = Contest::create(&folder, spec.shortest()).map_err(to_error)?;
    let contest = contest.with_isolation(isolation);
    let live = Live::new(contest.state(), true);
    let played = play(contest, built_in, server, live, None);
    // If the removal fails, the contest stays in the system's folder for temporary files.
    let _ = fs::remove_dir_all(&folder);
    let (state, exit) = played?;
    if state.groups() == 0 {
        output::eprint(&exit.sentence);
        return Ok(exit.code);
    }
    let seconds = state.elapsed_ms() as f64 / 1e3 / state.groups() as f64;
    let matches = state.matches() as f64 / state.groups() as f64;
    let line = |label: &str, groups: f64| {
        let groups = groups.ceil();
        format!(
            "{label}: {groups:.0} groups, {:.0} matches, about {}\n",
            groups * matches,
            duration_of(groups * seconds)
        )
    };
    let mut text = line("measured", 1.0).replace("1 groups", "1 group");
    match spec.forecast().map_err(|error| spec_error(&error))? {
        None => text.push_str(&line("all", max)),
        Some(expected) => {
            text.push_str(&line("at the lower bound", expected.groups_at_lower));
            text.push_str(&line("at the upper bound", expected.groups_at_upper));
            text.push_str(&line("half-way between", expected.groups_half_way));
            text.push_str(
                "These are averages for bots that rarely tie. A candidate half-way between the \
                 bounds takes longest.\nFor a candidate that wins or loses every match, 10 groups \
                 are enough for a verdict.\n",
            );
            if expected.groups_half_way > max {
                text.push_str(&format!(
                    "The contest stops undecided after {max:.0} groups (--max-groups).\n"
                ));
            }
        }
    }
    output::print(&text)?;
    Ok(0)
}
