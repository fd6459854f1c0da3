//! Parses the address of a database, and connects to it.

use std::{fmt, net::IpAddr, path::PathBuf, str::FromStr as _, sync::Arc};

use sqlx::{
    ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};
use tokio::time::timeout;
use tracing::subscriber::{NoSubscriber, with_default};

use super::{credentials, db_error::DbError, hosts, hosts::Hosts, parameters, session_settings};
use crate::{Durability, StoreError, limits::POSTGRES_CONNECT_TIMEOUT};

/// A parsed address, with everything needed to connect. Its clones share the preferred host.
#[derive(Clone)]
pub(super) struct Address {
    hosts: Arc<Hosts>,
    /// Replaces the password of the address.
    password_file: Option<PathBuf>,
    /// The statements that make the settings of a session.
    settings: String,
    redacted: String,
    durability: Durability,
}

/// Omits the password of the address.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.redacted).finish()
    }
}

impl Address {
    /// Parses `postgres://USER:PASSWORD@HOST:PORT,.../DATABASE?...`. A connection to another
    /// machine uses TLS and verifies the certificate, unless the address specifies another
    /// `sslmode`.
    pub(super) fn parse(url: &str, durability: Durability) -> Result<Self, StoreError> {
        let refused = |detail: String| StoreError::InvalidAddress { detail };
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
        {
            return Err(refused(
                "the address does not start with postgres://".to_owned(),
            ));
        }
        parameters::check_address(url).map_err(refused)?;
        let (url, own) = parameters::take_own(url);
        let urls = hosts::split(&url).map_err(refused)?;
        let options: Result<_, String> = urls.iter().map(|url| options(url)).collect();
        let hosts = Hosts::new(options.map_err(refused)?);
        Ok(Self {
            redacted: hosts.redacted(),
            hosts: Arc::new(hosts),
            password_file: own.password_file,
            settings: session_settings::settings(&own.settings, durability),
            durability,
        })
    }

    /// Returns the address without its password.
    pub(super) fn redacted(&self) -> &str {
        &self.redacted
    }

    pub(super) fn durability(&self) -> Durability {
        self.durability
    }

    /// Opens a connection for reading and writing, to the first host that accepts one.
    pub(super) async fn connect(&self) -> Result<PgConnection, DbError> {
        let password = match &self.password_file {
            Some(path) => Some(credentials::read_password(path).await?),
            None => None,
        };
        let mut failures = Vec::new();
        for attempt in self.hosts.attempts() {
            match self
                .connect_to(attempt.options(), password.as_deref())
                .await
            {
                Ok(connection) => {
                    attempt.succeed();
                    return Ok(connection);
                }
                Err(error) => failures.push((attempt.host(), error)),
            }
        }
        Err(DbError::of_hosts(failures))
    }

    async fn connect_to(
        &self,
        options: &PgConnectOptions,
        password: Option<&str>,
    ) -> Result<PgConnection, DbError> {
        let options = options.clone();
        let options = match password {
            Some(password) => options.password(password),
            None => options,
        };
        let connecting = async {
            let mut connection = options.connect().await?;
            session_settings::prepare(&mut connection, &self.settings, &self.redacted).await?;
            Ok(connection)
        };
        let limit = POSTGRES_CONNECT_TIMEOUT / self.hosts.count();
        timeout(limit, connecting)
            .await
            .unwrap_or(Err(DbError::Timeout))
    }
}

/// Parses an address with one host.
fn options(url: &str) -> Result<PgConnectOptions, String> {
    // Errors of the parser do not repeat the address, which may contain a password. The log of the
    // parser, however, would repeat lines of the password file.
    let read = || PgConnectOptions::from_str(url);
    let mut options =
        with_default(NoSubscriber::default(), read).map_err(|error| error.to_string())?;
    // The parser keeps the brackets of an IPv6 address, which no name service knows.
    let host = options.get_host();
    let literal = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Some(literal) = literal.map(str::to_owned) {
        options = options.host(&literal);
    }
    // Only the query is searched, since a password may contain the same text.
    let query = url.split_once('?').map_or("", |(_, query)| query);
    options = credentials::read_files(options, query)?;
    let has_sslmode = query.contains("sslmode=") || query.contains("ssl-mode=");
    let is_local = options.get_socket().is_some()
        || is_loopback(options.get_host())
        || options.get_host().starts_with('/');
    if !has_sslmode && std::env::var_os("PGSSLMODE").is_none() {
        options = options.ssl_mode(if is_local {
            PgSslMode::Prefer
        } else {
            PgSslMode::VerifyFull
        });
    }
    // Connection poolers refuse this parameter of the driver.
    let mut options = options.extra_float_digits(None);
    if options.get_application_name().is_none() {
        options = options.application_name("bridgemaster");
    }
    Ok(options.disable_statement_logging())
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|addr: IpAddr| addr.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted_of(url: &str) -> String {
        let address = Address::parse(url, Durability::Disk).unwrap();
        assert!(!format!("{address:?}").contains("hush"), "{address:?}");
        address.redacted().to_owned()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(
            redacted_of("postgres://north:hush@db.example:5433/games"),
            "postgres://db.example:5433/games"
        );
        assert_eq!(
            redacted_of("postgresql://north:hush@localhost/games?host=/run/postgresql"),
            "postgres:///games?host=/run/postgresql"
        );
        assert_eq!(
            redacted_of("postgres://north:hush@one,[::1]:5433/games?password_file=/hush"),
            "postgres://one:5432,[::1]:5433/games"
        );
    }

    #[test]
    fn an_invalid_address_is_refused_without_its_password() {
        for url in ["mysql://north:hush@db/games", "postgres://north:hush@db:x/"] {
            let refused = Address::parse(url, Durability::Disk).unwrap_err();
            let text = refused.to_string();
            assert!(
                matches!(refused, StoreError::InvalidAddress { .. }),
                "{text}"
            );
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn an_unreadable_certificate_file_is_named_with_its_parameter() {
        for (setting, named) in [
            (
                "sslrootcert=/no/such.crt",
                "sslrootcert: /no/such.crt: No such file",
            ),
            (
                "ssl-ca=%2Fno%2Fsuch.crt",
                "sslrootcert: /no/such.crt: No such file",
            ),
            ("sslcert=/no/own.crt", "sslcert: /no/own.crt: No such file"),
            ("sslkey=hush", "sslkey: cannot read the file: No such file"),
        ] {
            let url = format!("postgres://north:hush@db/games?sslmode=verify-ca&{setting}");
            let refused = Address::parse(&url, Durability::Disk).unwrap_err();
            let text = refused.to_string();
            assert!(text.contains(named), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn certificates_are_read_before_connecting() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("authority.crt");
        let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
        std::fs::write(&file, pem).unwrap();
        let url = format!("postgres://n@db/g?sslrootcert={}", file.display());
        let options = options(&url).unwrap();
        std::fs::remove_file(&file).unwrap();
        let options = format!("{options:?}");
        assert!(options.contains("ssl_root_cert: Some(Inline("), "{options}");
    }

    #[test]
    fn the_certificate_of_a_remote_host_is_verified_unless_the_address_says_otherwise() {
        let mode = |url| format!("{:?}", options(url).unwrap().get_ssl_mode());
        assert_eq!(mode("postgres://north@db.example/games"), "VerifyFull");
        assert_eq!(mode("postgres://north@127.0.0.1/games"), "Prefer");
        assert_eq!(mode("postgres://north@[::1]/games"), "Prefer");
        assert_eq!(mode("postgres://n@db.example/g?sslmode=require"), "Require");
        assert_eq!(mode("postgres://n:sslmode=x@db.example/g"), "VerifyFull");
    }
}
