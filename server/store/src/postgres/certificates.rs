//! The certificates and the key that an address names, read once.
//!
//! The driver would read their files for each connection, as a task of its own, and panic where the
//! runtime ends meanwhile.

use std::{env, fs};

use sqlx::postgres::PgConnectOptions;

/// A setting that names a file.
struct Setting {
    /// As PostgreSQL names it.
    name: &'static str,
    /// Other names that the driver takes.
    aliases: &'static [&'static str],
    /// The variable that counts where the address does not say it.
    variable: &'static str,
    put: fn(PgConnectOptions, Vec<u8>) -> PgConnectOptions,
}

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "sslrootcert",
        aliases: &["ssl-root-cert", "ssl-ca"],
        variable: "PGSSLROOTCERT",
        put: PgConnectOptions::ssl_root_cert_from_pem,
    },
    Setting {
        name: "sslcert",
        aliases: &["ssl-cert"],
        variable: "PGSSLCERT",
        put: PgConnectOptions::ssl_client_cert_from_pem,
    },
    Setting {
        name: "sslkey",
        aliases: &["ssl-key"],
        variable: "PGSSLKEY",
        put: PgConnectOptions::ssl_client_key_from_pem,
    },
];

/// Puts the content of the files into the options that name them, by the settings of the address
/// (what follows its `?`) or the environment. An error says which setting names what file, and
/// what the system says of it.
pub(super) fn read(
    mut options: PgConnectOptions,
    settings: &str,
) -> Result<PgConnectOptions, String> {
    for setting in SETTINGS {
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
        // As with the driver, the certificate itself may stand for the name of its file.
        let content = match value.trim_start().starts_with("-----BEGIN") {
            true => value.into_bytes(),
            false => fs::read(&value).map_err(|cause| format!("{name}: {value}: {cause}"))?,
        };
        options = (setting.put)(options, content);
    }
    Ok(options)
}
