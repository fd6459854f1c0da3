//! The protocol keeps to the rules of buf.yaml.

use std::process::Command;

use libtest_mimic::Trial;

use crate::{
    must_succeed,
    tool::{Tool, workspace},
};

const BUF: Tool = Tool {
    name: "buf",
    variable: "BRIDGEMASTER_BUF",
    installed: "bots/python/.venv/bin/buf",
    on_path: Some("buf"),
    check: &["--version"],
    install: "python3 bots/python/install.py --with-checks",
};

pub(crate) fn trial() -> Trial {
    Trial::ignorable_test("protocol_lint::buf_finds_nothing_to_complain_about", || {
        BUF.with(|buf| must_succeed(Command::new(buf).arg("lint").current_dir(workspace())))
    })
}
