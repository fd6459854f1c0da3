//! The bot `greedy` as a program.

fn main() -> anyhow::Result<()> {
    bridgemaster_bots::run_binary("greedy")
}
