//! The bot `search` as a program.

fn main() -> anyhow::Result<()> {
    bridgemaster_bots::main_of("search")
}
