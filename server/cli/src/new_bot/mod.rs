//! `bridgemaster new-bot`: creates a folder with a simple bot, which can be pushed as a repository.

mod checkout;
mod templates;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Args, builder::PossibleValuesParser};

use crate::{
    failure::misuse,
    new_bot::{
        checkout::Checkout,
        templates::{ReleaseNames, Template},
    },
    output::{self, program},
};

#[derive(Args)]
#[command(
    after_help = "The folder can be pushed as a repository: it contains a bot in one file, build files \
        that pin the released library, a README.md with the commands to build the bot and to play \
        a match, and CI files for GitHub and GitLab, which check the bot.\n\n  \
        bridgemaster new-bot --language python my-bot"
)]
pub(super) struct NewBotArgs {
    /// Language of the bot
    #[arg(long, value_name = "LANG", value_parser = PossibleValuesParser::new(templates::names()))]
    language: String,
    /// Checkout of Bridgemaster to build the bot with on this machine
    ///
    /// By default, this is the checkout that contains this program, or otherwise the current
    /// folder. Outside a checkout, the released library is used. No file that git tracks names the
    /// checkout.
    #[arg(long, value_name = "FOLDER")]
    checkout: Option<PathBuf>,
    /// Folder to create; an existing folder must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl NewBotArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let template = templates::find(&self.language)
            .ok_or_else(|| misuse(format!("--language: unknown language {:?}", self.language)))?;
        let checkout = Checkout::find(self.checkout.as_deref())?;
        let names = ReleaseNames::read()?;
        let files = template.files(&names, checkout.as_ref())?;
        create_folder(&self.folder)?;
        for (name, text) in files {
            write(&self.folder.join(name), &text)?;
        }
        let build = template.build(&names, checkout.as_ref());
        output::print(&next_steps(&self.folder, template, &build))?;
        Ok(())
    }
}

/// Creates the folder. A folder that already exists must be empty.
fn create_folder(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    match fs::read_dir(folder).map(|entries| entries.count()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(misuse(format!("DIR: {shown} is not empty; name an empty or a new folder"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {shown}"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(misuse(format!("DIR: {shown} is not a folder")))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {shown}")),
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let written =
        file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(file, text));
    written.with_context(|| format!("cannot write {}", file.display()))
}

fn next_steps(folder: &Path, template: &Template, build: &str) -> String {
    let (folder, source, command) = (folder.display(), template.source, template.command);
    let program = match program() {
        named if named.contains('/') => {
            fs::canonicalize(&named).map(|path| path.display().to_string()).unwrap_or(named)
        }
        named => named,
    };
    format!(
        "{folder} contains a bot in {source}. Build it and play a match:\n\n  \
         cd {folder}\n  {build}\n  {program} demo --bots greedy,\"{command}\"\n\n\
         See {folder}/README.md for more.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_empty_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        create_folder(folder.path()).unwrap();
        create_folder(&folder.path().join("deeper/one")).unwrap();
        let refused = create_folder(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("is not empty"), "{refused}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let refused = create_folder(&file).unwrap_err().to_string();
        assert!(refused.contains("is not a folder"), "{refused}");
    }
}
