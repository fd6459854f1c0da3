//! Validation of the query parameters of an address.
//!
//! The driver logs an unknown parameter with its value, which may be a secret, such as
//! `sslpassword`. So unknown parameters are refused before the driver parses the address.

use std::path::PathBuf;

/// The supported parameters, besides `options[NAME]`.
const SUPPORTED_PARAMETERS: [&str; 19] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "password_file",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// The valid values of `sslmode`.
const SSL_MODES: [&str; 6] = [
    "allow",
    "disable",
    "prefer",
    "require",
    "verify-ca",
    "verify-full",
];

/// Refuses an address with an unknown parameter. The error does not contain the value, which may be
/// secret.
pub(super) fn check_address(url: &str) -> Result<(), String> {
    let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    let at = after_scheme.find(['/', '?', '#']);
    let after_host = at.map_or("", |at| &after_scheme[at..]);
    // The rest of an unescaped password would be parsed as a host, a database or a parameter, and
    // appear in messages.
    if after_host.contains(['@', '#']) {
        return Err(
            "`@` or `#` after the host; in a password write / as %2F, ? as %3F, # as %23 \
             and @ as %40"
                .to_owned(),
        );
    }
    let settings = after_host.split_once('?').map_or("", |(_, query)| query);
    for (name, value) in form_urlencoded::parse(settings.as_bytes()) {
        if setting_name(&name).is_none() && !SUPPORTED_PARAMETERS.contains(&&*name) {
            let supported = SUPPORTED_PARAMETERS.join(", ");
            return Err(format!(
                "unknown parameter {name:?}; supported are {supported} and options[NAME]"
            ));
        }
        if ["sslmode", "ssl-mode"].contains(&&*name) && !SSL_MODES.contains(&&*value) {
            return Err(format!("{name} must be one of: {}", SSL_MODES.join(", ")));
        }
    }
    Ok(())
}

/// Parameters that the driver must not see.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OwnParameters {
    /// Names and values of the parameters `options[NAME]`.
    pub(super) settings: Vec<(String, String)>,
    pub(super) password_file: Option<PathBuf>,
}

/// Removes the parameters from the address that the driver must not see.
pub(super) fn take_own(url: &str) -> (String, OwnParameters) {
    let mut own = OwnParameters::default();
    let Some((before, query)) = url.split_once('?') else {
        return (url.to_owned(), own);
    };
    let mut others = Vec::new();
    for parameter in query.split('&') {
        for (name, value) in form_urlencoded::parse(parameter.as_bytes()) {
            if let Some(name) = setting_name(&name) {
                own.settings.push((name.to_owned(), value.into_owned()));
            } else if name == "password_file" {
                own.password_file = Some(PathBuf::from(&*value));
            } else {
                others.push(parameter);
            }
        }
    }
    (format!("{before}?{}", others.join("&")), own)
}

/// Returns the name in `options[NAME]`.
fn setting_name(parameter: &str) -> Option<&str> {
    parameter.strip_prefix("options[")?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_the_password_file_are_taken_from_the_address() {
        let url = "postgres://n@db/g?a=%26&options%5Bx%5D=1%262&password_file=/p&options[y]=z";
        let own = OwnParameters {
            settings: [("x", "1&2"), ("y", "z")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            password_file: Some("/p".into()),
        };
        assert_eq!(take_own(url), ("postgres://n@db/g?a=%26".to_owned(), own));
    }

    #[test]
    fn an_unknown_parameter_is_refused_by_its_name_without_its_value() {
        for (settings, named) in [
            ("sslpassword=hush", "unknown parameter \"sslpassword\""),
            ("sslmode=hush", "sslmode must be one of: allow"),
            ("host=a&Password=hush", "unknown parameter \"Password\""),
        ] {
            let refused = check_address(&format!("postgres://n@db/g?{settings}")).unwrap_err();
            assert!(refused.contains(named), "{refused}");
            assert!(!refused.contains("hush"), "{refused}");
        }
        for settings in [
            "",
            "?sslmode=verify-ca&options[x]=1&password=hush",
            "?user=a%40b",
        ] {
            assert_eq!(
                check_address(&format!("postgres://n@db/g{settings}")),
                Ok(())
            );
        }
    }

    #[test]
    fn an_unescaped_password_is_refused_and_not_shown() {
        for url in [
            "postgres://n:12/hush@db/g",
            "postgres://n:12?hush=1@db/g",
            "postgres://n:12#hush@db/g",
        ] {
            let refused = check_address(url).unwrap_err();
            assert!(!refused.contains("hush"), "{refused}");
        }
        assert_eq!(check_address("postgres://n:p@ss@db/g"), Ok(()));
    }
}
