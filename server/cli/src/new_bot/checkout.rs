//! The checkout of Bridgemaster that a new bot takes its library from.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::failure::misuse;

/// Files that tell a checkout from any other folder.
const MARKS: [&str; 2] = ["proto/bridgemaster/v1/play.proto", "sdk/rust/Cargo.toml"];
/// What a path may have besides letters and digits: no build file has to escape these.
const PLAIN: &str = "/._-+~:";

/// The folder of a checkout, by a path that every build file takes as it is.
pub(super) struct Checkout(String);

impl Checkout {
    /// The one that is named, or else the one that has this program in it, or the current folder.
    pub(super) fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(named) = named {
            let found = fs::canonicalize(named).ok().filter(|path| is_one(path));
            return Self::at(found.as_deref().ok_or_else(|| {
                misuse(format!(
                    "--checkout: {} is no checkout of Bridgemaster: it has no {}",
                    named.display(),
                    MARKS.join(" or no ")
                ))
            })?);
        }
        let places = [env::current_exe(), env::current_dir()];
        let mut places = places.into_iter().flatten();
        let found = places.find_map(|place| above(&fs::canonicalize(place).ok()?));
        Self::at(&found.ok_or_else(|| {
            misuse(
                "neither this program nor the current folder is in a checkout of Bridgemaster: \
                 name one with --checkout",
            )
        })?)
    }

    fn at(folder: &Path) -> anyhow::Result<Self> {
        let text = folder.display().to_string();
        let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
        match text.chars().find(|c| !is_plain(*c)) {
            None => Ok(Self(text)),
            Some(character) => Err(misuse(format!(
                "--checkout: {text} has {character:?} in it, which not every build file takes; \
                 valid are letters, digits and {PLAIN}"
            ))),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.0
    }
}

/// The checkout that a path is in.
fn above(place: &Path) -> Option<PathBuf> {
    let found = place.ancestors().find(|folder| is_one(folder));
    found.map(Path::to_owned)
}

fn is_one(folder: &Path) -> bool {
    MARKS.iter().all(|mark| folder.join(mark).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_found_from_anywhere_in_it() {
        let source = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        let top = source.ancestors().nth(2).map(Path::to_owned);
        assert_eq!(above(&source.join("src")), top);
        assert_eq!(above(&env::temp_dir()), None);
    }

    #[test]
    fn a_path_that_build_files_would_have_to_escape_is_refused() {
        let refused = Checkout::at(Path::new("/home/a b")).err().unwrap();
        assert!(refused.to_string().contains("' '"), "{refused}");
        assert!(Checkout::at(Path::new("/home/käthe/b-1.2")).is_ok());
    }
}
