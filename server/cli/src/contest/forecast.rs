//! `bridgemaster contest --plan`: how long a contest takes.

use std::{env, fs, path::PathBuf, process};

use bridgemaster_runner::{BuiltInBots, Contest, ContestSpec, Standing};

use super::{
    ending::duration_of,
    live::Live,
    own_server::ServerChoice,
    playing::{explained, play, refused},
};
use crate::output;

/// Plays one group, or one round, to measure its time, and tells what the whole takes. The exit
/// code is 0, or that of the group when it could not be played.
pub(super) fn run(
    spec: &ContestSpec,
    built_in: BuiltInBots,
    server: ServerChoice,
) -> anyhow::Result<u8> {
    let whole = Standing::new(spec.clone(), PathBuf::new()).map_err(|error| refused(&error))?;
    let most = whole.planned_groups() as f64;
    let folder = env::temp_dir().join(format!("bridgemaster-plan-{}", process::id()));
    let contest = Contest::create(&folder, spec.shortest()).map_err(explained)?;
    let live = Live::new(contest.standing(), true);
    let played = play(contest, built_in, server, live);
    // What cannot be removed is in the folder for temporary files.
    let _ = fs::remove_dir_all(&folder);
    let (standing, exit) = played?;
    if standing.groups() == 0 {
        output::complain(&exit.sentence);
        return Ok(exit.code);
    }
    let seconds = standing.elapsed_ms() as f64 / 1e3 / standing.groups() as f64;
    let matches = standing.matches() as f64 / standing.groups() as f64;
    let line = |what: &str, groups: f64| {
        let groups = groups.ceil();
        format!(
            "{what}: {groups:.0} groups, {:.0} matches, about {}\n",
            groups * matches,
            duration_of(groups * seconds)
        )
    };
    let mut text = line("measured", 1.0).replace("1 groups", "1 group");
    match spec.forecast().map_err(|error| refused(&error))? {
        None => text.push_str(&line("all", most)),
        Some(expected) => {
            text.push_str(&line("at the lower bound", expected.groups_at_lower));
            text.push_str(&line("at the upper bound", expected.groups_at_upper));
            text.push_str(&line("half-way between", expected.groups_half_way));
            text.push_str(
                "These are means for bots that hardly tie; half-way between the bounds takes \
                 longest. A candidate\nthat wins or loses everything has its verdict within 10 \
                 groups.\n",
            );
            if expected.groups_half_way > most {
                text.push_str(&format!(
                    "The contest gives up after {most:.0} groups (--max-groups).\n"
                ));
            }
        }
    }
    output::print(&text)?;
    Ok(0)
}
