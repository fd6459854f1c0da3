//! Metadata of the workspace from cargo.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;

/// Returns the folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap().to_owned()
}

/// A crate of the workspace.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as stated in a `Cargo.toml`.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; `None` for a normal dependency.
    pub(crate) kind: Option<String>,
}

/// Returns the crates of the workspace.
pub(crate) fn packages() -> Vec<Package> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let text = output(&["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Metadata = serde_json::from_str(&text).unwrap();
    metadata.packages
}

/// A crate in a dependency tree.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Built {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Empty for the workspace's crates.
    pub(crate) licence: String,
}

/// Returns the packages that are built on this platform for one crate, or for all crates with their
/// tests.
pub(crate) fn tree(package: Option<&str>) -> BTreeSet<Built> {
    let mut args = vec!["tree", "--prefix", "none", "-f", "{p}|{l}"];
    match package {
        Some(name) => args.extend(["-p", name, "-e", "normal"]),
        None => args.extend(["--workspace", "-e", "normal,build,dev"]),
    }
    let text = output(&args);
    // The format is `name v1.2.3 (proc-macro)|licence (*)`, where the star marks a package that was
    // listed before.
    let line = |line: &str| {
        let (package, licence) = line.split_once('|').unwrap();
        let mut words = package.split(' ');
        Built {
            name: words.next().unwrap().to_owned(),
            version: words.next().unwrap().to_owned(),
            licence: licence.trim_end_matches("(*)").trim().to_owned(),
        }
    };
    // An empty line separates the trees of two crates.
    text.lines().filter(|text| !text.is_empty()).map(line).collect()
}

fn output(args: &[&str]) -> String {
    let run = Command::new(env!("CARGO"))
        .args(args)
        .args(["--locked", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "cargo {args:?}: {errors}");
    String::from_utf8(run.stdout).unwrap()
}
