//! The command: a long run, or one damage again.

/// Which damages are inflicted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) seed: u64,
    /// Number of the first.
    pub(crate) first: u64,
    pub(crate) damages: u64,
}

impl Command {
    /// Reads the arguments; `None` when they are those of a test run.
    pub(crate) fn from_args(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let args: Vec<String> = args.collect();
        if !args.iter().any(|arg| arg == "--long") {
            return Ok(None);
        }
        let mut command = Self {
            seed: 1,
            first: 0,
            damages: 2_000,
        };
        let mut args = args.iter().filter(|arg| *arg != "--long");
        while let Some(name) = args.next() {
            let value = args.next().and_then(|value| value.parse::<u64>().ok());
            let value = value.ok_or_else(|| format!("{name}: takes a number from 0"))?;
            match name.as_str() {
                "--seed" => command.seed = value,
                "--damages" => command.damages = value,
                "--only" => (command.first, command.damages) = (value, 1),
                _ => return Err(format!("{name}: --seed, --damages and --only are valid")),
            }
        }
        Ok(Some(command))
    }
}
