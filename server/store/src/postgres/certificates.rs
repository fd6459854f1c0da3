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
        let file = match named {
            Some((_, file)) => file.into_owned(),
            None => match env::var(setting.variable) {
                Ok(file) => file,
                Err(_) => continue,
            },
        };
        // The driver takes a certificate itself for the name of its file, too.
        if file.trim_start().starts_with("-----BEGIN") {
            continue;
        }
        let content =
            fs::read(&file).map_err(|cause| format!("{}: {file}: {cause}", setting.name))?;
        options = (setting.put)(options, content);
    }
    Ok(options)
}
