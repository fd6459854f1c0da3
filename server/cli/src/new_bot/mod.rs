//! `bridgemaster new-bot`: a folder with a bot to begin with.

mod checkout;
mod templates;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Args, builder::PossibleValuesParser};

use self::{checkout::Checkout, templates::Template};
use super::{
    failure::misuse,
    output::{self, program},
};

#[derive(Args)]
#[command(
    after_help = "The folder has a bot in one file, its build files, and a README.md with two \
        commands: one builds the bot, the other plays a match. The library comes from a checkout \
        of Bridgemaster, because it is not in a package registry yet.\n\n  \
        bridgemaster new-bot --language python my-bot"
)]
pub(super) struct NewBotArgs {
    /// Language of the bot
    #[arg(long, value_name = "LANG", value_parser = PossibleValuesParser::new(templates::names()))]
    language: String,
    /// Folder of a checkout of Bridgemaster that the library is taken from [default: the one that
    /// has this program in it, or else the current folder]
    #[arg(long, value_name = "FOLDER")]
    checkout: Option<PathBuf>,
    /// Folder to make; one that is there must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl NewBotArgs {
    /// Runs the command.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let template = templates::find(&self.language)
            .ok_or_else(|| misuse(format!("--language: {:?} is none", self.language)))?;
        let checkout = Checkout::find(self.checkout.as_deref())?;
        be_new(&self.folder)?;
        for (name, text) in template.files(&checkout) {
            write(&self.folder.join(name), &text)?;
        }
        if let Some(name) = template.lock_file {
            let (from, to) = (
                Path::new(checkout.path()).join(name),
                self.folder.join(name),
            );
            fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        }
        output::print(&next_steps(&self.folder, template, &checkout))?;
        Ok(())
    }
}

/// Makes the folder, or takes it if nothing is in it.
fn be_new(folder: &Path) -> anyhow::Result<()> {
    let told = folder.display();
    match fs::read_dir(folder).map(|entries| entries.count()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(misuse(format!(
            "DIR: {told} is not empty; name a folder that is, or one to be made"
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).with_context(|| format!("{told} cannot be made"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(misuse(format!("DIR: {told} is no folder")))
        }
        Err(error) => Err(error).with_context(|| format!("{told} cannot be read")),
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let written = file
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text));
    written.with_context(|| format!("{} cannot be written", file.display()))
}

fn next_steps(folder: &Path, template: &Template, checkout: &Checkout) -> String {
    let (folder, source) = (folder.display(), template.source);
    let (build, command) = (template.build(checkout), template.command);
    let program = match program() {
        named if named.contains('/') => fs::canonicalize(&named)
            .map(|path| path.display().to_string())
            .unwrap_or(named),
        named => named,
    };
    format!(
        "{folder} has a bot in {source}. Build it, and let it play:\n\n  \
         cd {folder}\n  {build}\n  {program} demo --bots greedy,\"{command}\"\n\n\
         {folder}/README.md has the rest.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_in_it_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        be_new(folder.path()).unwrap();
        be_new(&folder.path().join("deeper/one")).unwrap();
        let refused = be_new(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("is not empty"), "{refused}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let refused = be_new(&file).unwrap_err().to_string();
        assert!(refused.contains("is no folder"), "{refused}");
    }
}
