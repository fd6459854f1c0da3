//! Parses the address of a database, and connects to it.
//!
//! For an unknown parameter, the driver logs the value, which may be a secret, as in `sslpassword`.
//! So unknown parameters are refused before the driver parses the address.

use std::{fmt, net::IpAddr, path::PathBuf, str::FromStr as _, sync::Arc};

use sqlx::{
    ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};
use tokio::time::timeout;
use tracing::subscriber::{NoSubscriber, with_default};

use super::{
    credentials,
    hosts::{self, Hosts},
    session_settings,
};
use crate::{Durability, StoreError, db_error::DbError, limits::POSTGRES_CONNECT_TIMEOUT};

/// A parsed address, with everything needed to connect. Its clones share the preferred host.
#[derive(Clone)]
pub(super) struct Address {
    hosts: Arc<Hosts>,
    /// The file whose content replaces the password of the address.
    password_file: Option<PathBuf>,
    /// The SQL statements that apply the settings of a session.
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
        let refused = |detail: String| StoreError::InvalidAddress(detail);
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(refused("the address does not start with postgres://".to_owned()));
        }
        let (url, own) = take_own(url).map_err(refused)?;
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

    /// Runs `work`, and adds the address of the database to its error.
    pub(super) async fn at<T>(
        &self,
        work: impl Future<Output = Result<T, DbError>>,
    ) -> Result<T, StoreError> {
        work.await.map_err(|error| error.at(&self.redacted))
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
        for index in self.hosts.order() {
            let attempt = self.hosts.attempt(index);
            let options = attempt.options();
            match self.connect_to(options, password.as_deref()).await {
                Ok(connection) => {
                    attempt.succeed();
                    return Ok(connection);
                }
                Err(error) => failures.push((hosts::name(options), error)),
            }
        }
        Err(DbError::from_hosts(failures))
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
        timeout(limit, connecting).await.unwrap_or(Err(DbError::Timeout))
    }
}

/// Parses an address with one host.
fn options(url: &str) -> Result<PgConnectOptions, String> {
    // Errors of the parser do not repeat the address, which may contain a password. Its log,
    // however, would repeat lines of the password file.
    let read = || PgConnectOptions::from_str(url);
    let mut options =
        with_default(NoSubscriber::default(), read).map_err(|error| error.to_string())?;
    // The parser keeps the brackets of an IPv6 address, with which it could not be resolved.
    let host = options.get_host();
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Some(literal) = literal.map(str::to_owned) {
        options = options.host(&literal);
    }
    // Only the query is searched, since a password may contain the same text.
    let query = url.split_once('?').map_or("", |(_, query)| query);
    options = credentials::read_files(options, query)?;
    let has_sslmode = query.contains("sslmode=");
    let is_local = options.get_socket().is_some()
        || is_loopback(options.get_host())
        || options.get_host().starts_with('/');
    if !has_sslmode && std::env::var_os("PGSSLMODE").is_none() {
        options =
            options.ssl_mode(if is_local { PgSslMode::Prefer } else { PgSslMode::VerifyFull });
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

/// The supported parameters, besides `options[NAME]`.
const SUPPORTED_PARAMETERS: [&str; 14] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "password_file",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// The valid values of `sslmode`.
const SSL_MODES: [&str; 6] = ["allow", "disable", "prefer", "require", "verify-ca", "verify-full"];

/// Parameters that this program handles, and that the driver must not see.
#[derive(Debug, Default, PartialEq)]
struct OwnParameters {
    /// Names and values of the parameters `options[NAME]`.
    settings: Vec<(String, String)>,
    password_file: Option<PathBuf>,
}

/// Removes the parameters that the driver must not see from the address. Refuses unknown
/// parameters. The error does not contain the value, which may be secret.
fn take_own(url: &str) -> Result<(String, OwnParameters), String> {
    let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    let at = after_scheme.find(['/', '?', '#']);
    // The rest of an unescaped password would be parsed as a host, a database or a parameter, and
    // appear in messages.
    if at.is_some_and(|at| after_scheme[at..].contains(['@', '#'])) {
        return Err("`@` or `#` after the host; in a password write / as %2F, ? as %3F, # as %23 \
             and @ as %40"
            .to_owned());
    }
    let mut own = OwnParameters::default();
    let Some((before, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), own));
    };
    let mut others = Vec::new();
    for parameter in query.split('&') {
        for (name, value) in form_urlencoded::parse(parameter.as_bytes()) {
            if let Some(name) = setting_name(&name) {
                own.settings.push((name.to_owned(), value.into_owned()));
            } else if name == "password_file" {
                own.password_file = Some(PathBuf::from(&*value));
            } else if !SUPPORTED_PARAMETERS.contains(&&*name) {
                let supported = SUPPORTED_PARAMETERS.join(", ");
                return Err(format!(
                    "unknown parameter {name:?}; supported are {supported} and options[NAME]"
                ));
            } else if name == "sslmode" && !SSL_MODES.contains(&&*value) {
                return Err(format!("sslmode must be one of: {}", SSL_MODES.join(", ")));
            } else {
                others.push(parameter);
            }
        }
    }
    Ok((format!("{before}?{}", others.join("&")), own))
}

/// Returns the name in `options[NAME]`.
fn setting_name(parameter: &str) -> Option<&str> {
    parameter.strip_prefix("options[")?.strip_suffix(']')
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
            assert!(matches!(refused, StoreError::InvalidAddress { .. }), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }

    #[test]
    fn an_unreadable_certificate_file_is_named_with_its_parameter() {
        for (setting, named) in [
            ("sslrootcert=/no/such.crt", "sslrootcert: /no/such.crt: No such file"),
            ("sslrootcert=%2Fno%2Fsuch.crt", "sslrootcert: /no/such.crt: No such file"),
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

    #[test]
    fn settings_and_the_password_file_are_taken_from_the_address() {
        let url = "postgres://n@db/g?user=%26&options%5Bx%5D=1%262&password_file=/p&options[y]=z";
        let own = OwnParameters {
            settings: [("x", "1&2"), ("y", "z")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            password_file: Some("/p".into()),
        };
        assert_eq!(take_own(url), Ok(("postgres://n@db/g?user=%26".to_owned(), own)));
    }

    #[test]
    fn an_unknown_parameter_is_refused_by_its_name_without_its_value() {
        for (settings, named) in [
            ("sslpassword=hush", "unknown parameter \"sslpassword\""),
            ("sslmode=hush", "sslmode must be one of: allow"),
            ("host=a&Password=hush", "unknown parameter \"Password\""),
        ] {
            let refused = take_own(&format!("postgres://n@db/g?{settings}")).unwrap_err();
            assert!(refused.contains(named), "{refused}");
            assert!(!refused.contains("hush"), "{refused}");
        }
        for settings in ["", "?sslmode=verify-ca&options[x]=1&password=hush", "?user=a%40b"] {
            assert!(take_own(&format!("postgres://n@db/g{settings}")).is_ok());
        }
    }

    #[test]
    fn an_unescaped_password_is_refused_and_not_shown() {
        for url in [
            "postgres://n:12/hush@db/g",
            "postgres://n:12?hush=1@db/g",
            "postgres://n:12#hush@db/g",
        ] {
            let refused = take_own(url).unwrap_err();
            assert!(!refused.contains("hush"), "{refused}");
        }
        assert!(take_own("postgres://n:p@ss@db/g").is_ok());
    }
}
