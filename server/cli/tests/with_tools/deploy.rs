//! The files in `deploy/`, by `.ci/deploy`.

use std::{path::Path, process::Command};

use libtest_mimic::{Completion, Failed, Trial};

use crate::{
    must_succeed, postgres_server,
    tool::{PYTHON, Tool, workspace},
};

const CHECKS: Tool = Tool {
    name: "Python environment with what .ci/deploy needs",
    check: &["-c", "import check_jsonschema, kubernetes_validate, promql_parser, yaml"],
    install: "python3 sdk/python/develop.py --with-checks",
    ..PYTHON
};

const PROMETHEUS: Tool = Tool {
    name: "Prometheus, with promtool beside it",
    variable: "BRIDGEMASTER_PROMETHEUS",
    installed: "target/ci-tools/prometheus",
    on_path: Some("prometheus"),
    check: &["--version"],
    install: ".ci/install",
};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [
        ("deploy::the_files_keep_to_their_schemas_and_to_the_flags_of_the_program", "files"),
        ("deploy::alarms_and_dashboard_ask_for_what_running_servers_tell", "running"),
    ]
    .into_iter()
    .map(|(name, which)| Trial::ignorable_test(name, move || check(which)))
}

fn check(which: &'static str) -> Result<Completion, Failed> {
    if which == "running"
        && let Some(absent) = postgres_server::absent()
    {
        return Ok(Completion::ignored_with(absent));
    }
    let mut found = None;
    let done = PROMETHEUS.with(|prometheus| {
        found = Some(prometheus.to_owned());
        Ok(())
    })?;
    match found {
        Some(prometheus) => CHECKS.with(|python| must_pass(python, which, &prometheus)),
        None => Ok(done),
    }
}

fn must_pass(python: &Path, which: &str, prometheus: &Path) -> Result<(), Failed> {
    must_succeed(
        Command::new(python)
            .arg(workspace().join(".ci/deploy"))
            .arg(which)
            .arg("--program")
            .arg(env!("CARGO_BIN_EXE_bridgemaster"))
            .arg("--prometheus")
            .arg(prometheus),
    )
}
