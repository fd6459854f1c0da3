//! Writes the manual pages and completions of a release. `.release/build` runs this test, with the
//! folder in `BRIDGEMASTER_MANUALS`; so the program and its build do not contain the generators.

use std::{env, fs, path::PathBuf};

use clap::CommandFactory as _;
use clap_complete::{
    generate_to,
    shells::{Bash, Fish, Zsh},
};

use crate::CommandLine;

const NAME: &str = "bridgemaster";

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let temporary = tempfile::tempdir().unwrap();
    let folder =
        env::var_os("BRIDGEMASTER_MANUALS").map_or(temporary.path().to_owned(), PathBuf::from);
    let folder_of = |name: &str| {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    };
    let (pages, bash) = (folder_of("man/man1"), folder_of("bash-completion/completions"));
    let (zsh, fish) = (folder_of("zsh/site-functions"), folder_of("fish/vendor_completions.d"));
    let mut command = CommandLine::command();
    clap_mangen::generate_to(command.clone(), &pages).unwrap();
    let completions = [
        // The name that bash-completion looks for.
        generate_to(Bash, &mut command, NAME, &bash).map(|file| (file, bash.join(NAME))),
        generate_to(Zsh, &mut command, NAME, &zsh).map(|file| (file, zsh.join("_bridgemaster"))),
        generate_to(Fish, &mut command, NAME, &fish)
            .map(|file| (file, fish.join("bridgemaster.fish"))),
    ];
    for completion in completions {
        let (file, named) = completion.unwrap();
        fs::rename(file, &named).unwrap();
        assert!(fs::read_to_string(named).unwrap().contains("new-bot"));
    }
    // `command` has the subcommand `help` by now, which has no page.
    for subcommand in CommandLine::command().get_subcommands().filter(|each| !each.is_hide_set()) {
        let page = pages.join(format!("{NAME}-{}.1", subcommand.get_name()));
        assert!(page.is_file(), "{}", page.display());
    }
}
