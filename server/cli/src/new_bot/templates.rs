//! Templates of new bots by language, and the checkout with the templates and the bots' libraries.
//! The check `.ci/languages` creates a bot from each template, builds it and lets it play.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use bridgemaster_proto::PROTOCOL_REVISION;
use serde::Deserialize;

use crate::{failure::misuse, files};

/// The languages, which are the names of the templates' folders.
pub(super) const LANGUAGES: [&str; 6] = ["python", "typescript", "go", "java", "cpp", "rust"];

/// The folder of all templates in a checkout.
const TEMPLATES: &str = "server/cli/templates";
/// The file in a template's folder that describes the template.
const DESCRIPTION: &str = "template.toml";
/// Maximum size of a template's file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Placeholder for the checkout's path.
const CHECKOUT: &str = "@CHECKOUT@";

/// A template's description.
#[derive(Deserialize)]
pub(super) struct Template {
    /// The language's name in texts.
    language: String,
    /// Path of the bot's source file.
    pub(super) source: String,
    /// Shell command that builds the bot.
    build: String,
    /// Shell command that starts the built bot.
    pub(super) command: String,
    /// Tools that the build needs.
    tools: String,
    /// Names of the files to edit if the checkout moves, as text for the README.
    named_in: String,
    /// Path of the library's documentation within the checkout.
    documentation: String,
    /// Path of the lock file in the checkout, if any. It pins dependencies to tested versions.
    pub(super) lock_file: Option<String>,
}

impl Template {
    /// Reads the description of the template for a language.
    pub(super) fn read(checkout: &Checkout, name: &str) -> anyhow::Result<Self> {
        let path = checkout.template(name).join(DESCRIPTION);
        let text = files::read_text(&path, MAX_FILE_BYTES)?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Returns the shell command that builds the bot.
    pub(super) fn build(&self, checkout: &Checkout) -> String {
        self.build.replace(CHECKOUT, checkout.path())
    }

    /// Returns the text of README.md.
    pub(super) fn readme(&self, checkout: &Checkout) -> anyhow::Result<String> {
        let documentation = format!("{CHECKOUT}/{}", self.documentation);
        let values = [
            ("@LANGUAGE@", &*self.language),
            ("@SOURCE@", &self.source),
            ("@BUILD@", &self.build),
            ("@COMMAND@", &self.command),
            ("@TOOLS@", &self.tools),
            ("@NAMED_IN@", &self.named_in),
            ("@REVISION@", &PROTOCOL_REVISION.to_string()),
            ("@DOCUMENTATION@", &documentation),
            // The checkout is replaced last, since the other values contain its placeholder.
            (CHECKOUT, checkout.path()),
        ];
        let text = files::read_text(&checkout.template("README.md"), MAX_FILE_BYTES)?;
        let fill = |text: String, (name, value): (&str, &str)| text.replace(name, value);
        Ok(values.into_iter().fold(text, fill))
    }
}

/// Copies the files of a template, with the checkout's path in the place of its placeholder.
pub(super) fn copy(from: &Path, to: &Path, checkout: &Checkout) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target, checkout)?;
        } else if entry.file_name() != DESCRIPTION {
            let text = files::read_text(&path, MAX_FILE_BYTES)?.replace(CHECKOUT, checkout.path());
            files::write(&target, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Files that a folder must contain to count as a checkout.
const MARKER_FILES: [&str; 2] = ["proto/bridgemaster/v1/play.proto", "sdk/rust/Cargo.toml"];
/// Characters, besides letters and digits, that a path can contain without escaping in all
/// languages' build files.
const PLAIN_CHARS: &str = "/._-+~:";

/// A checkout's path. It contains no characters that a build file would have to escape.
pub(super) struct Checkout(String);

impl Checkout {
    /// Returns the checkout that `named` gives, or else the checkout that contains this program or
    /// the current folder.
    pub(super) fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(named) = named {
            let found = fs::canonicalize(named).ok().filter(|path| is_checkout(path));
            return Self::at(found.as_deref().ok_or_else(|| {
                misuse(format!(
                    "--checkout: {} is not a checkout of Bridgemaster, since {} is missing",
                    named.display(),
                    MARKER_FILES.join(" or ")
                ))
            })?);
        }
        let places = [env::current_exe(), env::current_dir()];
        let mut places = places.into_iter().flatten();
        let found = places.find_map(|place| enclosing(&fs::canonicalize(place).ok()?));
        Self::at(&found.ok_or_else(|| {
            misuse(
                "neither this program nor the current folder is in a checkout of Bridgemaster; use \
                 --checkout DIR",
            )
        })?)
    }

    fn at(folder: &Path) -> anyhow::Result<Self> {
        let text = folder.display().to_string();
        let is_plain = |c: char| c.is_alphanumeric() || PLAIN_CHARS.contains(c);
        match text.chars().find(|c| !is_plain(*c)) {
            None => Ok(Self(text)),
            Some(character) => Err(misuse(format!(
                "--checkout: {text} contains {character:?}, which some build files do not support; \
                 valid characters are letters, digits and {PLAIN_CHARS}"
            ))),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.0
    }

    /// Returns the path of a template.
    pub(super) fn template(&self, name: &str) -> PathBuf {
        Path::new(&self.0).join(TEMPLATES).join(name)
    }
}

/// Returns the checkout that contains a path.
fn enclosing(place: &Path) -> Option<PathBuf> {
    let found = place.ancestors().find(|folder| is_checkout(folder));
    found.map(Path::to_owned)
}

fn is_checkout(folder: &Path) -> bool {
    MARKER_FILES.iter().all(|mark| folder.join(mark).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_found_from_anywhere_in_it() {
        let source = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        let top = source.ancestors().nth(2).map(Path::to_owned);
        assert_eq!(enclosing(&source.join("src")), top);
        assert_eq!(enclosing(&env::temp_dir()), None);
    }

    #[test]
    fn a_path_that_build_files_would_have_to_escape_is_rejected() {
        let refused = Checkout::at(Path::new("/home/a b")).err().unwrap();
        assert!(refused.to_string().contains("' '"), "{refused}");
        assert!(Checkout::at(Path::new("/home/käthe/b-1.2")).is_ok());
    }
}
