//! `bridgemaster new-bot`: creates a folder with a simple bot.

mod templates;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Args, builder::PossibleValuesParser};

use crate::{
    failure::misuse,
    files,
    new_bot::templates::{Checkout, Template},
    output::{self, program},
};

#[derive(Args)]
#[command(
    after_help = "The folder contains a bot in one file, its build files, and a README.md with the \
        commands to build the bot and to play a match. The library comes from a checkout of \
        Bridgemaster, since it is not in a package registry yet.\n\n  \
        bridgemaster new-bot --language python my-bot"
)]
pub(super) struct NewBotArgs {
    /// Language of the bot
    #[arg(long, value_name = "LANG", value_parser = PossibleValuesParser::new(templates::LANGUAGES))]
    language: String,
    /// Checkout of Bridgemaster with the bot's library
    ///
    /// Defaults to the checkout that contains this program, else to the checkout that contains the
    /// current folder.
    #[arg(long, value_name = "FOLDER")]
    checkout: Option<PathBuf>,
    /// Folder to create; an existing folder must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl NewBotArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let checkout = Checkout::find(self.checkout.as_deref())?;
        let template = Template::read(&checkout, &self.language)?;
        create_folder(&self.folder)?;
        templates::copy(&checkout.template(&self.language), &self.folder, &checkout)?;
        let readme = template.readme(&checkout)?;
        files::write(&self.folder.join("README.md"), readme.as_bytes())?;
        if let Some(name) = &template.lock_file {
            let (from, to) = (Path::new(checkout.path()).join(name), self.folder.join(name));
            fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
        output::print(&next_steps(&self.folder, &template, &checkout))?;
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

fn next_steps(folder: &Path, template: &Template, checkout: &Checkout) -> String {
    let (folder, source) = (folder.display(), &template.source);
    let (build, command) = (template.build(checkout), &template.command);
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
