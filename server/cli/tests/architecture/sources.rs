//! The Rust files of the product, without tests and benchmarks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::cargo::{packages, root};

/// A file of the product.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The text up to the module with the unit tests.
    pub(crate) text: String,
}

/// Reads the files of all crates.
pub(crate) fn product_sources() -> Vec<Source> {
    let crates = packages();
    let folders = crates.iter().flat_map(|package| {
        let folder = package.manifest_path.parent().unwrap();
        ["src", "examples"].map(|name| folder.join(name))
    });
    let folders = folders.chain([root().join("proto")]);
    let paths = folders.flat_map(|folder| rust_files(&folder));
    let sources = paths.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let text = before_tests(&text).to_owned();
        Source { path, text }
    });
    let sources: Vec<Source> = sources.collect();
    let count = sources.len();
    assert!(count > 300, "only {count} files were found");
    sources
}

/// Returns the part of a text before the module with the unit tests.
pub(crate) fn before_tests(text: &str) -> &str {
    let mut begin = 0;
    while let Some(found) = text[begin..].find("#[cfg(test)]\nmod ") {
        let at = begin + found;
        let module = text[at..].lines().nth(1).unwrap_or_default();
        if module.ends_with('{') {
            return &text[..at];
        }
        begin = at + 1;
    }
    text
}

/// Returns the Rust files below a folder, without tests and benchmarks.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "benches"].contains(&name.as_str()) {
            found.extend(rust_files(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}
