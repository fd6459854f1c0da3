//! The files with the certificates, keys and password for a database.
//!
//! Certificates and keys are read once. Otherwise the driver would read them for each connection,
//! in a task that panics if the runtime shuts down during the read. The password is read for each
//! connection, so that it can be changed while the server runs.

use std::{
    env,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use sqlx::postgres::PgConnectOptions;

use crate::{db_error::DbError, detached::run_blocking, limits::MAX_PASSWORD_FILE_BYTES};

/// Sets the content of a file.
type Put = fn(PgConnectOptions, Vec<u8>) -> PgConnectOptions;

/// The parameters whose values are file names, the environment variables that replace them, and
/// whether the content of the file is secret.
const FILE_PARAMETERS: [(&str, &str, bool, Put); 3] = [
    ("sslrootcert", "PGSSLROOTCERT", false, PgConnectOptions::ssl_root_cert_from_pem),
    ("sslcert", "PGSSLCERT", false, PgConnectOptions::ssl_client_cert_from_pem),
    ("sslkey", "PGSSLKEY", true, PgConnectOptions::ssl_client_key_from_pem),
];

/// Replaces file names in the options with the content of the files. The file names are parameters
/// of the address or environment variables. An error contains the parameter, the file and the
/// system error.
pub(super) fn read_files(
    mut options: PgConnectOptions,
    settings: &str,
) -> Result<PgConnectOptions, String> {
    for (parameter, variable, is_secret, put) in FILE_PARAMETERS {
        let given = form_urlencoded::parse(settings.as_bytes());
        let (name, value) = match given.filter(|(name, _)| name == parameter).last() {
            Some((_, value)) => (parameter, value.into_owned()),
            None => match env::var(variable) {
                Ok(value) => (variable, value),
                Err(_) => continue,
            },
        };
        // As in the driver, the value may be the certificate itself.
        let content = if value.trim_start().starts_with("-----BEGIN") {
            value.into_bytes()
        } else {
            fs::read(&value).map_err(|cause| {
                // A value that is not a path may be the key itself, so it is not shown.
                if is_secret {
                    format!("{name}: cannot read the file: {cause}")
                } else {
                    format!("{name}: {value}: {cause}")
                }
            })?
        };
        options = put(options, content);
    }
    Ok(options)
}

/// Reads the password. Its content never appears in an error.
pub(super) async fn read_password(path: &Path) -> Result<String, DbError> {
    let path = path.to_owned();
    run_blocking(move || {
        let refused = |detail| DbError::PasswordFile { path: path.clone(), detail };
        let content = content(&path).map_err(|cause| refused(cause.to_string()))?;
        password(content).map_err(|detail| refused(detail.to_owned()))
    })
    .await
}

fn content(path: &PathBuf) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let mut limited = File::open(path)?.take(MAX_PASSWORD_FILE_BYTES + 1);
    limited.read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the content without the line break at its end.
fn password(content: Vec<u8>) -> Result<String, &'static str> {
    if content.len() as u64 > MAX_PASSWORD_FILE_BYTES {
        return Err("it is larger than 16 KiB");
    }
    let mut password = String::from_utf8(content).map_err(|_| "it is not UTF-8")?;
    if password.ends_with('\n') {
        password.pop();
        if password.ends_with('\r') {
            password.pop();
        }
    }
    // In the protocol, a password ends at the first NUL.
    if password.contains('\0') {
        return Err("it contains a NUL byte");
    }
    if password.is_empty() {
        return Err("it is empty");
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_line_break_at_the_end_is_removed() {
        for (content, expected) in [
            ("hush", Ok("hush")),
            (" h\nush \n", Ok(" h\nush ")),
            ("hush\r\n", Ok("hush")),
            ("\n", Err("it is empty")),
            ("hu\0sh", Err("it contains a NUL byte")),
        ] {
            let password = password(content.into());
            assert_eq!(password.as_deref().map_err(|error| *error), expected);
        }
        assert_eq!(password(vec![0xff]), Err("it is not UTF-8"));
        let limit = usize::try_from(MAX_PASSWORD_FILE_BYTES).unwrap();
        assert!(password(vec![b'a'; limit]).is_ok());
        assert_eq!(password(vec![b'a'; limit + 1]), Err("it is larger than 16 KiB"));
    }
}
