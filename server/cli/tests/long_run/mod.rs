//! The arguments of a long run, for tests that are played from a seed and have one besides what
//! `cargo test` does.

/// Reads the arguments of a long run: `--long`, and settings that each take a number. Each is handed
/// to `set`, which tells whether there is one of this name. Gives `false` when the arguments are
/// those of a test run.
///
/// # Errors
/// When there is no such setting, with those that are `valid`, or one has no number.
pub(crate) fn read(
    args: impl Iterator<Item = String>,
    valid: &str,
    mut set: impl FnMut(&str, u64) -> bool,
) -> Result<bool, String> {
    let args: Vec<String> = args.collect();
    if !args.iter().any(|arg| arg == "--long") {
        return Ok(false);
    }
    let mut args = args.iter().filter(|arg| *arg != "--long");
    while let Some(name) = args.next() {
        let value = args.next().and_then(|value| value.parse::<u64>().ok());
        let value = value.ok_or_else(|| format!("{name}: takes a number from 0"))?;
        if !set(name, value) {
            return Err(format!("{name}: {valid} are valid"));
        }
    }
    Ok(true)
}
