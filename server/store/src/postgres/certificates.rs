//! Reads the certificate and key files that an address names, once.
//!
//! Otherwise the driver would read the files for each connection, in a task that panics if the
//! runtime shuts down meanwhile.

use std::{env, fs};

use sqlx::postgres::PgConnectOptions;

/// A parameter whose value is a file name.
struct FileParameter {
    /// Name of the parameter in PostgreSQL.
    name: &'static str,
    /// Aliases that the driver accepts.
    aliases: &'static [&'static str],
    /// Environment variable that is used if the address lacks the parameter.
    variable: &'static str,
    /// True if the content of the file is secret.
    is_secret: bool,
    put: fn(PgConnectOptions, Vec<u8>) -> PgConnectOptions,
}

const FILE_PARAMETERS: [FileParameter; 3] = [
    FileParameter {
        name: "sslrootcert",
        aliases: &["ssl-root-cert", "ssl-ca"],
        variable: "PGSSLROOTCERT",
        is_secret: false,
        put: PgConnectOptions::ssl_root_cert_from_pem,
    },
    FileParameter {
        name: "sslcert",
        aliases: &["ssl-cert"],
        variable: "PGSSLCERT",
        is_secret: false,
        put: PgConnectOptions::ssl_client_cert_from_pem,
    },
    FileParameter {
        name: "sslkey",
        aliases: &["ssl-key"],
        variable: "PGSSLKEY",
        is_secret: true,
        put: PgConnectOptions::ssl_client_key_from_pem,
    },
];

/// Replaces file names in the options with the content of the files. The file names are parameters
/// of the address or environment variables. An error contains the parameter, the file and the
/// system error.
pub(super) fn read_files(
    mut options: PgConnectOptions,
    settings: &str,
) -> Result<PgConnectOptions, String> {
    for setting in FILE_PARAMETERS {
        let named = form_urlencoded::parse(settings.as_bytes())
            .filter(|(name, _)| setting.name == name || setting.aliases.contains(&&**name))
            .last();
        let (name, value) = match named {
            Some((_, value)) => (setting.name, value.into_owned()),
            None => match env::var(setting.variable) {
                Ok(value) => (setting.variable, value),
                Err(_) => continue,
            },
        };
        // As in the driver, the value may be the certificate itself.
        let content = if value.trim_start().starts_with("-----BEGIN") {
            value.into_bytes()
        } else {
            fs::read(&value).map_err(|cause| {
                // A value that is not a path may be the key itself.
                if setting.is_secret {
                    format!("{name}: cannot read the file: {cause}")
                } else {
                    format!("{name}: {value}: {cause}")
                }
            })?
        };
        options = (setting.put)(options, content);
    }
    Ok(options)
}
