//! Compiles the description of a journal row with protox, so that no `protoc` has to be installed.

use std::error::Error;

/// What the store reads and writes of its own. The entries in it are bytes to it.
const FILE: &str = "bridgemaster/internal/v1/journal_batch.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../proto/{FILE}");
    let descriptors = protox::compile([FILE], ["../../proto"])?;
    prost_build::Config::new().compile_fds(descriptors)?;
    Ok(())
}
