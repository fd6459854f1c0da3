//! The log filter, as set in the environment.

use std::env;

use tracing_subscriber::filter::Targets;

/// The environment variable that contains the log filter.
const FILTER_VARIABLE: &str = "RUST_LOG";

/// Returns the filter in `RUST_LOG`: levels, alone or by target, such as `info,bridgemaster=trace`.
/// Returns `default` if the variable is unset, empty or invalid.
pub fn log_filter(default: Targets) -> Targets {
    let stated = env::var(FILTER_VARIABLE).ok();
    stated.and_then(|text| parsed(&text)).unwrap_or(default)
}

fn parsed(text: &str) -> Option<Targets> {
    let text = Some(text.trim()).filter(|text| !text.is_empty())?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn levels_are_stated_alone_and_by_target() {
        let filter = parsed("warn,bridgemaster=debug").unwrap();
        assert!(filter.would_enable("bridgemaster_server::play", &Level::DEBUG));
        assert!(!filter.would_enable("bridgemaster_server::play", &Level::TRACE));
        assert!(filter.would_enable("hyper", &Level::WARN));
        assert!(!filter.would_enable("hyper", &Level::INFO));
    }

    #[test]
    fn what_is_no_filter_counts_as_none() {
        for text in ["", " ", "bridgemaster=loud"] {
            assert!(parsed(text).is_none(), "{text:?}");
        }
    }
}
