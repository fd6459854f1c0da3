//! The bot `search` as a program.

fn main() -> anyhow::Result<()> {
    bridgemaster_bots::run_binary("search")
}
