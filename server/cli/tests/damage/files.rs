//! Folders of files, copied.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The files of a folder, by name; none if it is missing.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The name of a file.
pub(crate) fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// Copies the files of a folder into a new one.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in files_in(from) {
        fs::copy(&file, to.join(name_of(&file)))?;
    }
    Ok(())
}
