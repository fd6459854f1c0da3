//! The bot `random` as a program.

fn main() -> anyhow::Result<()> {
    bridgemaster_bots::run_binary("random")
}
