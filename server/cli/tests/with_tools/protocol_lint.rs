//! Tests that the protocol follows the rules in buf.yaml and is backward compatible; see
//! `docs/testing.md`.

use std::process::Command;

use libtest_mimic::Trial;

use crate::{
    must_succeed,
    tool::{Tool, workspace},
};

const BUF: Tool = Tool {
    name: "buf",
    variable: "BRIDGEMASTER_BUF",
    installed: "sdk/python/.venv/bin/buf",
    on_path: Some("buf"),
    check: &["--version"],
    install: "python3 sdk/python/develop.py --with-checks",
};

pub(crate) fn trials() -> [Trial; 2] {
    [
        trial("buf_finds_nothing_to_complain_about", &["lint"]),
        trial("what_was_settled_is_not_broken", &["breaking", "--against", "proto/baseline.binpb"]),
    ]
}

fn trial(name: &str, arguments: &'static [&'static str]) -> Trial {
    Trial::ignorable_test(format!("protocol_lint::{name}"), move || {
        BUF.with(|buf| {
            let mut command = Command::new(buf);
            must_succeed(command.args(arguments).current_dir(workspace()))
        })
    })
}
