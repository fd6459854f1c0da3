//! Tools besides the Rust toolchain that a test may need: finds them, and explains how to install
//! them.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::{Completion, Failed};

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Python with the package `bridgemaster`, from the source of this workspace.
pub(crate) const PYTHON: Tool = Tool {
    name: "Python environment for the bots",
    variable: "BRIDGEMASTER_PYTHON",
    installed: "sdk/python/.venv/bin/python",
    // Other Python installations lack gRPC, or the code that is generated from these .proto files.
    on_path: None,
    check: &["-c", "from bridgemaster import run"],
    install: "python3 sdk/python/develop.py",
};

/// A tool that a test needs.
pub(crate) struct Tool {
    /// Description of the tool.
    pub(crate) name: &'static str,
    /// Environment variable that names the program of the tool.
    pub(crate) variable: &'static str,
    /// Path in the workspace to which `sdk/python/develop.py` installs the tool.
    pub(crate) installed: &'static str,
    /// The name of the tool on the search path; `None` if a tool from there is not suitable.
    pub(crate) on_path: Option<&'static str>,
    /// Arguments with which the tool exits successfully if it is usable.
    pub(crate) check: &'static [&'static str],
    /// The command that installs the tool.
    pub(crate) install: &'static str,
}

impl Tool {
    /// Runs `test` with the program of the tool. Without the tool, the test is ignored with a
    /// message; if the tool was required, the test fails instead.
    pub(crate) fn with(
        &self,
        test: impl FnOnce(&Path) -> Result<(), Failed>,
    ) -> Result<Completion, Failed> {
        let named = env::var_os(self.variable).map(PathBuf::from);
        let promised = named.is_some() || env::var_os("CI").is_some();
        let candidates = match named {
            Some(program) => vec![program],
            None => [workspace().join(self.installed)]
                .into_iter()
                .chain(self.on_path.map(PathBuf::from))
                .collect(),
        };
        if let Some(program) = candidates.iter().find(|program| self.is_usable(program)) {
            return test(program).map(|()| Completion::Completed);
        }
        let absent = format!(
            "no {}: run `{}`, or set {} to its program",
            self.name, self.install, self.variable
        );
        if promised {
            return Err(format!("{absent}; tried {candidates:?}").into());
        }
        Ok(Completion::ignored_with(absent))
    }

    fn is_usable(&self, program: &Path) -> bool {
        let output = Command::new(program).args(self.check).output();
        output.is_ok_and(|output| output.status.success())
    }
}
