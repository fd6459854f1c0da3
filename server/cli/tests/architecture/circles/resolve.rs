//! From the names in the files of a crate to the files that define them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::{
    Uses,
    source::{Path as Names, Source},
};
use crate::cargo::Package;

/// Re-exports that are followed for one name.
const MOST_EXPORTS: usize = 10;

/// The modules of a crate that have files of their own, by their names from its root.
pub(super) struct Crate {
    modules: BTreeMap<Names, Source>,
}

impl Crate {
    /// Reads the files of a crate; `None` when it has no folder `src`.
    pub(super) fn read(package: &Package) -> Option<Self> {
        let sources = package.manifest_path.parent()?.join("src");
        let mut modules = BTreeMap::new();
        sources
            .is_dir()
            .then(|| read_folder(&sources, &[], &mut modules))?;
        let test_modules: Vec<Names> = modules
            .iter()
            .flat_map(|(module, source): (&Names, &Source)| {
                let names = source.test_modules.iter();
                names.map(|name| [module.as_slice(), std::slice::from_ref(name)].concat())
            })
            .collect();
        modules.retain(|module, _| !test_modules.iter().any(|test| module.starts_with(test)));
        Some(Self { modules })
    }

    /// Which module uses which.
    pub(super) fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (module, source) in &self.modules {
            let imports = source.imports.iter().filter(|import| !import.is_export);
            let paths = imports.map(|import| &import.path).chain(&source.paths);
            let used = paths.filter_map(|path| self.definer(module, path, MOST_EXPORTS));
            let used: BTreeSet<String> = used
                .filter(|used| used != module)
                .map(|used| module_path(&used))
                .collect();
            uses.insert(module_path(module), used);
        }
        uses
    }

    /// The module that defines what a path in `module` names; `None` for other crates.
    fn definer(&self, module: &Names, path: &Names, exports_left: usize) -> Option<Names> {
        let mut names = path.iter().peekable();
        let mut at = match names.peek()?.as_str() {
            "crate" => Names::new(),
            "self" | "super" => module.clone(),
            first => {
                let child = [module.as_slice(), &[first.to_owned()]].concat();
                self.modules.contains_key(&child).then(|| module.clone())?
            }
        };
        names.next_if(|name| *name == "crate" || *name == "self");
        while names.next_if(|name| *name == "super").is_some() {
            at.pop();
        }
        for name in names {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                at = child;
                continue;
            }
            let source = self.modules.get(&at)?;
            if source.definitions.contains(name) {
                return Some(at);
            }
            let import = source.imports.iter().find(|import| import.name == *name);
            return match import {
                Some(import) => self.definer(&at, &import.path, exports_left.checked_sub(1)?),
                // Written by a macro, or one of many.
                None => Some(at),
            };
        }
        Some(at)
    }
}

fn module_path(module: &Names) -> String {
    match module.is_empty() {
        true => "the root".to_owned(),
        false => module.join("/"),
    }
}

fn read_folder(folder: &Path, above: &[String], modules: &mut BTreeMap<Names, Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let below = [above, &[name.to_owned()]].concat();
        if path.is_dir() {
            // These are separate programs.
            if name != "bin" {
                read_folder(&path, &below, modules);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_root = above.is_empty() && ["lib", "main"].contains(&name);
            let is_above = is_root || name == "mod";
            let module = if is_above { above.to_vec() } else { below };
            modules.insert(module, Source::read(&fs::read_to_string(&path).unwrap()));
        }
    }
}
