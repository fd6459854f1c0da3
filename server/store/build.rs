//! Compiles the message of a journal batch with protox, so that `protoc` need not be installed.

use std::error::Error;

/// The stored format of a journal batch. Its entries are opaque bytes.
const FILE: &str = "bridgemaster/internal/v1/journal_batch.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../proto/{FILE}");
    let descriptors = protox::compile([FILE], ["../../proto"])?;
    prost_build::Config::new().compile_fds(descriptors)?;
    Ok(())
}
