//! A checkout of Bridgemaster, whose libraries a new bot can use instead of the released ones.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use crate::failure::misuse;

/// Files that a folder must contain to count as a checkout.
const MARKER_FILES: [&str; 2] = ["proto/bridgemaster/v1/play.proto", "sdk/rust/Cargo.toml"];
/// Characters, besides letters and digits, that a path can contain without escaping in shell
/// commands and build files.
const PLAIN_CHARS: &str = "/._-+~:";

/// A checkout's path. It contains no characters that would have to be escaped.
pub(super) struct Checkout(String);

impl Checkout {
    /// Returns the checkout that `named` names. By default, returns the checkout that contains this
    /// program or the current folder, if any.
    pub(super) fn find(named: Option<&Path>) -> anyhow::Result<Option<Self>> {
        if let Some(named) = named {
            let found = fs::canonicalize(named).ok().filter(|path| is_checkout(path));
            let found = found.ok_or_else(|| {
                misuse(format!(
                    "--checkout: {} is not a checkout of Bridgemaster, since {} is missing",
                    named.display(),
                    MARKER_FILES.join(" or ")
                ))
            })?;
            return Self::at(&found).map(Some);
        }
        let places = [env::current_exe(), env::current_dir()];
        let mut places = places.into_iter().flatten();
        let found = places.find_map(|place| enclosing(&fs::canonicalize(place).ok()?));
        found.map(|found| Self::at(&found)).transpose()
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

    /// Returns the files with which cargo takes the crates from this checkout. `repository` is the
    /// source that Cargo.toml names, unless it is the registry.
    ///
    /// Cargo would ask that source even though the crate is replaced, if the lock file did not have
    /// the crate already.
    pub(super) fn cargo_files(
        &self,
        repository: Option<&String>,
    ) -> anyhow::Result<[(&'static str, String); 2]> {
        let path = self.path();
        let source = repository.map_or("crates-io", String::as_str);
        let patch =
            format!("[patch.\"{source}\"]\nbridgemaster-sdk = {{ path = \"{path}/sdk/rust\" }}\n");
        let lock = format!("{path}/Cargo.lock");
        let lock = fs::read_to_string(&lock).with_context(|| format!("cannot read {lock}"))?;
        let bot = "\n[[package]]\nname = \"my-bot\"\nversion = \"0.1.0\"\n\
                   dependencies = [\n \"bridgemaster-sdk\",\n]\n";
        Ok([(".cargo/config.toml", patch), ("Cargo.lock", lock + bot)])
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
