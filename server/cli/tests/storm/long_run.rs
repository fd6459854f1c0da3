//! The arguments of a long run.

/// Arguments that were not read yet.
pub(crate) struct LongRun(Vec<String>);

impl LongRun {
    /// Returns the name of the suite and its arguments; `None` for the arguments of a test run.
    ///
    /// # Errors
    /// Returns an error if no suite is named.
    pub(crate) fn from_args(mut args: Vec<String>) -> Result<Option<(String, Self)>, String> {
        let Some(at) = args.iter().position(|arg| arg == "--long") else {
            return Ok(None);
        };
        args.remove(at);
        if args.len() <= at {
            return Err("--long takes damage, kills or attack".to_owned());
        }
        let suite = args.remove(at);
        Ok(Some((suite, Self(args))))
    }

    /// Removes a flag, and returns whether it was present.
    pub(crate) fn has_flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() < before
    }

    /// Removes a flag and returns its value.
    ///
    /// # Errors
    /// Returns an error if the flag has no value.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        if at == self.0.len() {
            return Err(format!("{name} needs a value"));
        }
        Ok(Some(self.0.remove(at)))
    }

    /// Removes a flag and returns its number.
    ///
    /// # Errors
    /// Returns an error if the value is not a number.
    pub(crate) fn number(&mut self, name: &str, default: u64) -> Result<u64, String> {
        let Some(value) = self.value(name)? else {
            return Ok(default);
        };
        let number = value.parse();
        number.map_err(|_| format!("{name}: {value} is not a whole number"))
    }

    /// Checks that no argument remains.
    ///
    /// # Errors
    /// Returns an error if an unknown argument remains. The error contains `valid`, the list of
    /// valid arguments.
    pub(crate) fn end(self, valid: &str) -> Result<(), String> {
        match self.0.first() {
            Some(arg) => Err(format!("unknown argument {arg}; valid are {valid}")),
            None => Ok(()),
        }
    }
}
